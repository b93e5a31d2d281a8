// The detail of a run: bounded, adds up to the statistics, changes nothing, the same for any number of
// threads.
#include "gpu/detail.h"

#include "bench.h"

#include <algorithm>
#include <map>
#include <set>

#include "cta/cta_mapper.h"
#include "stats/snapshot.h"
#include "workloads/registry.h"

namespace heddle::gpu {
namespace {

using sim::Cycle;

// ---- the recorder ---------------------------------------------------------------------------------------

constexpr std::size_t kInstructions = 0, kStalls = 1;

// A machine that issues one instruction per cycle, and waits for memory as it is told.
struct Counting {
  Cycle cleared = 0, stalls = 0;
  SeriesCounts read(Cycle now) const {
    SeriesCounts c(2);
    c[kInstructions] = now - cleared;
    c[kStalls] = stalls;
    return c;
  }
};

class SeriesOf : public testing::Test {
 protected:
  void run(Cycle from, Cycle until, Cycle window = 8) {
    for (Cycle t = from + window; t <= until; t += window) EXPECT_EQ(recorder_.window_end(t), sim::kNever);
  }
  void end(Cycle now) {
    recorder_.launch_end(now, machine_.read(now));
    machine_.cleared = now;
    machine_.stalls = 0;
  }
  std::uint64_t sum(std::size_t c) const {
    std::uint64_t n = 0;
    for (const SeriesSample& s : recorder_.samples()) n += s.in[c];
    return n;
  }
  void expect_no_gap(Cycle end) const {
    Cycle at = 0;
    for (const SeriesSample& s : recorder_.samples()) {
      EXPECT_EQ(s.from, at);
      EXPECT_LT(s.from, s.until);
      EXPECT_EQ(s.in[kInstructions], s.until - s.from);
      at = s.until;
    }
    EXPECT_EQ(at, end);
  }
  Counting machine_;
  SeriesRecorder recorder_{[this](Cycle now) { return machine_.read(now); }, 2};
};

TEST_F(SeriesOf, AShortRunHasASampleForItsRest) {
  run(0, 800);
  end(800);
  const auto samples = recorder_.samples();
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples[0].until, 256u);
  EXPECT_EQ(samples[3].from, 768u);
  expect_no_gap(800);
}

TEST_F(SeriesOf, ALongRunHasNoMoreThanSoManySamples) {
  run(0, 10'000'000, 1000);
  end(10'000'000);
  const std::size_t n = recorder_.samples().size();
  EXPECT_GE(n, SeriesRecorder::kMostSamples / 2);
  EXPECT_LE(n, SeriesRecorder::kMostSamples);
  expect_no_gap(10'000'000);
}

TEST_F(SeriesOf, ManyLaunchesAreOneSeries) {
  for (Cycle launch = 0; launch < 5000; ++launch) {
    run(launch * 96, (launch + 1) * 96);
    end((launch + 1) * 96);
  }
  EXPECT_LE(recorder_.samples().size(), SeriesRecorder::kMostSamples);
  expect_no_gap(5000 * 96);
}

TEST_F(SeriesOf, WhatWasExpectedAndDidNotComeIsTakenBack) {
  run(0, 256);
  machine_.stalls = 100;  // a unit sleeps ...
  run(256, 512);
  machine_.stalls = 90;  // ... and wakes differently
  run(512, 768);
  end(800);
  EXPECT_EQ(sum(kStalls), 90u);
  machine_.stalls = 30;
  run(800, 1600);
  end(1600);
  EXPECT_EQ(sum(kStalls), 120u);
}

TEST(CtaKeepers, KeepEveryNth) {
  CtaKeeper keeper(2, nullptr);
  std::vector<RunDetail::Launch> launches;
  const std::uint64_t per_launch = 3 * CtaKeeper::kMost;
  for (std::uint64_t launch = 0; launch < 4; ++launch) {
    const Cycle from = launch * 100'000;
    launches.push_back({"k", from, from + 100'000});
    for (std::uint64_t i = 0; i < per_launch; ++i) {
      keeper.cta_started(i % 2, 0, i, from + i);
      if (i + 1 != per_launch) keeper.cta_ended(i % 2, 0, i, from + i + 1);
    }
    keeper.launch_end(launches, from + 100'000);
  }
  EXPECT_EQ(keeper.of(), 4 * per_launch);
  EXPECT_LE(keeper.kept().size(), CtaKeeper::kMost);
  EXPECT_GE(keeper.kept().size(), CtaKeeper::kMost / 2);
  const std::uint64_t every = keeper.kept()[1].cta - keeper.kept()[0].cta;
  std::uint64_t number = 0;
  for (const RunDetail::Cta& c : keeper.kept()) {
    EXPECT_EQ(c.launch * per_launch + c.cta, number);
    EXPECT_EQ(c.sm, c.cta % 2);
    EXPECT_EQ(c.from, c.launch * 100'000 + c.cta);
    number += every;
  }
}

TEST(CtaKeepers, ACtaThatHasNotEndedEndsWithItsLaunch) {
  CtaKeeper keeper(1, nullptr);
  keeper.cta_started(0, 0, 7, 5);
  keeper.launch_end({{"k", 0, 50}}, 60);
  ASSERT_EQ(keeper.kept().size(), 1u);
  EXPECT_EQ(keeper.kept()[0].until, 60u);
}

// ---- the machine ----------------------------------------------------------------------------------------

struct Case {
  const char *workload, *gpu;
  Settings settings;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.workload << " on " << c.gpu;
}

struct Outcome {
  MachineStats total;
  std::optional<RunDetail> detail;
};

Outcome run(const Case& c, bool detail, std::uint32_t threads = 1) {
  MachineOptions options;
  options.threads = threads;
  options.detail = detail;
  TimingDevice device(spec_of(c.gpu, c.settings), {options});
  const auto verdict = workloads::find_workload(c.workload)->run(device, {workload::Scale::Tiny, 1});
  EXPECT_TRUE(verdict.ok) << verdict.detail;
  return {device.total(), device.machine().detail()};
}

std::uint64_t sum(const Grid& g) {
  std::uint64_t n = 0;
  for (const std::uint64_t v : g.values) n += v;
  return n;
}

class DetailOf : public testing::TestWithParam<Case> {};

TEST_P(DetailOf, ChangesNothing) {
  const Outcome plain = run(GetParam(), false), with = run(GetParam(), true);
  EXPECT_FALSE(plain.detail);
  EXPECT_EQ(counters(plain.total), counters(with.total));
}

TEST_P(DetailOf, AddsUpToTheStatistics) {
  const Outcome r = run(GetParam(), true);
  stats::Snapshot all;
  all.add("", r.total);
  ASSERT_FALSE(r.detail->samples.empty());
  for (std::size_t i = 0; i < r.detail->series.size(); ++i) {
    const std::string& name = r.detail->series[i].statistic;
    if (name == "l1.mshr_cycles") continue;  // no statistic
    std::uint64_t n = 0;
    for (const SeriesSample& s : r.detail->samples) n += s.in[i];
    EXPECT_EQ(n, all.count(name)) << name;
  }
  EXPECT_EQ(sum(r.detail->requests), r.total.request_network().injected);
  EXPECT_EQ(sum(r.detail->replies), r.total.reply_network().ejected);
  EXPECT_EQ(sum(r.detail->row_hits), r.total.dram().row_hits);
  EXPECT_EQ(sum(r.detail->row_accesses),
            r.total.dram().row_hits + r.total.dram().row_misses + r.total.dram().row_conflicts);
  EXPECT_EQ(r.detail->ctas_of, r.total.sm().ctas);
}

TEST_P(DetailOf, StaysInsideItsBounds) {
  const Outcome r = run(GetParam(), true);
  const RunDetail& d = *r.detail;
  for (const SeriesSample& s : d.samples) {
    const auto cycles = static_cast<double>(s.until - s.from);
    std::uint64_t stalls = 0;
    for (std::size_t i = 0; i < d.series.size(); ++i) {
      const mem::Series& one = d.series[i];
      if (one.statistic == "sm.issuing_cycles" || one.statistic.starts_with("sm.stall_")) stalls += s.in[i];
      // A transfer counts as a whole when it begins.
      if (one.most_per_cycle != 0) {
        EXPECT_LE(static_cast<double>(s.in[i]), one.most_per_cycle * (cycles + 40)) << one.statistic;
      }
    }
    EXPECT_LE(stalls, d.sms * (s.until - s.from)) << s.from;
  }
  EXPECT_EQ(d.samples.back().until, d.cycles);
  EXPECT_GE(d.cycles, r.total.gpu.cycles);
  for (const RunDetail::Cta& c : d.ctas) {
    EXPECT_LT(c.from, c.until);
    ASSERT_LT(c.launch, d.launches.size());
    EXPECT_GE(c.from, d.launches[c.launch].from);
    EXPECT_LE(c.until, d.launches[c.launch].until);
    EXPECT_LT(c.sm, d.sms);
  }
}

TEST_P(DetailOf, IsTheSameForAnyThreads) {
  const Outcome one = run(GetParam(), true), three = run(GetParam(), true, 3);
  ASSERT_EQ(one.detail->samples.size(), three.detail->samples.size());
  for (std::size_t i = 0; i < one.detail->samples.size(); ++i)
    EXPECT_EQ(one.detail->samples[i].in, three.detail->samples[i].in) << i;
  ASSERT_EQ(one.detail->ctas.size(), three.detail->ctas.size());
  for (std::size_t i = 0; i < one.detail->ctas.size(); ++i) {
    EXPECT_EQ(one.detail->ctas[i].cta, three.detail->ctas[i].cta);
    EXPECT_EQ(one.detail->ctas[i].sm, three.detail->ctas[i].sm);
  }
  EXPECT_EQ(one.detail->requests.values, three.detail->requests.values);
  EXPECT_EQ(one.detail->row_hits.values, three.detail->row_hits.values);
}

INSTANTIATE_TEST_SUITE_P(Machines, DetailOf,
                         testing::Values(Case{"hotspot", "clustered60", {}},
                                         Case{"hotspot", "clustered60", {"cluster.merger=icc_cc"}},
                                         Case{"bfs", "gtx480", {}}, Case{"vecadd", "v100", {}},
                                         Case{"vecadd", "h200", {}}));

// The order of a grid's CTAs is the mapping's: where the first CTAs go stays, which they are changes.
TEST(CtaMapping, StartsCtasInItsOrder) {
  using Start = std::pair<std::uint32_t, Cycle>;  // on which SM, when
  std::uint64_t most = 0;
  const auto first_ctas = [&](const Settings& settings) {
    const Outcome r = run({"hotspot", "clustered60", settings}, true);
    std::map<Start, std::set<std::uint64_t>> all;
    for (const RunDetail::Cta& c : r.detail->ctas) {
      if (c.launch != 0) continue;
      most = std::max(most, c.cta);
      if (c.from < r.detail->launches[0].from + 5) all[{c.sm, c.from}].insert(c.cta);
    }
    return all;
  };
  const auto linear = first_ctas({}), columns = first_ctas({"cta.mapping=column_major"});
  ASSERT_GT(linear.size(), 20u);
  ASSERT_EQ(linear.size(), columns.size());
  // Down the first column: the second CTA tells how long a row is.
  std::uint32_t row = 0;
  for (const auto& [start, ctas] : linear)
    if (ctas.contains(1)) row = static_cast<std::uint32_t>(*columns.at(start).begin());
  ASSERT_GT(row, 1u);
  ASSERT_EQ((most + 1) % row, 0u);
  const auto mapper =
      cta::make_mapper("column_major", {row, static_cast<std::uint32_t>((most + 1) / row), 1});
  for (const auto& [start, ctas] : linear) {
    std::set<std::uint64_t> mapped;
    for (const std::uint64_t cta : ctas) mapped.insert(mapper->cta(cta));
    EXPECT_EQ(columns.at(start), mapped) << start.first;
  }
  EXPECT_NE(linear, columns);
}

// One line per MSHR, each for the latency of a miss.
TEST(Detail, MshrsInUse) {
  MachineOptions options;
  options.detail = true;
  Bench bench(lab(), options);
  const auto a = bench.words(1 << 16);
  bench.load(times(4, "ld.global.u32 %r#, [%a+#*128];\n") + use(4));
  const LaunchResult r = bench.run({}, a);
  const auto detail = bench.device().machine().detail();
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < detail->series.size(); ++i)
    if (detail->series[i].statistic == "l1.mshr_cycles")
      for (const SeriesSample& s : detail->samples) cycles += s.in[i];
  ASSERT_EQ(r.stats.l1().reads.forwarded, 4u);
  // From the lookup to the reply: less than from issue to data, which has the same fill latency for all.
  EXPECT_LE(cycles, r.stats.l1().miss_latency.sum);
  EXPECT_GE(cycles, r.stats.l1().miss_latency.sum * 9 / 10);
}

}  // namespace
}  // namespace heddle::gpu
