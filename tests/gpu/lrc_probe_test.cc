// The probes that found the request coalescer of a real H200 (tools/probes/lrc_probe.cu), run on the
// simulated one. What the real card answered is in h200_lrc.md and in validation/data/h200_lrc_table.csv.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "base/file.h"
#include "gpu/presets.h"
#include "gpu/timing_device.h"

namespace heddle::gpu {
namespace {

using workload::args;
using workload::DevicePtr;

struct Mask {
  std::array<std::uint64_t, 3> words{};
};
Mask sms(std::initializer_list<std::uint32_t> list) {
  Mask m;
  for (const std::uint32_t s : list) m.words[s / 64] |= std::uint64_t{1} << (s % 64);
  return m;
}
Mask first_sms(std::uint32_t n) {
  Mask m;
  for (std::uint32_t s = 0; s < n; ++s) m.words[s / 64] |= std::uint64_t{1} << (s % 64);
  return m;
}

enum class L2 { Cold, Warm };

class LrcProbe {
 public:
  // The real probe reads 1 MiB; where the time of catching up does not matter, less gives the same.
  explicit LrcProbe(L2 l2, std::uint64_t bytes = 256 << 10) : bytes_(bytes), device_(spec(l2), {}) {
    device_.load_module(read_file(HEDDLE_SOURCE_DIR "/validation/ptx/probes/lrc_probe.ptx"), "lrc_probe.ptx");
    data_ = device_.allocate(bytes_, "data");
    sink_ = device_.allocate(4096, "sink");
    if (l2 == L2::Warm) requests(first_sms(1));
  }
  // Sectors asked of L2 per sector of the data, when all these SMs read all of it and those behind SM 0 start
  // `delay` cycles later.
  double requests(const Mask& m, int delay = 0) {
    device_.fill(device_.symbol("arrived"), 0, 4);
    device_.launch({"_Z5probePK6float4l4MaskiiPf",
                    {132},
                    {256},
                    200 << 10,
                    args(data_, static_cast<std::int64_t>(bytes_ / 16), m, 0, delay, sink_)});
    const MachineStats& s = device_.launches().back().stats;
    EXPECT_EQ(s.merger.offered_sectors, s.merger.forwarded_sectors + s.merger.merged_sectors);
    return static_cast<double>(s.merger.forwarded_sectors) / static_cast<double>(bytes_ / 32);
  }
  // Part of the second SM's sectors that are not asked for again.
  double merged(std::uint32_t second, int delay = 0) { return 2 - requests(sms({0, second}), delay); }

 private:
  static GpuSpec spec(L2 l2) {
    config::Config c = load_config("h200");
    GpuSpec s = config::read<GpuSpec>(c);
    s.gpu.l2_at_start = L2Start::Cold;
    s.partition.kernel_end = l2 == L2::Cold ? hierarchy::KernelEnd::Flush : hierarchy::KernelEnd::Keep;
    return s;
  }
  std::uint64_t bytes_;
  TimingDevice device_;
  DevicePtr data_{}, sink_{};
};

// h200_lrc.md, 1: 1.00 with the SMs of the same GPC, 0.00 with any other. The simulated card's GPCs are SMs
// in a row; the real one deals TPCs out to GPCs in turn.
TEST(LrcProbe, ReachesOneGpc) {
  LrcProbe probe(L2::Warm);
  for (const std::uint32_t same : {1u, 2u, 8u, 15u}) EXPECT_NEAR(probe.merged(same), 1, 0.02) << same;
  for (const std::uint32_t other : {16u, 17u, 64u, 131u}) EXPECT_NEAR(probe.merged(other), 0, 0.02) << other;
}

// h200_lrc_table.csv, cold, apart 0: 1, 1, 1, 2, 2, 2, 2, 3, 3.26, 4.01, 4.40 requests per line.
TEST(LrcProbe, FourRequestersShareARequest) {
  const std::pair<std::uint32_t, double> measured[] = {
      {2, 1}, {3, 1}, {4, 1}, {5, 2}, {6, 2}, {7, 2.02}, {8, 2}, {9, 3}, {12, 3.26}, {13, 4.01}, {16, 4.40}};
  for (const L2 l2 : {L2::Cold, L2::Warm}) {
    LrcProbe probe(l2);
    for (const auto& [k, requests] : measured)
      EXPECT_NEAR(probe.requests(first_sms(k)), requests, 0.15 * requests) << k << " SMs";
  }
}

// h200_lrc_table.csv, warm, apart 2: 1.00 up to 80 cycles, 0.86 to 0.90 up to 160, 0.34 at 200 and 250, 0
// from 300: as long as the first request is under way, which is longer for the far half of the real L2.
TEST(LrcProbe, RequestsMergeWhileTheFirstIsUnderWay) {
  LrcProbe probe(L2::Warm);
  for (const int delay : {0, 20, 40, 60, 80}) EXPECT_NEAR(probe.merged(2, delay), 1, 0.02) << delay;
  for (const int delay : {100, 130}) EXPECT_NEAR(probe.merged(2, delay), 0.9, 0.12) << delay;
  // One latency here, two on the card: half of the requests must be joined until some time in between.
  EXPECT_LT(probe.merged(2, 250), 0.5);
  for (const int delay : {300, 400, 800}) EXPECT_NEAR(probe.merged(2, delay), 0, 0.02) << delay;
}

// h200_lrc.md, 3: the late SM hits in L2 and catches up with the first, which waits for DRAM.
TEST(LrcProbe, AColdL2LetsALateSmCatchUp) {
  LrcProbe probe(L2::Cold, 1 << 20);
  for (const int delay : {0, 100, 400, 1000, 1500}) EXPECT_NEAR(probe.merged(2, delay), 0.98, 0.05) << delay;
}

}  // namespace
}  // namespace heddle::gpu
