#include "exec/functional/functional_device.h"

#include <chrono>

#include "exec/functional/cta_reads.h"

namespace heddle::exec {

void FunctionalOptions::fields(config::Reader& r) {
  r.field("recursive_stack", recursive_stack, config::range(1_KiB, 1_MiB),
          "Local memory per thread for kernels that recurse");
  r.field("max_resident_ctas", max_resident_ctas, config::range(1, 1 << 16),
          "CTAs that run side by side when they wait for each other");
  r.field("spin_limit", spin_limit, config::range(std::uint64_t{1000}, std::uint64_t{1} << 40),
          "Warp instructions without progress after which a kernel is taken to hang");
  r.field("count_accesses", count_accesses, "Count lines, sectors and bank passes of memory accesses");
}

FunctionalDevice::FunctionalDevice(const FunctionalOptions& options, const HostSharing& sharing)
    : DeviceBase(options.code_order, {}, sharing), runner_(options) {}

void FunctionalDevice::launch(const workload::Launch& launch) {
  launches_.push_back(run(launch));
}

void FunctionalDevice::execute(const workload::Launch& launch) {
  run(launch);
}

workload::CtaReads FunctionalDevice::reads(const workload::Launch& launch, std::uint32_t line_bytes) {
  return reads_of_ctas(memory(), data_of(launch, runner_.options().recursive_stack), runner_.options(),
                       line_bytes);
}

LaunchProfile FunctionalDevice::run(const workload::Launch& launch) {
  LaunchProfile profile = runner_.run(memory(), prepare(launch, runner_.options().recursive_stack));
  add_children(std::exchange(profile.children, {}));
  return profile;
}

LaunchProfile FunctionalRunner::run(mem::DeviceMemory& memory, LaunchData launch) {
  return run_ctas(memory, std::move(launch), {});
}

LaunchProfile FunctionalRunner::run(mem::DeviceMemory& memory, LaunchData launch,
                                    std::span<const std::uint64_t> ctas) {
  return run_ctas(memory, std::move(launch), ctas);
}

LaunchProfile FunctionalRunner::run_ctas(mem::DeviceMemory& memory, LaunchData launch, Ctas ctas) {
  ExecContext context(memory, std::move(launch));
  const KernelImage& image = *context.image;
  context.output = options_.output;
  context.count_accesses = options_.count_accesses;
  context.observer = options_.observer;
  const auto before = std::chrono::steady_clock::now();
  GridRun grid(context, options_, idle_ctas_, ctas);
  grid.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  return {&image,
          context.grid,
          context.block,
          context.shared_bytes,
          wall.count(),
          grid.threads(),
          std::move(context.counts),
          std::move(context.accesses),
          std::move(context.children)};
}

}  // namespace heddle::exec
