#include "validation/measure.h"

#include <ctime>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "exec/image/kernel_image.h"
#include "gpu/presets.h"
#include "gpu/timing_device.h"
#include "validation/embedded.h"

namespace heddle::validation {
namespace {

gpu::GpuSpec read_spec(const RunOptions& options) {
  config::Config c = gpu::load_config(options.preset);
  for (const std::string& s : options.settings) c.set(s);
  gpu::GpuSpec spec = config::read<gpu::GpuSpec>(c);
  c.check_all_read();
  return spec;
}

std::uint32_t registers_of(const gpu::TimingDevice& device, const std::string& kernel) {
  for (const auto& module : device.modules())
    for (const auto& k : module->kernels())
      if (k->name == kernel) return k->registers_per_thread;
  return 0;
}

}  // namespace

const EmbeddedFile& find_embedded(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& f : files)
    if (f.name == name) return f;
  throw Error(fmt::format("no file named '{}' is part of this program", name));
}

const Program& find_program(std::string_view name) {
  std::vector<std::string> known;
  for (const Program& p : programs()) {
    if (p.name == name) return p;
    known.emplace_back(p.name);
  }
  const std::string hint = did_you_mean(name, known);
  throw Error(fmt::format("no validation program is called '{}'", name),
              hint.empty() ? fmt::format("They are: {}.", fmt::join(known, ", ")) : hint);
}

Measurement measure(const Program& program, const RunOptions& options) {
  const std::clock_t start = std::clock();
  gpu::TimingOptions timing;
  timing.machine.threads = options.threads;
  const gpu::GpuSpec spec = read_spec(options);
  gpu::TimingDevice device(spec, timing);
  const EmbeddedFile& ptx = find_embedded(embedded_ptx(), program.name);
  device.load_module(ptx.text, ptx.file);
  const workload::Verification v = program.run(device);
  if (!v.ok)
    throw Error(fmt::format("{} on {} gives wrong results: {}", program.name, options.preset, v.detail));
  Measurement m;
  m.cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  m.total = device.total();
  for (const gpu::LaunchResult& l : device.launches()) {
    const std::uint64_t work = l.cycles - spec.gpu.launch_overhead;
    m.launches.push_back({l, work, registers_of(device, l.kernel)});
    m.work_cycles += work;
  }
  return m;
}

}  // namespace heddle::validation
