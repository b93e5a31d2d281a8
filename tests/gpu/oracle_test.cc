// The engine against its oracle: machines drawn at random give the same record - every counter, every
// launch's times, all of memory - when units run only when they said so, on one thread and on several, and
// when every unit runs in every cycle. HEDDLE_TEST_ALL=1 in the environment takes many times as many
// machines.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "everything.h"
#include "random_kernel.h"
#include "random_machine.h"
#include "workload/random.h"

namespace heddle::gpu {
namespace {

struct Record {
  Counters counters;  // and times
  std::vector<std::uint32_t> memory;
};

// Of all launches, and of `words` words of each of `memory`.
Record record(Bench& b, const std::vector<workload::DevicePtr>& memory, std::uint32_t words) {
  Record r;
  for (const LaunchResult& l : b.device().launches()) {
    r.counters.emplace_back("start", l.start);
    r.counters.emplace_back("cycles", l.cycles);
    for (const auto& c : counters(l.stats)) r.counters.push_back(c);
  }
  for (const auto m : memory)
    for (const std::uint32_t word : b.read(m, words)) r.memory.push_back(word);
  return r;
}

// Several launches of a random kernel, in one to three streams.
Record run_random(std::uint64_t seed, const GpuSpec& spec, const MachineOptions& options) {
  workload::Random random(seed + 1'000'000);
  Bench b(spec, options);
  const RandomKernel kernel = random_kernel(seed);
  b.load(kernel.body, kernel.globals);
  std::vector<std::uint32_t> input(kRandomWords);
  for (std::uint32_t& word : input) word = random.below(1u << 31);
  const std::vector memory = {b.words(kRandomWords), b.words(kRandomWords), b.words(input)};
  const std::uint32_t streams = 1 + random.below(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    workload::Launch l;
    l.kernel = "k";
    const bool wide = random.below(3) == 0;
    l.grid = {1 + random.below(wide ? 6 : 12), 1, 1};
    l.block = {1 + random.below(wide ? 128 : 32), 1, 1};
    l.dynamic_shared = 1024 * std::array{0u, 20u, 45u, 90u}[random.below(4)];
    l.args = workload::args(memory[i % 3], memory[(i + 1) % 3], memory[(i + 2) % 3], random.below(1000));
    b.device().enqueue(l, random.below(streams));
  }
  b.device().run_queued();
  return record(b, memory, kRandomWords);
}

// CTAs of a few dozen instructions, many more than find a place, so that several end on an SM within a window
// and others take their places: which one, on which SM and when, is what they write down.
constexpr std::string_view kShortCtas = R"(
mul.lo.u32 %r0, %cta, 2654435761;
add.u32 %r0, %r0, %n;
shr.u32 %r0, %r0, 27;
mov.u32 %r1, 0;
L:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %r0;
@%p1 bra L;
mov.u32 %r2, %smid;
mov.u32 %r3, %clock;
mad.lo.u32 %r2, %r3, 1024, %r2;
mul.wide.u32 %rd1, %gid, 4;
add.u64 %rd1, %rd1, %a;
st.global.u32 [%rd1], %r2;
)";

Record run_short_ctas(std::uint64_t seed, const GpuSpec& spec, const MachineOptions& options) {
  workload::Random random(seed + 2'000'000);
  Bench b(spec, options);
  b.load(kShortCtas);
  std::vector<workload::DevicePtr> memory;
  const std::uint32_t launches = 1 + random.below(3), most = 40 + 20 * spec.sms();
  for (std::uint32_t i = 0; i < launches; ++i) {
    workload::Launch l;
    l.kernel = "k";
    l.grid = {1 + random.below(most), 1, 1};
    l.dynamic_shared = 1024 * std::array{0u, 10u, 45u, 90u}[random.below(4)];
    l.args = workload::args(memory.emplace_back(b.words(most)), 0ull, 0ull, random.below(1000));
    b.device().enqueue(l, i);
  }
  b.device().run_queued();
  return record(b, memory, most);
}

// Names the first differences: a whole record is thousands of lines.
void expect_equal(const Record& got, const Record& want, const std::string& what) {
  ASSERT_EQ(got.counters.size(), want.counters.size()) << what;
  int shown = 0;
  for (std::size_t i = 0; i < want.counters.size() && shown < 8; ++i)
    if (got.counters[i] != want.counters[i]) {
      ADD_FAILURE() << what << ": " << want.counters[i].first << " is " << got.counters[i].second
                    << ", expected " << want.counters[i].second;
      ++shown;
    }
  ASSERT_EQ(got.memory.size(), want.memory.size()) << what;
  for (std::size_t i = 0; i < want.memory.size() && shown < 12; ++i)
    if (got.memory[i] != want.memory[i]) {
      ADD_FAILURE() << what << ": word " << i << " is " << got.memory[i] << ", expected " << want.memory[i];
      ++shown;
    }
}

// As `run` does it on one thread, on several, and in every cycle. Which arrangement of threads, the seed
// decides; with HEDDLE_TEST_ALL=1 each.
template <class Run>
void compare(std::uint64_t seed, const GpuSpec& spec, const Run& run) {
  MachineOptions every_cycle;
  every_cycle.every_cycle = true;
  const Record oracle = run(spec, every_cycle);
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 4> kThreads{{{1, 0}, {2, 0}, {2, 1}, {3, 2}}};
  for (std::size_t i = 0; i < kThreads.size(); ++i) {
    if (!all_wanted() && i != 0 && i != 1 + seed % 3) continue;
    const auto [threads, map] = kThreads[i];
    MachineOptions options;
    options.threads = threads;
    options.thread_map = map;
    expect_equal(run(spec, options), oracle, fmt::format("{} threads, map {}", threads, map));
  }
}

class Oracle : public testing::TestWithParam<std::uint64_t> {
 protected:
  // A seed stands for this many machines.
  static std::uint64_t machines() { return all_wanted() ? 8 : 1; }
  // `more`: settings beside the drawn ones.
  template <class Run>
  void each_machine(const Run& run, const Settings& more = {}) const {
    for (std::uint64_t i = 0; i < machines() && !HasFailure(); ++i) {
      const std::uint64_t seed = GetParam() + 1000 * i;
      Settings settings = random_machine(seed);
      settings.insert(settings.end(), more.begin(), more.end());
      suit_organization(settings);
      std::string text = fmt::format("seed {}: ", seed);
      for (const std::string& s : settings) text += s + " ";
      SCOPED_TRACE(text);
      try {
        compare(seed, lab(settings),
                [&](const GpuSpec& spec, const MachineOptions& o) { return run(seed, spec, o); });
      } catch (const Error& e) {
        FAIL() << e.what();
      }
    }
  }
};

TEST_P(Oracle, AgreesOnRandomKernels) {
  each_machine(run_random);
}

TEST_P(Oracle, AgreesOnManyShortCtas) {
  each_machine(run_short_ctas, {"gpu.launch_rate=0", "latency.sm_to_cluster=190", "latency.cluster_to_sm=180",
                                "sm.store_ack=false"});
}

// Few warps may issue; kernels here wait for other warps only at barriers and by atomics.
TEST_P(Oracle, AgreesWhenSchedulersHoldWarpsBack) {
  constexpr std::array kFronts = {"in_order", "mrpb", "banked", "warppool"};  // these may hold warps as well
  const std::string most = std::to_string(1 + GetParam() % 3), front = kFronts[GetParam() / 3 % 4];
  each_machine(run_random,
               {"sm.scheduler=swl", "sm.swl.warps=" + most, "sm.load_front=" + front, "sm.ctas=8"});
}

class OracleOfEverything : public Oracle {};

TEST_P(OracleOfEverything, AgreesOnAKernelThatUsesEverything) {
  each_machine([](std::uint64_t, const GpuSpec& spec, const MachineOptions& options) {
    return Record{run_everything(spec, options), {}};
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, Oracle, testing::Range<std::uint64_t>(1, 31));
INSTANTIATE_TEST_SUITE_P(Seeds, OracleOfEverything, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace heddle::gpu
