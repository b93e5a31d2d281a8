// Peak bandwidths are those of the part that limits, made so that exactly one part does. Measured as the
// slope between a short and a long run, so that filling and draining the pipes does not count.
#include <algorithm>

#include "bench.h"
#include "mem/packet.h"

namespace heddle::gpu {
namespace {

// Cycles per line that the whole machine moves in the long run.
double cycles_per_line(const GpuSpec& spec, std::string_view body, Shape shape, std::uint32_t lines_per_round,
                       std::uint32_t rounds, std::uint64_t bytes) {
  Bench b(spec);
  b.load(body);
  const auto a = b.words(bytes / 4);
  const auto cycles = [&](std::uint32_t n) {
    shape.n = n;
    return static_cast<double>(b.run(shape, a).cycles);
  };
  cycles(1);  // lines that are to be in L2 are there from now on
  const double few = cycles(rounds), many = cycles(3 * rounds);
  return (many - few) / (2.0 * rounds * lines_per_round);
}

// %rd1: the warp's first line, those of all warps following each other, in `group` lines per warp.
std::string own_lines(std::uint32_t group) {
  return "shr.u32 %r1, %gid, 5;\nmul.lo.u32 %r1, %r1, " + std::to_string(group * 128) +
         ";\nshl.b32 %r2, %lane, 2;\nadd.u32 %r1, %r1, %r2;\ncvt.u64.u32 %rd1, %r1;\nadd.u64 %rd1, %a, "
         "%rd1;\n";
}

std::uint16_t reply_flits(const GpuSpec& s) {
  mem::Request r;
  r.reply = true;
  return mem::flits(s.noc.reply.packet, r);
}
std::uint16_t write_flits(const GpuSpec& s) {
  mem::Request r;
  r.op = mem::Op::Write;
  return mem::flits(s.noc.request.packet, r);
}

// ---- L1
// -----------------------------------------------------------------------------------------------------

constexpr std::uint32_t kSms = 4, kWarps = 32;

double l1_hits(const Settings& more) {
  Settings settings = {"gpu.clusters=2", "gpu.sms_per_cluster=2", "sm.schedulers=4",
                       "gpu.flush_l1_at_kernel_end=false"};
  settings.insert(settings.end(), more.begin(), more.end());
  const std::string body = own_lines(1) + loop("%n", times(32, "ld.global.u32 %r#, [%rd1];")) + use(32);
  return cycles_per_line(lab(settings), body, {.ctas = kSms, .threads = kWarps * 32}, kSms * kWarps * 32, 20,
                         1 << 16);
}

TEST(BandwidthFormula, L1HitsOfAllSms) {
  // A line per SM and cycle. The gap: the load/store unit serves the schedulers in a fixed order, so the last
  // one finishes alone, and then the loop's three other instructions take issue slots from 32 loads.
  EXPECT_NEAR(l1_hits({}) * kSms, 1, 0.03);
  EXPECT_NEAR(l1_hits({"sm.lines_per_cycle=2"}) * kSms, 0.5, 0.025);
  EXPECT_NEAR(l1_hits({"l1.port_bytes=32B"}) * kSms, 4, 0.04);
}

// All warps read the same words, so many apart: lines go out four per cycle, and words of one bank one after
// the other.
TEST(BandwidthFormula, L1HitsTakePassesOverTheBanks) {
  const auto load = [](std::uint32_t apart) {
    const std::string body = "mul.wide.u32 %rd1, %lane, " + std::to_string(4 * apart) +
                             ";\nadd.u64 %rd1, %a, %rd1;\n" +
                             loop("%n", times(32, "ld.global.u32 %r#, [%rd1];"));
    const Settings settings = {"gpu.clusters=1",      "gpu.sms_per_cluster=1",
                               "sm.schedulers=4",     "gpu.flush_l1_at_kernel_end=false",
                               "l1.port_bytes=0B",    "l1.sets=64",
                               "sm.banked_data=true", "sm.lines_per_cycle=4"};
    return cycles_per_line(lab(settings), body, {.ctas = 1, .threads = 32 * kWarps}, kWarps * 32, 10,
                           1 << 16);
  };
  EXPECT_NEAR(l1_hits({"sm.banked_data=true", "sm.lines_per_cycle=4"}) * kSms, 1,
              0.03);               // one load per cycle
  EXPECT_NEAR(load(2), 2, 0.1);    // two words in every bank
  EXPECT_NEAR(load(9), 3, 0.1);    // nine lines, one word in every bank
  EXPECT_NEAR(load(16), 16, 0.2);  // 16 lines, two banks
  EXPECT_NEAR(load(32), 32, 0.3);
  EXPECT_NEAR(load(33), 8, 0.2);  // 32 lines, eight groups of four
  EXPECT_NEAR(load(36), 9, 0.2);  // 35 lines from the first to the last
}

// ---- networks
// -----------------------------------------------------------------------------------------------

const Settings kManySlices = {"gpu.clusters=1",
                              "gpu.sms_per_cluster=4",
                              "sm.schedulers=4",
                              "memory.partitions=8",
                              "l2.write_miss=validate",
                              "l2.port_bytes=128B",
                              "cluster.requests_per_cycle=4",
                              "l2.queue=64",
                              "noc.reply.input_buffer=32"};

// One cluster against eight slices: its own output of the reply network carries a flit per cycle.
TEST(BandwidthFormula, ReplyNetwork) {
  for (const char* flit : {"32B", "64B"}) {
    Settings settings = kManySlices;
    settings.push_back(std::string("noc.reply.flit=") + flit);
    const GpuSpec s = lab(settings);
    const std::string body =
        own_lines(4) + loop("%n", times(4, "ld.global.cg.u32 %r#, [%rd1+#*128];")) + use(4);
    const double got = cycles_per_line(s, body, {.ctas = 4, .threads = 512}, 4 * 16 * 4, 10, 1 << 16);
    EXPECT_NEAR(got, reply_flits(s), 0.03 * reply_flits(s)) << flit;
  }
}

// Stores carry their data the other way: its input of the request network takes a flit per cycle.
TEST(BandwidthFormula, RequestNetwork) {
  for (const char* flit : {"32B", "64B"}) {
    Settings settings = kManySlices;
    settings.push_back(std::string("noc.request.flit=") + flit);
    const GpuSpec s = lab(settings);
    const std::string body = own_lines(4) + loop("%n", times(4, "st.global.u32 [%rd1+#*128], %r1;"));
    const double got = cycles_per_line(s, body, {.ctas = 4, .threads = 512}, 4 * 16 * 4, 10, 1 << 16);
    EXPECT_NEAR(got, write_flits(s), 0.03 * write_flits(s)) << flit;
  }
}

// ---- L2
// -----------------------------------------------------------------------------------------------------

const Settings kManyClusters = {"gpu.clusters=8",
                                "gpu.sms_per_cluster=1",
                                "sm.schedulers=4",
                                "l2.sets=256",
                                "noc.reply.flit=136B",
                                "l2.queue=64",
                                "noc.request.virtual_channels=1"};

double l2_hits(Settings more) {
  more.insert(more.begin(), kManyClusters.begin(), kManyClusters.end());
  const std::string body =
      own_lines(2) + loop("%n", times(2, "ld.global.cg.u32 %r#, [%rd1+#*128];")) + use(2);
  return cycles_per_line(lab(more), body, {.ctas = 8, .threads = 512}, 8 * 16 * 2, 10, 1 << 16);
}

TEST(BandwidthFormula, L2DataPort) {
  EXPECT_NEAR(l2_hits({"l2.port_bytes=32B"}), 4, 0.04);
  EXPECT_NEAR(l2_hits({"l2.port_bytes=64B"}), 2, 0.04);
  EXPECT_NEAR(l2_hits({"l2.port_bytes=128B"}), 1, 0.04);  // a lookup per cycle
}

// A store's data follow its header.
TEST(BandwidthFormula, L2TakesStoresByTheirBytes) {
  const auto stores = [](const char* input) {
    Settings more = kManyClusters;
    more.insert(more.end(), {"l2.write_miss=validate", "l2.port_bytes=128B", "noc.request.flit=136B",
                             std::string("l2.input_bytes=") + input});
    const std::string body = own_lines(2) + loop("%n", times(2, "st.global.u32 [%rd1+#*128], %r1;"));
    return cycles_per_line(lab(more), body, {.ctas = 8, .threads = 512}, 8 * 16 * 2, 10, 1 << 16);
  };
  EXPECT_NEAR(stores("0B"), 1, 0.04);
  EXPECT_NEAR(stores("32B"), 5, 0.05);
  EXPECT_NEAR(stores("48B"), 4, 0.05);
}

// ---- DRAM
// ---------------------------------------------------------------------------------------------------

// Warps of `group` lines each, `apart` bytes between consecutive lines of the whole machine, every line once.
double from_dram(Settings more, std::uint64_t apart, std::uint32_t rounds) {
  more.insert(more.begin(), kManyClusters.begin(), kManyClusters.end());
  more.insert(more.end(),
              {"l2.port_bytes=128B", "l2.mshr_entries=256", "l2.miss_queue=64", "l2.kernel_end=flush"});
  constexpr std::uint32_t kAll = 8 * 8;  // warps
  const std::string step = std::to_string(apart * kAll);
  const std::string body =
      "shr.u32 %r1, %gid, 5;\ncvt.u64.u32 %rd1, %r1;\nmul.lo.u64 %rd1, %rd1, " + std::to_string(apart) +
      ";\nadd.u64 %rd1, %a, %rd1;\nmul.wide.u32 %rd2, %lane, 4;\n" + "add.u64 %rd1, %rd1, %rd2;\n" +
      loop("%n", "ld.global.cg.u32 %r1, [%rd1];\nadd.u64 %rd1, %rd1, " + step + ";");
  return cycles_per_line(lab(more), body, {.ctas = 8, .threads = 256}, kAll, rounds,
                         apart * kAll * 3 * rounds + 4096);
}
// Bursts of a line.
double bursts(const GpuSpec& s) {
  return 128.0 / s.partition.dram.burst_bytes();
}

// Without bank groups the data bus limits. The gap, up to 2%: a new row waits for its tRCD where the queue
// did not show it early enough.
TEST(BandwidthFormula, DramRowHits) {
  const Settings settings = {"dram.tCCDL=2", "dram.bank_groups=1"};
  const GpuSpec s = lab(settings);
  const double want = bursts(s) * s.partition.dram.burst_ticks();
  EXPECT_NEAR(from_dram(settings, 128, 16), want, 0.02 * want);
}

// All lines in one open row: its group takes a column command every tCCDL ticks.
TEST(BandwidthFormula, DramBankGroup) {
  for (const char* ccdl : {"3", "6"}) {
    const Settings settings = {std::string("dram.tCCDL=") + ccdl, "memory.row=64KiB"};
    const GpuSpec s = lab(settings);
    const double want = bursts(s) * s.partition.dram.tCCDL;
    EXPECT_NEAR(from_dram(settings, 128, 2), want, 0.05 * want);
  }
}

// Every line in another row of one bank.
TEST(BandwidthFormula, DramRowMissesInOneBank) {
  const GpuSpec s = lab();
  const double want = s.partition.dram.tRC;
  EXPECT_NEAR(from_dram({}, s.memory.row.count() * s.memory.banks, 4), want, 0.02 * want);
}

// Every line in another row, banks in turn: rows are opened every tRRD ticks, or four in tFAW. The gap:
// column commands go first on the command bus, and a row is then opened a tick later.
TEST(BandwidthFormula, DramRowMissesInAllBanks) {
  const std::uint64_t row = lab().memory.row.count();
  EXPECT_NEAR(from_dram({"dram.tRRD=20"}, row, 8), 20, 1);
  EXPECT_NEAR(from_dram({"dram.tFAW=80"}, row, 8), 20, 1);
}

}  // namespace
}  // namespace heddle::gpu
