#include "study/run/point.h"

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/version.h"
#include "gpu/simulation_spec.h"
#include "study/run/detail.h"
#include "study/run/record.h"

namespace heddle::study {

std::string Point::key() const {
  // With their lengths, so that no two points have the same text.
  std::string text = "heddle.point/1\n";
  for (const std::string_view part :
       {build_info().source_hash, std::string_view(workload), std::string_view(contents),
        workload::name(scale), std::string_view(machine)})
    text += fmt::format("{}:{}\n", part.size(), part);
  text += fmt::format("{}\n", seed);
  return sha256_hex(text);
}

std::string simulate(const Point& point, const workload::Workload& workload, std::uint32_t threads,
                     std::string* detail, const std::atomic<bool>* interrupt) {
  const HostMeter meter;
  config::Config config = config::Config::parse(point.machine, "machine of the point");
  const gpu::SimulationSpec spec = gpu::read_simulation_spec(config);
  gpu::TimingOptions options;
  options.machine.threads = threads;
  options.machine.detail = detail != nullptr;
  options.machine.interrupt = interrupt;
  options.functional = spec.functional;

  TimingRecord record;
  record.gpu = point.gpu;
  record.spec = spec.gpu;
  record.threads = threads;
  record.contents = point.contents;
  record.configuration = config.dump(false);
  gpu::TimingDevice device(spec.gpu, options);
  run_workload(workload, {point.scale, point.seed}, device, record);
  meter.read(record.host);
  record.take(device);
  if (detail != nullptr) *detail = to_text(*device.machine().detail());
  return to_text(record);
}

}  // namespace heddle::study
