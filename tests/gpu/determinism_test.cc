// The same results to the last counter, whatever the number of host threads and which units run on which.
#include <algorithm>

#include <fmt/format.h>

#include "bench.h"
#include "gpu/catalog.h"
#include "slot_cases.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

// A program whose outcome depends on the order in which CTAs meet in memory.
struct Program {
  std::string name;
  std::string body;
  Shape shape;
  std::string globals = {};
  std::size_t words = 256;  // at %a, and as many at %b
};
void PrintTo(const Program& p, std::ostream* out) {
  *out << p.name;
}

// Enough units to share among threads, and clocks of different speed.
GpuSpec machine(const Settings& more = {}) {
  Settings all = {"gpu.clusters=6", "gpu.sms_per_cluster=3",  "sm.schedulers=2",  "memory.partitions=4",
                  "l2.slices=2",    "noc.reply.clock=700MHz", "dram.clock=924MHz"};
  all.insert(all.end(), more.begin(), more.end());
  return lab(all);
}
constexpr std::uint32_t kCtas = 54;  // three on each SM

// A lock at %a and what it guards `apart` bytes on.
std::string lock(const std::string& apart) {
  return R"(
add.u64 %rd1, %a, )" +
         apart + R"(;
LOCK:
atom.global.cas.b32 %r1, [%a], 0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra LOCK;
membar.gl;
ld.volatile.global.u32 %r2, [%rd1];
mad.lo.u32 %r2, %r2, 3, %cta;
st.volatile.global.u32 [%rd1], %r2;
membar.gl;
atom.global.exch.b32 %r3, [%a], 0;
)";
}

// Round # reads what the CTA seven places on wrote in the round before.
const std::string kGridBarrier = R"(
membar.gl;
bar.sync 0;
setp.ne.u32 %p1, %tid, 0;
@%p1 bra WAIT#;
atom.global.add.u32 %r1, [%a], 1;
mad.lo.u32 %r4, %ctas, #, %ctas;
SPIN#:
ld.volatile.global.u32 %r2, [%a];
setp.lt.u32 %p2, %r2, %r4;
@%p2 bra SPIN#;
WAIT#:
bar.sync 0;
mul.wide.u32 %rd1, %gid, 4;
add.u64 %rd1, %rd1, %b;
add.u64 %rd1, %rd1, 13824;
add.u32 %r5, %cta, 7;
rem.u32 %r5, %r5, %ctas;
mad.lo.u32 %r5, %r5, %threads, %tid;
mul.wide.u32 %rd2, %r5, 4;
add.u64 %rd2, %rd2, %b;
ld.volatile.global.u32 %r6, [%rd2+#*13824];
mad.lo.u32 %r6, %r6, 5, %gid;
st.global.u32 [%rd1+#*13824], %r6;
)";

std::vector<Program> programs() {
  std::vector<Program> all;
  // Each CTA waits for its predecessor's flag, adds to its data and passes them on.
  all.push_back({"MessagePassing",
                 R"(
mul.wide.u32 %rd1, %cta, 8;
add.u64 %rd1, %rd1, %a;
setp.eq.u32 %p1, %cta, 0;
mov.u32 %r2, 0;
@%p1 bra SEND;
WAIT:
ld.volatile.global.u32 %r1, [%rd1];
setp.eq.u32 %p2, %r1, 0;
@%p2 bra WAIT;
membar.gl;
ld.volatile.global.u32 %r2, [%rd1+4];
SEND:
mad.lo.u32 %r2, %r2, 3, %cta;
st.volatile.global.u32 [%rd1+12], %r2;
membar.gl;
mov.u32 %r3, 1;
st.volatile.global.u32 [%rd1+8], %r3;
)",
                 {.ctas = kCtas, .threads = 1}});
  // The last one to arrive resets the counter; who was last shows.
  all.push_back({"CounterReset",
                 R"(
atom.global.inc.u32 %r1, [%a], 10;
mul.wide.u32 %rd1, %cta, 4;
add.u64 %rd1, %rd1, %b;
st.global.u32 [%rd1], %r1;
setp.ne.u32 %p1, %r1, 10;
@%p1 bra END;
atom.global.exch.b32 %r2, [%a+4], %cta;
END:
)",
                 {.ctas = 200, .threads = 1}});
  all.push_back({"Histogram",
                 "mul.lo.u32 %r1, %gid, 2654435761;\nshr.u32 %r1, %r1, 27;\nmul.wide.u32 %rd1, %r1, 4;\n"
                 "add.u64 %rd1, %rd1, %a;\nred.global.add.u32 [%rd1], 1;\n"
                 "atom.global.add.u32 %r2, [%rd1], %r1;\nmul.wide.u32 %rd2, %gid, 4;\n"
                 "add.u64 %rd2, %rd2, %b;\nst.global.u32 [%rd2], %r2;",
                 {.ctas = kCtas, .threads = 64},
                 {},
                 64 * kCtas});
  all.push_back({"CasLock", lock("128"), {.ctas = kCtas, .threads = 1}});
  // Those who try to get the lock must not keep its holder from the same line.
  all.push_back({"CasLockInOneLine", lock("4"), {.ctas = kCtas, .threads = 1}});
  // The sum of floats depends on their order: the exact bits must repeat.
  all.push_back({"FloatAtomicAdd",
                 "cvt.rn.f32.u32 %f1, %gid;\nrcp.approx.f32 %f1, %f1;\nadd.u32 %r1, %gid, 1;\n"
                 "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3f800000;\ndiv.rn.f32 %f1, %f2, %f1;\n"
                 "atom.global.add.f32 %f3, [%a], %f1;\nmul.wide.u32 %rd2, %gid, 4;\n"
                 "add.u64 %rd2, %rd2, %b;\nst.global.f32 [%rd2], %f3;",
                 {.ctas = kCtas, .threads = 64},
                 {},
                 64 * kCtas});
  all.push_back({"GridBarrier", times(4, kGridBarrier), {.ctas = kCtas, .threads = 64}, {}, 5 * 64 * kCtas});
  return all;
}

struct Outcome {
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  std::vector<std::uint32_t> memory;
  bool operator==(const Outcome&) const = default;
};

MachineOptions with(std::uint32_t threads, std::uint32_t map) {
  MachineOptions options;
  options.threads = threads;
  options.thread_map = map;
  return options;
}

Outcome outcome(const Program& p, const GpuSpec& spec, const MachineOptions& options) {
  Bench b(spec, options);
  b.load(p.body, p.globals);
  const auto a = b.words(p.words), second = b.words(p.words);
  const LaunchResult& r = b.run(p.shape, a, second);
  Outcome o{counters(r.stats), b.read(a, p.words)};
  const auto more = b.read(second, p.words);
  o.memory.insert(o.memory.end(), more.begin(), more.end());
  return o;
}

void expect_equal(const Outcome& got, const Outcome& want, const std::string& what) {
  ASSERT_EQ(got.counters.size(), want.counters.size());
  for (std::size_t i = 0; i < want.counters.size(); ++i)
    EXPECT_EQ(got.counters[i], want.counters[i]) << what << ": " << want.counters[i].first;
  EXPECT_EQ(got.memory, want.memory) << what;
}

class EveryProgram : public testing::TestWithParam<Program> {};

TEST_P(EveryProgram, GivesTheSameOnAnyThreads) {
  const Outcome one = outcome(GetParam(), machine(), with(1, 0));
  expect_equal(outcome(GetParam(), machine(), with(1, 0)), one, "again");
  for (std::uint32_t threads : {2u, 3u})
    for (std::uint32_t map : {0u, 1u, 2u})
      expect_equal(outcome(GetParam(), machine(), with(threads, map)), one,
                   std::to_string(threads) + " threads, map " + std::to_string(map));
}

class EverySlot : public testing::TestWithParam<SlotCase> {};

// Small kernels that meet in memory, with the L1s in use: any implementation of any slot.
TEST_P(EverySlot, GivesTheSameOnAnyThreads) {
  const Program p{"Neighbours",
                  "mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r1, [%rd1];\n"
                  "ld.global.u32 %r2, [%a+128];\natom.global.add.u32 %r3, [%b], 1;\n"
                  "add.u32 %r1, %r1, %r3;\nst.global.u32 [%rd1], %r1;\nld.global.u32 %r4, [%rd1+64];\n"
                  "add.u32 %r2, %r2, %r4;\nmul.wide.u32 %rd2, %gid, 4;\nadd.u64 %rd2, %rd2, %b;\n"
                  "st.global.u32 [%rd2+128], %r2;",
                  {.ctas = kCtas, .threads = 64},
                  {},
                  64 * kCtas + 64};
  const GpuSpec spec = machine(GetParam().settings);
  const Outcome one = outcome(p, spec, with(1, 0));
  expect_equal(outcome(p, spec, with(3, 1)), one, "3 threads");
  MachineOptions slow;
  slow.every_cycle = true;
  expect_equal(outcome(p, spec, slow), one, "every cycle");
}

INSTANTIATE_TEST_SUITE_P(Determinism, EverySlot, testing::ValuesIn(every_implementation()),
                         [](const auto& test) { return test_name(test.param); });

// Every topology, also where the links of a network are long enough for its routers to be apart.
TEST(EveryTopology, GivesTheSameOnAnyThreads) {
  const std::vector<Program> all = programs();
  const Program& p =
      *std::find_if(all.begin(), all.end(), [](const Program& x) { return x.name == "Histogram"; });
  for (const noc::TopologyKind& kind : topologies())
    for (const char* latency : {"1", "5"}) {
      const GpuSpec spec = machine({fmt::format("noc.request.topology={}", kind.name),
                                    fmt::format("noc.reply.topology={}", kind.name),
                                    fmt::format("noc.request.ring.link_latency={}", latency),
                                    fmt::format("noc.reply.ring.link_latency={}", latency),
                                    fmt::format("noc.request.hierarchical.link_latency={}", latency),
                                    fmt::format("noc.reply.hierarchical.link_latency={}", latency),
                                    fmt::format("noc.request.mesh.link_delay={}", latency),
                                    fmt::format("noc.reply.mesh.link_delay={}", latency)});
      const Outcome one = outcome(p, spec, with(1, 0));
      for (std::uint32_t threads : {2u, 3u})
        expect_equal(outcome(p, spec, with(threads, threads - 1)), one,
                     fmt::format("{}, {} threads", kind.name, threads));
      MachineOptions slow;
      slow.every_cycle = true;
      expect_equal(outcome(p, spec, slow), one, fmt::format("{}, every cycle", kind.name));
    }
}

// Programs whose result does not depend on who came first.
class OrderedProgram : public testing::TestWithParam<Program> {};

TEST_P(OrderedProgram, GivesTheSameResultsWithAnotherWindow) {
  GpuSpec small = machine();
  small.latency.sm_to_cluster = 1;
  EXPECT_EQ(outcome(GetParam(), small, with(1, 0)).memory, outcome(GetParam(), machine(), with(1, 0)).memory);
}

INSTANTIATE_TEST_SUITE_P(Determinism, OrderedProgram, testing::ValuesIn([] {
                           std::vector<Program> some;
                           for (const Program& p : programs())
                             if (p.name == "MessagePassing" || p.name == "GridBarrier") some.push_back(p);
                           return some;
                         }()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Determinism, EveryProgram, testing::ValuesIn(programs()),
                         [](const auto& test) { return test.param.name; });

// What each program is for, checked against its definition.
TEST(DeterminismPrograms, ComputeWhatTheyAreMeantTo) {
  const auto memory = [](const char* name) {
    for (const Program& p : programs())
      if (p.name == name) return outcome(p, machine(), with(1, 0)).memory;
    return std::vector<std::uint32_t>();
  };
  std::uint32_t passed = 0;
  for (std::uint32_t i = 0; i < kCtas; ++i) passed = passed * 3 + i;
  EXPECT_EQ(memory("MessagePassing")[2 * kCtas + 1], passed);
  EXPECT_EQ(memory("CounterReset")[0], 200u % 11);
  const auto histogram = memory("Histogram");
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 32; ++i) sum += histogram[i] / (i + 1);
  EXPECT_EQ(sum, 64 * kCtas);
  const auto locked = memory("CasLock");
  EXPECT_EQ(locked[0], 0u);
  EXPECT_NE(locked[32], 0u);
  EXPECT_NE(memory("CasLockInOneLine")[1], 0u);
  EXPECT_EQ(memory("GridBarrier")[0], 4 * kCtas);
}

class EveryWorkload : public testing::TestWithParam<const char*> {};

TEST_P(EveryWorkload, GivesTheSameOnAnyThreads) {
  const auto run = [](const MachineOptions& options) {
    TimingDevice device(spec_of("clustered60"), {options});
    EXPECT_TRUE(workloads::find_workload(GetParam())->run(device, {workload::Scale::Tiny, 1}).ok);
    return counters(device.total());
  };
  const auto one = run(with(1, 0));
  EXPECT_EQ(run(with(2, 0)), one);
  EXPECT_EQ(run(with(3, 1)), one);
  EXPECT_EQ(run(with(3, 2)), one);
}

INSTANTIATE_TEST_SUITE_P(Determinism, EveryWorkload, testing::Values("bfs", "hotspot"));

}  // namespace
}  // namespace heddle::gpu
