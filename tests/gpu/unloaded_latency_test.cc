// Latencies of the H200's memory levels as a program sees them, against the measured ones
// (tools/probes/memory.py): L1 39.6, L2 287, DRAM 695 cycles.
#include <gtest/gtest.h>

#include <vector>

#include "base/file.h"
#include "gpu/presets.h"
#include "gpu/timing_device.h"

namespace heddle::gpu {
namespace {

using workload::args;

// Cycles per step through `lines` lines, 4 KiB apart modulo their number so that no two steps share a DRAM
// row.
double chase(const char* kernel, std::uint32_t lines, int rounds) {
  config::Config c = load_config("h200");
  GpuSpec spec = config::read<GpuSpec>(c);
  spec.gpu.l2_at_start = L2Start::Cold;
  TimingDevice device(spec, {});
  device.load_module(read_file(HEDDLE_SOURCE_DIR "/validation/ptx/probes/chase.ptx"), "chase.ptx");
  const auto data = device.allocate(std::uint64_t{lines} * 128, "pointers");
  const auto base = static_cast<std::uint64_t>(data);
  std::vector<std::uint64_t> next(std::size_t{lines} * 16);
  const std::uint32_t stride = 2 * (lines / 3) + 1;  // odd: visits all lines when they are a power of two
  for (std::uint32_t i = 0; i < lines; ++i)
    next[std::size_t{i} * 16] = base + std::uint64_t{(i + stride) % lines} * 128;
  device.copy_in(data, next.data(), next.size() * 8);
  const auto cycles = device.upload(std::vector<std::uint64_t>(2), "cycles");
  device.launch({kernel, {1}, {1}, 0, args(base, static_cast<int>(lines), rounds, cycles)});
  return static_cast<double>(device.download<std::uint64_t>(cycles, 1)[0]) / lines;
}

TEST(UnloadedLatency, OfTheH200IsAsMeasured) {
  EXPECT_NEAR(chase("all_caches", 128, 4), 33.3, 0.5);  // rounds as the probe's: its code is there
  EXPECT_NEAR(chase("l2_only", 1024, 2), 281, 3);
  EXPECT_NEAR(chase("l2_only", 1024, 1), 650, 20);
}

}  // namespace
}  // namespace heddle::gpu
