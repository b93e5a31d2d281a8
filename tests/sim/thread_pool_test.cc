#include "sim/thread_pool.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::sim {
namespace {

TEST(ThreadPool, EveryThreadWorksOnceInEveryRun) {
  for (const std::uint32_t threads : {1u, 2u, 4u}) {
    std::array<std::uint64_t, 4> runs{};  // each thread its own: the pool alone makes them visible here
    ThreadPool pool(threads, [&](std::uint32_t t) { ++runs[t]; });
    for (std::uint64_t n = 1; n <= 200; ++n) {
      pool.run();
      for (std::uint32_t t = 0; t < 4; ++t) ASSERT_EQ(runs[t], t < threads ? n : 0);
    }
  }
}

}  // namespace
}  // namespace heddle::sim
