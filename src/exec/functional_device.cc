#include "exec/functional_device.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kSliceInstructions = 1u << 20;  // before the next warp gets its turn

// What a pass over the warps of a CTA found.
struct Pass {
  std::uint64_t executed = 0;
  bool advanced = false;  // a warp ended or a barrier opened
  bool working = false;   // a warp ran without seeming to spin
  bool runnable = false;  // some warp could run at all
};

Pass run_cta(Cta& cta) {
  Pass pass;
  for (Warp& w : cta.warps) {
    if (w.done() || w.mask() == 0) continue;
    pass.runnable = true;
    const std::uint64_t before = w.executed();
    const Warp::Stop stop = w.run(kSliceInstructions);
    pass.executed += w.executed() - before;
    pass.working |= stop != Warp::Stop::Yield;
    pass.advanced |= stop == Warp::Stop::Exited;
  }
  pass.advanced |= cta.release_barriers();
  return pass;
}

}  // namespace

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
  launches_.push_back(runner_.run(memory(), prepare(launch, runner_.options().recursive_stack)));
  add_children(std::move(launches_.back().children));
}

LaunchProfile FunctionalRunner::run(mem::DeviceMemory& memory, LaunchData launch) {
  ExecContext context(memory, std::move(launch));
  const KernelImage& image = *context.image;
  context.output = options_.output;
  context.count_accesses = options_.count_accesses;
  const auto before = std::chrono::steady_clock::now();
  run_grid(image, context);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  return {&image,
          context.grid,
          context.block,
          context.shared_bytes,
          wall.count(),
          std::move(context.counts),
          std::move(context.accesses),
          std::move(context.children)};
}

// CTAs run one after another. Only when all that run spin does the next one start beside them, so that
// CTAs which wait for each other meet.
void FunctionalRunner::run_grid(const KernelImage& image, ExecContext& context) {
  const std::uint64_t total = context.grid.count();
  std::uint64_t next = 0, idle_instructions = 0;
  std::vector<std::unique_ptr<Cta>> running;
  auto start_one = [&] {
    if (idle_ctas_.empty()) idle_ctas_.push_back(std::make_unique<Cta>());
    running.push_back(std::move(idle_ctas_.back()));
    idle_ctas_.pop_back();
    running.back()->start(image, context, next++);
  };
  auto report = [&] {
    std::string who;
    for (std::size_t i = 0; i < std::min<std::size_t>(running.size(), 4); ++i)
      who += "\n  " + running[i]->describe();
    return who;
  };
  while (next < total || !running.empty()) {
    if (running.empty()) start_one();
    bool working = false, runnable = false;
    for (std::size_t i = 0; i < running.size();) {
      const Pass pass = run_cta(*running[i]);
      working |= pass.working || pass.advanced;
      runnable |= pass.runnable;
      idle_instructions = pass.advanced ? 0 : idle_instructions + pass.executed;
      if (running[i]->done()) {
        idle_ctas_.push_back(std::move(running[i]));
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (working) continue;
    if (running.empty()) continue;
    if (next < total && running.size() < options_.max_resident_ctas) {
      start_one();
      continue;
    }
    if (!runnable)
      throw Error(fmt::format("kernel '{}' is deadlocked: no warp can proceed", image.name),
                  "Who waits where:" + report());
    if (idle_instructions > options_.spin_limit)
      throw Error(fmt::format("kernel '{}' makes no progress: for {} warp instructions no warp has ended, no "
                              "barrier has opened, and every warp only loops",
                              image.name, idle_instructions),
                  "Who waits where:" + report());
  }
}

}  // namespace heddle::exec
