// Effects between the SMs and memory, shown on the whole machine: switching one off changes the cycles by
// what the description predicts. docs/effects.md lists all effects and their tests.
#include <fmt/format.h>

#include "bench.h"
#include "formulas.h"

namespace heddle::gpu {
namespace {

constexpr std::string_view kWarm = "gpu.l2_at_start=host_copies";

// Cycles of one thread that loads `lines` lines, `stride` bytes apart, independently, and waits for all.
sim::Cycle independent(Settings settings, std::uint32_t lines, std::uint32_t stride) {
  settings.emplace_back(kWarm);
  Bench b(lab(settings));
  b.load(times(lines, "ld.global.u32 %r#, [%a+#*" + std::to_string(stride) + "];") + use(lines));
  const auto a = b.words(std::vector<std::uint32_t>(lines * stride / 4 + 1));
  return b.run({.threads = 1}, a).cycles;
}
// From the L1's miss to the reply's arrival there.
sim::Cycle round_trip(const GpuSpec& s) {
  return static_cast<sim::Cycle>(l2_hit(s)) - 1;
}
// Replies of one slice follow each other at its data port or at their flits, whichever is slower.
constexpr sim::Cycle kReplyInterval = 5;  // 136 bytes in flits of 32; the port needs 4

// ---- L1
// -----------------------------------------------------------------------------------------------------

// With one MSHR, a miss begins in the cycle of the reply before; else replies follow at the network's rate.
TEST(L1Effects, MshrLimit) {
  const sim::Cycle one = independent({"l1.mshr_entries=1"}, 10, 128), many = independent({}, 10, 128);
  EXPECT_EQ(one - many, 9 * (round_trip(lab()) - kReplyInterval));
}

// Loads of one line under way: with room for them in the MSHR all are answered at once; else the next waits
// for the reply and then hits. Meanwhile the sum over those that were answered goes on, 4 cycles each.
TEST(L1Effects, MshrMerging) {
  const auto at = [](const char* merges) {
    return independent({std::string("l1.mshr_merges=") + merges}, 4, 0);
  };
  const GpuSpec s = lab();
  EXPECT_EQ(at("1") - at("4"), s.l1.latency - 4);
  EXPECT_EQ(at("2") - at("4"), s.l1.latency - 2 * 4);
}

// Both lines in one set of one way: the second cannot reserve it before the first has come.
TEST(L1Effects, ReservationFailure) {
  const auto at = [](const char* allocate) {
    return independent({"l1.sets=4", "l1.ways=1", std::string("l1.allocate=") + allocate}, 2, 512);
  };
  EXPECT_EQ(at("on_miss") - at("on_fill"), round_trip(lab()) - kReplyInterval);
}

// Twelve lines 8 KiB apart are in one set of 64 x 6 without a hash: the second pass misses them all.
TEST(L1Effects, HashedIndex) {
  const auto at = [](const char* index) {
    Bench b(lab({std::string("l1.index=") + index, std::string(kWarm)}));
    b.load("mov.u64 %rd1, %a;\n" + times(24, "ld.global.u64 %rd1, [%rd1];") + "add.u64 %rd1, %rd1, 1;");
    const auto a = b.chain(12, 8192);
    return b.run({.threads = 1}, a).cycles;
  };
  const GpuSpec s = lab();
  EXPECT_EQ(at("linear") - at("fermi"), 12 * (l2_hit(s) - l1_hit(s)));
}

// A store to a line that is there: evicted, the next load misses.
TEST(L1Effects, WritePolicy) {
  const auto at = [](const char* write) {
    Bench b(lab({std::string("l1.write=") + write, std::string(kWarm)}));
    b.load(
        "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], %r1;\nmembar.gl;\nld.global.u32 %r1, [%a];\nadd.u32 "
        "%r1, %r1, 1;");
    return b.run({.threads = 1}, b.words(std::vector<std::uint32_t>(32))).cycles;
  };
  const GpuSpec s = lab();
  EXPECT_EQ(at("evict") - at("through"), l2_hit(s) - l1_hit(s));
}

// A chain of loads over the lines of a page: every miss has the next `degree` lines fetched behind its own,
// one reply after the other. Where each load follows at once, it finds its line on its way and takes as long
// as the replies are apart; with two additions between loads the lines are there before, and are hits.
TEST(L1Effects, NextLinePrefetching) {
  constexpr std::uint32_t kLines = 24;
  const auto at = [](Settings settings, std::uint32_t additions) {
    settings.emplace_back(kWarm);
    Bench b(lab(settings));
    b.load("mov.u64 %rd1, %a;\n" +
           times(kLines, "ld.global.u64 %rd1, [%rd1];\n" + times(additions, "add.u64 %rd1, %rd1, 0;")) +
           "add.u64 %rd1, %rd1, 1;");
    const auto a = b.chain(kLines, 128);
    const LaunchResult& r = b.run({.threads = 1}, a);
    return std::pair(r.cycles, r.stats.groups.get<cache::PrefetchStats>("prefetch"));
  };
  const GpuSpec s = lab();
  for (const std::uint32_t additions : {0u, 2u}) {
    const sim::Cycle none = at({}, additions).first;
    const double each = l2_hit(s) - (additions == 0 ? static_cast<double>(kReplyInterval) : l1_hit(s));
    for (const std::uint32_t degree : {1u, 2u, 3u, 5u, 7u}) {
      const auto [ahead, p] =
          at({"l1.prefetcher=next_line", "l1.next_line.degree=" + std::to_string(degree)}, additions);
      const std::uint32_t met = kLines / (degree + 1) * degree;
      EXPECT_EQ(none - ahead, met * each) << degree << " lines ahead, " << additions << " additions";
      EXPECT_EQ(additions == 0 ? p.late : p.useful, met);
    }
  }
}

// No prefetch leaves its page: with all lines of a chain in pages of their own nothing changes.
TEST(L1Effects, PrefetchesStayInTheirPage) {
  const auto at = [](const char* prefetcher) {
    Bench b(lab({std::string("l1.prefetcher=") + prefetcher, std::string(kWarm)}));
    b.load("mov.u64 %rd1, %a;\n" + times(8, "ld.global.u64 %rd1, [%rd1+3968];") + "add.u64 %rd1, %rd1, 1;");
    const auto a = b.words(8 * 1024);
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t next = static_cast<std::uint64_t>(a) + (i + 1) % 8 * 4096;
      b.device().copy_in(a + i * 4096 + 3968, &next, 8);
    }
    return b.run({.threads = 1}, a).cycles;
  };
  EXPECT_EQ(at("none"), at("next_line"));
}

// ---- cluster and network
// ----------------------------------------------------------------------------------------

// Lines of L2 follow each other at their five flits; a packet that holds the ports longer is late by as much,
// and so is everyone behind it.
TEST(NetworkEffects, PacketSetup) {
  constexpr std::uint32_t kLines = 10;
  const sim::Cycle none = independent({}, kLines, 128);
  for (const std::uint32_t setup : {1u, 2u, 5u})
    EXPECT_EQ(independent({"noc.reply.crossbar.packet_setup=" + std::to_string(setup)}, kLines, 128) - none,
              kLines * setup);
  // Of requests, which have one flit, the ports carry more than comes back.
  EXPECT_EQ(independent({"noc.request.crossbar.packet_setup=3"}, kLines, 128) - none, 3u);
}

// Four SMs of a cluster read the same lines: merged, a line crosses the reply network once instead of four
// times.
TEST(ClusterEffects, RequestCoalescer) {
  constexpr std::uint32_t kLines = 48;
  const auto at = [](const char* merger) {
    Bench b(lab({std::string("cluster.merger=") + merger, "gpu.sms_per_cluster=4", "memory.partitions=4",
                 "cluster.requests_per_cycle=4", std::string(kWarm)}));
    b.load("mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd1, %rd1, %a;\n" +
           times(kLines, "ld.global.cg.u32 %r#, [%rd1+#*128];") + use(kLines));
    const auto a = b.words(std::vector<std::uint32_t>(kLines * 32));
    const LaunchResult& r = b.run({.ctas = 4, .threads = 32}, a);
    return std::pair(static_cast<double>(r.cycles), r.stats.l2().reads.requests);
  };
  const auto [plain, plain_reads] = at("plain");
  const auto [merged, merged_reads] = at("lrc");
  EXPECT_EQ(plain_reads, 4 * kLines);
  EXPECT_EQ(merged_reads, kLines);
  EXPECT_NEAR(plain - merged, 3.0 * kLines * kReplyInterval, 0.02 * 3 * kLines * kReplyInterval);
}

// ---- L2
// -----------------------------------------------------------------------------------------------------

// What lies in L2 from the host's copies saves the DRAM's part of every first load.
TEST(L2Effects, ContentsAtStart) {
  const auto at = [](const char* start) {
    Bench b(lab({std::string("gpu.l2_at_start=") + start, "memory.row=64KiB"}));
    b.load("mov.u64 %rd1, %a;\n" + times(32, "ld.global.u64 %rd1, [%rd1];") + "add.u64 %rd1, %rd1, 1;");
    const auto a = b.chain(33, 128);
    return b.run({.threads = 1}, a).cycles;
  };
  const GpuSpec s = lab();
  // The first line opens the row.
  EXPECT_EQ(at("cold") - at("host_copies"), 32 * (dram_row_hit(s) - l2_hit(s)) + s.partition.dram.tRCD);
}

// Atomics of all SMs to one slice: its pipeline takes the next one so many cycles later.
TEST(L2Effects, AtomicInterval) {
  constexpr std::uint32_t kAll = 4 * 4 * 25;
  const auto at = [](const char* interval) {
    Bench b(lab({std::string("l2.atomic_interval=") + interval, "gpu.clusters=4"}));
    b.load(loop("25", "red.global.add.u32 [%a], 1;"));
    const auto a = b.words(32);
    const sim::Cycle cycles = b.run({.ctas = 4, .threads = 128}, a).cycles;
    EXPECT_EQ(b.read(a, 1)[0], kAll * 32);
    return static_cast<double>(cycles);
  };
  EXPECT_NEAR(at("30") - at("20"), 10.0 * kAll, 0.01 * 10 * kAll);
}

// A store of a line that goes to memory: its warp ends with the acknowledgement, which waits for the row, the
// write latency and two bursts, or for nothing of it.
TEST(L2Effects, WriteMissAcknowledgement) {
  const auto at = [](const char* ack, std::uint32_t tRCDW) {
    Bench b(lab({"l2.write_miss=no_allocate", std::string("l2.write_miss_ack=") + ack,
                 "dram.tRCDW=" + std::to_string(tRCDW)}));
    b.load("mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %a, %rd1;\nst.global.u32 [%rd1], %gid;");
    return b.run({.threads = 32}, b.words(32)).cycles;
  };
  const dram::DramSpec d = lab().partition.dram;
  const sim::Cycle data = d.tCCDL + d.tWL + d.burst_ticks();
  EXPECT_EQ(at("memory", 0) - at("accepted", 0), d.tRCD + data);
  for (const std::uint32_t ticks : {7u, 19u})
    EXPECT_EQ(at("memory", ticks) - at("accepted", 0), ticks + data);
  EXPECT_EQ(at("accepted", 7), at("accepted", 0));
}

// Stores of whole lines that miss: fetched as well, each costs the bus a read (4 ticks) besides its write.
TEST(L2Effects, WriteMissFetch) {
  constexpr std::uint32_t kLines = 512;
  const auto at = [](const char* policy) {
    Bench b(lab({std::string("l2.write_miss=") + policy, "gpu.clusters=4", "dram.bank_groups=1",
                 "dram.tCCDL=2", "noc.request.flit=136B", "dram.write_drain_high=48",
                 "dram.write_drain_low=8", "l2.mshr_entries=128", "l2.miss_queue=64"}));
    b.load("mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %a, %rd1;\nst.global.u32 [%rd1], %gid;");
    const auto a = b.words(kLines * 32);
    const LaunchResult& r = b.run({.ctas = 64, .threads = 256}, a);
    EXPECT_EQ(r.stats.dram().read_bytes, policy == std::string("fetch") ? kLines * 128 : 0);
    return static_cast<double>(r.cycles);
  };
  const double more = at("fetch") - at("no_allocate");
  EXPECT_GE(more, 0.7 * kLines * 4);
  EXPECT_LE(more, 1.6 * kLines * 4);  // turnarounds between the groups of writes
}

// ---- DRAM
// -----------------------------------------------------------------------------------------------------

// A chain of loads over two places 16 KiB apart: in different banks where rows follow each other, in one
// bank where the bits there choose the row; then every load after the first closes the other's row.
TEST(DramEffects, BitsChooseTheBank) {
  constexpr std::uint32_t kLoads = 10;
  const auto at = [](const char* bits) {
    Bench b(lab({fmt::format("memory.bits=\"{}\"", bits), "l2.sets=1", "l2.ways=1"}));
    b.load("mov.u64 %rd1, %a;\n" + times(kLoads, "ld.global.cg.u64 %rd1, [%rd1];") +
           "add.u64 %rd1, %rd1, 1;");
    return b.run({.threads = 1}, b.chain(2, 16384)).cycles;
  };
  const dram::DramSpec d = lab().partition.dram;
  EXPECT_EQ(at("BBRRB.BCCCC.CCCCCCCC") - at(""), (kLoads - 1) * (d.tRP + d.tRCD) - d.tRCD);
}

// Two rows of one bank, asked for in turn: in order every line opens its row (tRC each), by FR-FCFS those of
// one row follow each other.
TEST(DramEffects, FrFcfs) {
  constexpr std::uint32_t kLines = 32;
  const auto at = [](const char* scheduler) {
    Bench b(lab({std::string("dram.scheduler=") + scheduler, "l2.miss_queue=64", "l2.mshr_entries=64"}));
    const std::uint64_t apart = b.spec().memory.row.count() * b.spec().memory.banks;
    // Even lanes in one row, odd lanes in the next, a line each.
    b.load("and.b32 %r1, %lane, 1;\nmul.wide.u32 %rd1, %r1, " + std::to_string(apart) +
           ";\nmul.wide.u32 %rd2, %lane, 128;\nadd.u64 %rd1, %rd1, %rd2;\nadd.u64 %rd1, %rd1, %a;\n"
           "ld.global.cg.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, 1;");
    const auto a = b.words(apart / 4 + 4096);
    const LaunchResult& r = b.run({}, a);
    return std::pair(r.cycles, r.stats.dram().activations);
  };
  const auto [fifo, fifo_rows] = at("fifo");
  const auto [best, best_rows] = at("fr_fcfs");
  const dram::DramSpec d = lab().partition.dram;
  EXPECT_EQ(fifo_rows, kLines);
  EXPECT_LE(best_rows, 6u);
  // All but the rows that FR-FCFS opens as well, less what its columns take at tCCDL.
  const double saved = static_cast<double>((fifo_rows - best_rows) * d.tRC) - kLines * 2.0 * d.tCCDL;
  EXPECT_NEAR(static_cast<double>(fifo - best), saved, 0.15 * saved);
}

// A refresh closes all banks for tRFC: in a long stream of row hits the bus loses tRFC of every tREFI, and
// the time to close and open the rows again.
TEST(DramEffects, Refresh) {
  const auto at = [](const Settings& settings) {
    Settings all = {"gpu.clusters=8",     "sm.schedulers=4",     "dram.bank_groups=1",  "dram.tCCDL=2",
                    "l2.port_bytes=128B", "noc.reply.flit=136B", "l2.mshr_entries=128", "l2.miss_queue=64"};
    all.insert(all.end(), settings.begin(), settings.end());
    Bench b(lab(all));
    b.load(
        "mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %a, %rd1;\nld.global.cg.u32 %r1, [%rd1];\nadd.u32 %r1, "
        "%r1, 1;");
    const auto a = b.words(32 * 4096);
    const LaunchResult& r = b.run({.ctas = 512, .threads = 256}, a);
    return std::pair(static_cast<double>(r.cycles), static_cast<double>(r.stats.dram().refreshes));
  };
  const auto [off, none] = at({"dram.tREFI=0"});
  const auto [on, refreshes] = at({"dram.tREFI=2000", "dram.tRFC=200"});
  EXPECT_EQ(none, 0);
  const dram::DramSpec d = lab().partition.dram;
  EXPECT_NEAR(on - off, refreshes * (200 + d.tRP + d.tRCD), 0.1 * refreshes * 200);
}

// Reads and writes in turn, each waiting for the one before, cost the bus's turnaround; its own test is in
// tests/dram. Here: a load after a store's acknowledgement finds the bus turned.
TEST(DramEffects, Turnaround) {
  const auto at = [](const char* wtr) {
    Bench b(lab({std::string("dram.tWTR=") + wtr, "l2.enabled=false", "memory.row=64KiB", "dram.queue=1"}));
    b.load("mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\n" +
           times(4, "st.global.u32 [%a+#*256], %r1;\nld.global.cg.u32 %r#, [%a+#*256];") + use(4));
    return b.run({.threads = 1}, b.words(4096)).cycles;
  };
  EXPECT_EQ(at("45") - at("5"), 4 * 40u);
}

// ---- what is counted of DRAM
// ----------------------------------------------------------------------------------------

// A load alone: its time in the partition is the row, the column, the data and the way out; its bank is busy
// up to its last command, and all others are idle for the whole launch.
TEST(DramEffects, AccessTimeAndIdleBanksOfALoad) {
  for (const bool direct : {false, true}) {
    Settings settings;
    if (direct) settings = {"l2.enabled=false", "l2.merging=false"};
    Bench b(lab(settings));
    b.load("ld.global.u32 %r0, [%a];" + use(1));
    const LaunchResult& r = b.run({.threads = 1}, b.words(32));
    const GpuSpec& s = b.spec();
    const dram::DramSpec& d = s.partition.dram;
    const hierarchy::PartitionStats& p = r.stats.partition();
    EXPECT_EQ(p.reads, 1u);
    const std::uint32_t bytes = static_cast<std::uint32_t>(r.stats.dram().read_bytes);
    EXPECT_EQ(static_cast<double>(p.read_cycles), d.tRCD + column_and_data(d, bytes) + s.l2().latency);
    const std::uint32_t bursts = bytes / d.burst_bytes();
    const std::uint64_t busy = d.tRCD + (bursts - 1) * std::max(d.tCCDL, d.burst_ticks()) + 1;
    EXPECT_EQ(r.stats.dram().bank_busy_ticks, busy);
    EXPECT_EQ(r.stats.dram().bank_idle_ticks, d.banks * r.cycles - busy);
  }
}

// Loads of one line under way: one access to DRAM, or each its own, tCCDL after the other.
TEST(DramEffects, WithoutL2RequestsMergeOrNot) {
  const auto at = [](const char* merging) {
    Bench b(lab({"l1.enabled=false", "l2.enabled=false", std::string("l2.merging=") + merging}));
    b.load(times(8, "ld.global.u32 %r#, [%a];") + use(8));
    return b.run({.threads = 1}, b.words(32)).stats.dram().reads;
  };
  EXPECT_EQ(at("true"), 1u);
  EXPECT_EQ(at("false"), 8u);
}

}  // namespace
}  // namespace heddle::gpu
