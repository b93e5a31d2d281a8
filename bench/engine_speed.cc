// What short links cost: 120 SMs in pairs at nodes, 1 cycle away against as far as everything else.
//
//   engine_speed    prints nanoseconds per SM and cycle, and the ratio of both; at most 1.5
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/sim/pairs.h"

namespace {

using heddle::sim::Pairs;

double seconds(heddle::sim::Cycle near, std::uint32_t work, heddle::sim::Cycle cycles) {
  Pairs pairs({.near = near, .work = work});
  const auto began = std::chrono::steady_clock::now();
  pairs.run(cycles);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

int main() {
  constexpr heddle::sim::Cycle kCycles = 119 * 200;
  std::printf("work per SM and cycle   far links   near links   ratio\n");
  for (const std::uint32_t work : {20u, 50u, 100u, 200u}) {
    double far = 1e9, near = 1e9;
    for (int i = 0; i < 5; ++i) {  // the best, alternating: a host's speed changes with time
      far = std::min(far, seconds(119, work, kCycles));
      near = std::min(near, seconds(1, work, kCycles));
    }
    const double each = 1e9 / (120.0 * kCycles);
    std::printf("%15u rounds   %6.1f ns    %6.1f ns    %5.2f\n", work, far * each, near * each, near / far);
  }
}
