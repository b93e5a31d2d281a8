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
    EXPECT_EQ(s.merger().offered_sectors, s.merger().forwarded_sectors + s.merger().merged_sectors);
    return static_cast<double>(s.merger().forwarded_sectors) / static_cast<double>(bytes_ / 32);
  }
  // Part of the second SM's sectors that are not asked for again.
  double merged(std::uint32_t second, int delay = 0) { return 2 - requests(sms({0, second}), delay); }

 private:
  static GpuSpec spec(L2 l2) {
    config::Config c = load_config("h200");
    GpuSpec s = config::read<GpuSpec>(c);
    s.gpu.l2_at_start = L2Start::Cold;
    // The real probe's SMs must wake together: undelayed they merge all.
    s.gpu.launch_interval = 1;
    s.sm.icache = Bytes{0};
    s.sm.parameter_cold_latency = 0;
    // With two sides they leave the probe's barrier up to a crossing apart; from DRAM they catch up.
    if (l2 == L2::Warm) s.partition.l2.sides = 1;
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
  LrcProbe probe(L2::Cold);  // so that SMs which leave the probe's barrier later catch up
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

// SMs 0 and 1 read a line; SM 1 first adds `adds` times, each time waiting for the result. Every CTA notes
// when it loads.
constexpr const char* kStep = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry step(.param .u64 line, .param .u64 times, .param .u32 adds) {
  .reg .pred %p<4>;
  .reg .u32 %r<8>;
  .reg .u64 %d<8>;
  mov.u32 %r1, %smid;
  setp.gt.u32 %p1, %r1, 1;
  @%p1 ret;
  ld.param.u64 %d1, [line];
  ld.param.u64 %d2, [times];
  ld.param.u32 %r2, [adds];
  mul.lo.u32 %r2, %r2, %r1;
again:
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra load;
  sub.u32 %r2, %r2, 1;
  bra again;
load:
  mov.u64 %d3, %clock64;
  ld.global.cg.u32 %r3, [%d1];
  mul.wide.u32 %d4, %r1, 8;
  add.u64 %d4, %d2, %d4;
  st.global.u64 [%d4], %d3;
  ret;
})";

// As many CTAs that SMs 0 and 1, which are one TPC, have one each.
constexpr std::uint32_t kCtas = 5;

// Of loads some cycles apart: the most at which the second joined the first, the fewest at which it did not.
struct Window {
  std::int64_t joined = 0, sent = 1 << 20;
};
Window measure(L2 l2) {
  config::Config c = load_config("h200");
  GpuSpec s = config::read<GpuSpec>(c);
  s.gpu.l2_at_start = L2Start::Cold;
  s.gpu.launch_rate = 0, s.gpu.launch_interval = 1;
  s.sm.guard_delay = 0,
  s.sm.branch_latency = s.sm.untaken_latency = 2;         // short turns
  s.partition.dram.tREFI = 0, s.partition.dram.tRFC = 0;  // a refresh now and then would blur it
  s.partition.kernel_end = l2 == L2::Cold ? hierarchy::KernelEnd::Flush : hierarchy::KernelEnd::Keep;
  TimingDevice device(s, {});
  device.load_module(kStep, "step.ptx");
  const DevicePtr line = device.allocate(128, "line"), times = device.allocate(16, "times");
  device.launch({"step", {kCtas}, {1}, 0, args(line, times, 0)});
  Window w;
  for (int adds = 0; adds < 80; ++adds) {
    device.launch({"step", {kCtas}, {1}, 0, args(line, times, adds)});
    const auto at = device.download<std::uint64_t>(times, 2);
    const auto later = static_cast<std::int64_t>(at[1] - at[0]);
    const MachineStats& stats = device.launches().back().stats;
    if (stats.merger().merged != 0)
      w.joined = std::max(w.joined, later);
    else
      w.sent = std::min(w.sent, later);
  }
  return w;
}

// h200_lrc_window.csv: two SMs that each read one line, the second later. The real loop that waits looks at
// the clock every 45 cycles, so with delays up to 40 they load at the same time, from 50 to 80 one turn
// apart. With a warm L2 the first joins, the second does not; with a cold one 250 cycles merge and 400 do
// not. So a request is open until L2 answers, not until its reply has come back.
TEST(LrcProbe, ARequestCanBeJoinedUntilL2Answers) {
  const Window warm = measure(L2::Warm);
  EXPECT_LT(warm.joined, warm.sent);
  EXPECT_GT(warm.joined, 15);
  EXPECT_LE(warm.sent, 46);
  const Window cold = measure(L2::Cold);
  EXPECT_LT(cold.joined, cold.sent);
  EXPECT_GT(cold.joined, 280);
  EXPECT_LE(cold.sent, 450);
}

// h200_lrc.md, 3, warm, another TPC: 1.00 without a delay, 0 from 75 cycles on. At 25 and 50 the card merges
// 0.61, the model nothing: its waiting loop takes longer than the request is open (docs/h200.md).
TEST(LrcProbe, AWarmL2LetsNoLateSmJoin) {
  LrcProbe probe(L2::Warm);
  EXPECT_NEAR(probe.merged(2), 1, 0.02);
  for (const int delay : {75, 100, 200, 400, 1000}) EXPECT_NEAR(probe.merged(2, delay), 0, 0.02) << delay;
}

// h200_lrc.md, 3: the late SM hits in L2 and catches up with the first, which waits for DRAM.
TEST(LrcProbe, AColdL2LetsALateSmCatchUp) {
  LrcProbe probe(L2::Cold, 1 << 20);
  for (const int delay : {0, 100, 400, 1000, 1500}) EXPECT_NEAR(probe.merged(2, delay), 0.98, 0.05) << delay;
}

}  // namespace
}  // namespace heddle::gpu
