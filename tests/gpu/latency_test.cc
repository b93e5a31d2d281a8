// Unloaded latencies are the sum of what the configuration gives to each part on the way.
#include "bench.h"
#include "gpu/presets.h"
#include "mem/packet.h"

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

// From issue to issue. The load/store unit looks at an instruction in the cycle after its issue.
double l1_hit(const GpuSpec& s) {
  return 1 + s.l1.latency + s.sm.pipeline;
}

// Core cycles per tick of another clock.
double cycles_per_tick(const GpuSpec& s, Frequency f) {
  return f.count() == 0 ? 1.0 : static_cast<double>(s.gpu.clock.count()) / static_cast<double>(f.count());
}

// All but the slice itself: the load/store unit's cycle, six channels, a cycle in the cluster's port each way
// (in by one stage, out by the next in the following cycle), 1 + flits in each network.
double way_there_and_back(const GpuSpec& s) {
  const LatencySpec& l = s.latency;
  mem::Request r;
  r.sectors = s.l1.enabled && !s.l1.bypass_global && !s.l1.tags.sectored ? 0xf : 1;
  const double request = 1 + mem::flits(s.noc.request.packet, r);
  r.reply = true;
  const double reply = 1 + mem::flits(s.noc.reply.packet, r);
  return 1 + l.sm_to_cluster + 1 + l.cluster_to_network + request * cycles_per_tick(s, s.noc.request.clock) +
         l.network_to_partition + l.partition_to_network + reply * cycles_per_tick(s, s.noc.reply.clock) +
         l.network_to_cluster + 1 + l.cluster_to_sm + s.l1.fill_latency + s.sm.pipeline;
}
double l2_hit(const GpuSpec& s) {
  return way_there_and_back(s) + s.l2().latency * cycles_per_tick(s, s.partition.l2_clock);
}

// Bytes that L2 asks of DRAM for the 8 bytes of a load.
std::uint32_t fetched(const GpuSpec& s) {
  const bool line = !s.l2().tags.sectored || (s.l1.enabled && !s.l1.bypass_global && !s.l1.tags.sectored);
  return line ? 128 : 32;
}
// Ticks from the tick in which a row is open to the last data of a fetch.
double column_and_data(const dram::DramSpec& d, std::uint32_t bytes) {
  const std::uint32_t bursts = (bytes + d.burst_bytes() - 1) / d.burst_bytes();
  return d.tCL + (bursts - 1) * std::max(d.tCCDL, d.burst_ticks()) + d.burst_ticks() + d.minimum_latency;
}
// A miss passes through the slice's pipeline once, with its data.
double dram_row_hit(const GpuSpec& s) {
  const dram::DramSpec& d = s.partition.dram;
  return l2_hit(s) + column_and_data(d, fetched(s)) * cycles_per_tick(s, d.clock);
}
double dram_row_conflict(const GpuSpec& s) {
  const dram::DramSpec& d = s.partition.dram;
  return dram_row_hit(s) + (d.tRP + d.tRCD) * cycles_per_tick(s, d.clock);
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

class EveryPreset : public testing::TestWithParam<std::string> {};

// Where a clock is not the core's, a message may wait for the next tick where it enters a domain, and leaves
// in the core cycle that holds the tick: up to a cycle earlier, up to a tick later for each domain.
TEST_P(EveryPreset, LatenciesAreThoseOfTheConfiguration) {
  const GpuSpec warm = spec_of(GetParam(), plain({"gpu.l2_at_start=host_copies"}));
  if (warm.l1.enabled && !warm.l1.bypass_global) {
    EXPECT_EQ(per_load(warm, 1, 128, kLoad), l1_hit(warm));
  }
  const GpuSpec cold = spec_of(GetParam(), plain({"gpu.l2_at_start=cold", "dram.tREFI=0"}));
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
