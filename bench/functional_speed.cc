// Functional execution of every bundled workload: warp instructions per second.
//
//   functional_speed [SCALE] [REPEATS] [THREADS]     prints the table of bench/README.md, best repeats
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "exec/functional/profile.h"
#include "workloads/registry.h"

namespace {

struct Measured {
  heddle::exec::FunctionalStats stats;
  double seconds = 1e30;  // inside launches, best repeat
};

Measured measure(const heddle::workload::Workload& w, heddle::workload::Scale scale, int repeats,
                 std::uint32_t threads) {
  Measured best;
  for (int i = 0; i < repeats; ++i) {
    heddle::exec::FunctionalDevice device({.threads = threads});
    const heddle::workload::Verification v = w.run(device, {scale, 1});
    if (!v.ok) throw heddle::Error(w.info().name + ": " + v.detail);
    double seconds = 0;
    for (const auto& launch : device.launches()) seconds += launch.host_seconds;
    best.seconds = std::min(best.seconds, seconds);
    best.stats = heddle::exec::total(device.launches());
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const auto scale = heddle::workload::parse_scale(argc > 1 ? argv[1] : "small");
  const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const auto threads = static_cast<std::uint32_t>(argc > 3 ? std::clamp(std::atoi(argv[3]), 1, 256) : 1);
  if (!scale) {
    std::cerr << "usage: functional_speed [tiny|small|paper] [REPEATS] [THREADS]\n";
    return 2;
  }
  std::cout << heddle::version_line() << "\n\n";
  std::cout << "| workload | warp instructions | lanes | seconds | million warp instructions per second |\n";
  std::cout << "|---|---:|---:|---:|---:|\n";
  double log_sum = 0;
  int n = 0;
  try {
    for (const heddle::workload::Workload* w : heddle::workloads::all_workloads()) {
      const Measured m = measure(*w, *scale, repeats, threads);
      const auto warp = static_cast<double>(m.stats.warp_instructions);
      const double rate = warp / 1e6 / m.seconds;
      std::cout << fmt::format("| {} | {:.2f} M | {:.1f} | {:.3f} | {:.1f} |\n", w->info().name, warp / 1e6,
                               static_cast<double>(m.stats.thread_instructions) / warp, m.seconds, rate);
      log_sum += std::log(rate);
      ++n;
    }
  } catch (const heddle::Error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
  std::cout << fmt::format("| **geometric mean** | | | | **{:.1f}** |\n", std::exp(log_sum / n));
}
