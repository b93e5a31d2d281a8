// Runs kernels as they are and rewritten, and compares what they leave in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/functional/functional_device.h"
#include "kernels.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"
#include "stream/windowed_device.h"
#include "techniques/cta_clustering/rewrite/clustered_device.h"

namespace heddle::cta_clustering {

using workload::Dim3;

inline constexpr Dim3 kGrids[] = {{1, 1, 1}, {7, 1, 1}, {24, 1, 1}, {97, 1, 1},
                                  {5, 4, 1}, {8, 6, 1}, {3, 5, 2},  {1, 11, 3}};

inline std::vector<std::uint32_t> words_after(workload::Device& device, const TestKernel& k, const Dim3& grid,
                                              int launches = 1) {
  const auto threads = static_cast<std::uint32_t>(grid.count() * k.block.count());
  const workload::DevicePtr out = device.allocate(4 * std::uint64_t{threads} + 64, "out");
  device.load_module(k.text, k.name + ".ptx");
  for (int i = 0; i < launches; ++i)
    device.launch({.kernel = "k",
                   .grid = grid,
                   .block = k.block,
                   .dynamic_shared = k.dynamic_shared,
                   .args = workload::args(out, threads - threads / 3)});
  return device.download<std::uint32_t>(out, threads + 16);
}

inline std::vector<std::uint32_t> original(const TestKernel& k, const Dim3& grid, int launches = 1) {
  exec::FunctionalDevice device;
  return words_after(device, k, grid, launches);
}

inline void expect_rewritten(const ClusteredDevice& device) {
  for (const ptx::tree::Refusal& r : device.refused()) ADD_FAILURE() << r.rule << ": " << r.reason;
  EXPECT_EQ(device.rewritten().size(), 1u);
}

inline TestKernel kernel_named(const std::string& name) {
  for (const TestKernel& k : test_kernels())
    if (k.name == name) return k;
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

}  // namespace heddle::cta_clustering
