#include "apps/cli/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "apps/cli/content_hash.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kLargestPtx = 256u << 20;

LaunchResult run(const LaunchFile& launch, const UserModule& module, const DeviceExtras& given,
                 workload::Device& device) {
  DeviceExtras extras = extras_of(device);
  if (given.make_texture) extras.make_texture = given.make_texture;
  if (given.set_registers) extras.set_registers = given.set_registers;
  return run_launch_file(launch, module.ptx, module.file, device, extras);
}

}  // namespace

UserModule load_user_module(const std::filesystem::path& path, const CompileOptions& options) {
  const std::string kind = lower(path.extension().string());
  if (kind == ".ptx") return {read_file(path, kLargestPtx), path.string(), {}};
  if (kind != ".cu")
    throw Error(SourcePlace{path.string(), 0, 0, {}}, "expected a kernel in a .ptx or .cu file");
  UserModule m;
  m.compiled = compile_cu(path, options);
  m.ptx = m.compiled.ptx;
  m.file = path.string() + " (as PTX)";
  return m;
}

int run_user_kernel(const UserKernelOptions& options, workload::Device& device, std::ostream& out) {
  const LaunchFile launch = load_launch_file(options.launch);
  const UserModule module = load_user_module(options.kernel, options.compile);
  if (!module.compiled.messages.empty()) out << module.compiled.messages;
  const LaunchResult result = run(launch, module, options.extras, device);
  if (!options.quiet || !result.ok()) out << describe(result);
  return result.ok() ? 0 : 1;
}

UserWorkload::UserWorkload(const UserKernelOptions& options)
    : options_(options),
      module_(load_user_module(options.kernel, options.compile)),
      launch_(load_launch_file(options.launch)) {
  info_.name = options.kernel.stem().string();
  info_.suite = "user";
  info_.abbreviation = info_.name;
  info_.summary = fmt::format("{} with {}", options.kernel.string(), options.launch.string());
}

workload::Parameters UserWorkload::parameters(const workload::RunOptions&) const {
  workload::Parameters p = {{"kernel", options_.kernel.string()},
                            {"launch", options_.launch.string()},
                            {"ptx_sha256", sha256_hex(module_.ptx)},
                            {"launch_sha256", sha256_hex(read_file(options_.launch))}};
  for (const BufferSpec& b : launch_.buffers)
    if (b.fill.kind == Fill::Kind::File)
      p.emplace_back(b.fill.path + "_sha256", sha256_hex(read_file(launch_.folder / b.fill.path, b.bytes())));
  return p;
}

workload::Verification UserWorkload::run(workload::Device& device, const workload::RunOptions&) const {
  const LaunchResult result = cli::run(launch_, module_, options_.extras, device);
  workload::Verification all;
  all.ok = true;
  for (const OutputResult& o : result.outputs) {
    if (!o.verification) continue;
    const workload::Verification& v = *o.verification;
    if (all.ok && !v.ok) all.detail = fmt::format("{}: {}", o.buffer, v.detail);
    all.ok = all.ok && v.ok;
    all.compared += v.compared;
    all.max_error = std::max(all.max_error, v.max_error);
    if (all.tolerance.empty())
      all.tolerance = v.tolerance;
    else if (all.tolerance != v.tolerance)
      all.tolerance = "several";
  }
  return all;
}

}  // namespace heddle::cli
