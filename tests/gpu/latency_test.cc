// Unloaded latencies are the sum of what the configuration gives to each part on the way.
#include "bench.h"
#include "formulas.h"
#include "gpu/presets.h"

namespace heddle::gpu {
namespace {

// Cycles per load of a chain of dependent loads by one thread, from chains of 64 and 128.
double per_load(const GpuSpec& spec, std::uint64_t lines, std::uint64_t stride, std::string_view load) {
  const auto cycles = [&](std::uint32_t n) {
    Bench b(spec);
    b.load("mov.u64 %rd1, %a;\n" + times(n, load));
    const auto a = b.chain(lines, stride);
    return static_cast<double>(b.run({.threads = 1}, a).cycles);
  };
  return (cycles(128) - cycles(64)) / 64;
}
constexpr std::string_view kLoad = "ld.global.u64 %rd1, [%rd1];";
// Nothing between two loads but their latency: instructions are there when they are needed.
const Settings kPlain = {"sm.icache_bytes=0B", "gpu.launch_overhead=0"};
Settings plain(Settings more) {
  more.insert(more.begin(), kPlain.begin(), kPlain.end());
  return more;
}

TEST(LatencyFormula, L1HitInTheLab) {
  const GpuSpec s = lab(plain({"l1.latency=17"}));
  EXPECT_EQ(per_load(s, 1, 128, kLoad), l1_hit(s));
  EXPECT_EQ(l1_hit(s), 18);
}

// Each part of the way counts with exactly its own number.
TEST(LatencyFormula, L2HitInTheLab) {
  const auto at = [](const Settings& more) {
    GpuSpec s = lab(plain({"gpu.l2_at_start=host_copies"}));
    for (const std::string& m : more) s = lab(plain({"gpu.l2_at_start=host_copies", m}));
    const double measured = per_load(s, 129, 128, kLoad);
    EXPECT_EQ(measured, l2_hit(s)) << (more.empty() ? "" : more[0]);
    return measured;
  };
  const double base = at({});
  EXPECT_EQ(at({"latency.sm_to_cluster=9"}) - base, 5);
  EXPECT_EQ(at({"latency.cluster_to_network=9"}) - base, 5);
  EXPECT_EQ(at({"latency.network_to_partition=19"}) - base, 11);
  EXPECT_EQ(at({"latency.partition_to_network=19"}) - base, 11);
  EXPECT_EQ(at({"latency.network_to_cluster=9"}) - base, 5);
  EXPECT_EQ(at({"latency.cluster_to_sm=9"}) - base, 5);
  EXPECT_EQ(at({"l1.fill_latency=3"}) - base, 3);
  EXPECT_EQ(at({"l2.latency=30"}) - base, 20);
  EXPECT_EQ(at({"sm.pipeline=6"}) - base, 6);
  EXPECT_EQ(at({"noc.reply.flit=8B"}) - base, 12);  // 17 flits instead of 5
}

TEST(LatencyFormula, DramInTheLab) {
  const GpuSpec s = lab(plain({"memory.row=64KiB"}));
  EXPECT_EQ(per_load(s, 129, 128, kLoad), dram_row_hit(s));
  const std::uint64_t rows_apart = s.memory.row.count() * s.memory.banks;
  EXPECT_EQ(per_load(s, 129, rows_apart, kLoad), dram_row_conflict(s));
  EXPECT_EQ(dram_row_conflict(s) - dram_row_hit(s), 24);
}

// The lines of one's own side.
GpuSpec one_side(GpuSpec s) {
  s.partition.l2.sides = 1;
  return s;
}

class EveryPreset : public testing::TestWithParam<std::string> {};

// Where a clock is not the core's, a message may wait for the next tick where it enters a domain, and leaves
// in the core cycle that holds the tick: up to a cycle earlier, up to a tick later for each domain.
TEST_P(EveryPreset, LatenciesAreThoseOfTheConfiguration) {
  const GpuSpec warm = one_side(spec_of(GetParam(), plain({"gpu.l2_at_start=host_copies"})));
  if (warm.l1.enabled && !warm.l1.bypass_global) {
    EXPECT_EQ(per_load(warm, 1, 128, kLoad), l1_hit(warm));
  }
  const GpuSpec cold = one_side(spec_of(GetParam(), plain({"gpu.l2_at_start=cold", "dram.tREFI=0"})));
  double early = 1e-9, late = 1e-9;
  const auto domain = [&](Frequency f) {
    if (f.count() == 0 || f == cold.gpu.clock) return;
    early += 1;
    late += std::max(1.0, cycles_per_tick(cold, f));
  };
  domain(cold.noc.request.clock);
  domain(cold.noc.reply.clock);
  domain(cold.partition.l2_clock);
  if (warm.l2().enabled) {
    const double l2 = per_load(warm, 129, 128, kLoad);
    EXPECT_GE(l2, l2_hit(warm) - early);
    EXPECT_LE(l2, l2_hit(warm) + late);
  }
  domain(cold.partition.dram.clock);
  // One row after another in one bank of one partition; with hashes, in banks that may still be closed.
  const std::uint64_t apart = std::uint64_t{cold.slices()} * cold.memory.row.count() * cold.memory.banks;
  const double dram = per_load(cold, 129, apart, kLoad);
  const bool hashed = cold.memory.bank_hash || cold.memory.hash != mem::PartitionHash::Linear;
  const double close = cold.partition.dram.tRP * cycles_per_tick(cold, cold.partition.dram.clock);
  EXPECT_GE(dram, dram_row_conflict(cold) - (hashed ? close : 0) - early);
  EXPECT_LE(dram, dram_row_conflict(cold) + late);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPreset, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Preset& p : presets()) names.emplace_back(p.name);
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace heddle::gpu
