#include "study/plan/archive.h"

#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/version.h"
#include "fake_study.h"
#include "gpu/energy_account.h"
#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "study/plan/archive_part.h"
#include "study/store/compression.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

Archive example() {
  Archive a;
  a.study = "fake";
  a.scale = workload::Scale::Tiny;
  a.machines = {{"base", "[l1]\nways = 8\n"}, {"better", "[l1]\nways = 9\n"}};
  double cost = 10;
  for (const char* workload : {"one", "two"})
    for (const char* design : {"base", "better", "same"}) {
      ArchivedPoint p;
      p.point.workload = workload;
      p.point.scale = workload == std::string("two") ? workload::Scale::Small : a.scale;  // its own
      p.point.machine = a.machines[design == std::string("base") ? 0 : 1].second;
      p.result = Result({{"gpu.cycles", 12345678901.0},
                         {"l1.hit_rate", 1.0 / 3},
                         {"none", std::numeric_limits<double>::quiet_NaN()}});
      p.result.source_hash = "abc";
      p.result.cpu_seconds = cost--;
      p.cells = {{design, workload, ""}};
      a.points.push_back(std::move(p));
    }
  return a;
}

// Archives hold what was counted: energies come from this build's models, whatever the point was kept with.
TEST(Archive, EnergiesAreComputedWhenItIsRead) {
  config::Config config = gpu::load_config("cu80");
  const gpu::GpuSpec spec = gpu::read_simulation_spec(config).gpu;
  std::map<std::string, double, std::less<>> counted = {{"energy.total", 1}};
  for (const energy::Term& t : gpu::energy_model(spec).terms) counted[t.statistic] = 1000;
  Archive a = example();
  ArchivedPoint& p = a.points.front();
  p.point.gpu = "cu80";
  p.point.machine = config.dump();
  p.result = Result(counted);
  const Result kept = unpack(pack(a), "x").points.front().result;
  const energy::EnergyStats expected = gpu::energy_model(spec).of([](std::string_view) { return 1000.0; });
  EXPECT_EQ(kept.value("energy.total"), static_cast<double>(expected.total));
  EXPECT_EQ(kept.value("energy.network"),
            static_cast<double>(expected.spent[static_cast<std::size_t>(mem::Region::Network)]));
  // Something that energy depends on was not counted: there is none.
  counted.erase("sm.slots");
  counted.erase("l2.read_hit_sectors");
  p.result = Result(counted);
  EXPECT_FALSE(unpack(pack(a), "x").points.front().result.has("energy.total"));
}

TEST(Archive, ComesBackBitForBit) {
  const Archive a = example();
  const Archive b = unpack(pack(a), "x");
  EXPECT_EQ(b.study, "fake");
  EXPECT_EQ(b.scale, workload::Scale::Tiny);
  EXPECT_EQ(b.machines, a.machines);
  ASSERT_EQ(b.points.size(), a.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(b.points[i].point.machine, a.points[i].point.machine);
    EXPECT_EQ(b.points[i].point.scale, a.points[i].point.scale);
    EXPECT_EQ(b.points[i].cells, a.points[i].cells);
    EXPECT_EQ(differences(a.points[i].result, b.points[i].result), std::vector<std::string>());
  }
  EXPECT_EQ(pack(a), pack(b));
}

TEST(Archive, DifferencesNameTheStatistic) {
  Result a({{"gpu.cycles", 100}, {"gone", 1}, {"none", std::nan("")}});
  Result b({{"gpu.cycles", 101}, {"new", 1}, {"none", std::nan("")}});
  EXPECT_THAT(differences(a, b),
              testing::ElementsAre("gone: 1 archived, not there now", "gpu.cycles: 100 archived, 101 now"));
  a.input_hash = "1";
  EXPECT_THAT(differences(a, a), testing::IsEmpty());
  EXPECT_THAT(differences(a, b), testing::Contains("the input differs"));
}

TEST(Archive, CostsAreTheMeanTimeAndTheMostMemory) {
  Archive a = example();
  a.points[4].result.memory_bytes = 3u << 20;
  const KnownCosts costs = costs_of(unpack(pack(a), "x"));
  ASSERT_EQ(costs.size(), 2u);
  const Cost& two = costs.at({"two", workload::Scale::Small});
  EXPECT_EQ(two.cpu_seconds, 6) << "7, 6 and 5";
  EXPECT_EQ(two.memory_bytes, 3u << 20);
}

TEST(Archive, SampleCoversEveryDesignCheapestFirst) {
  const Archive a = example();  // cheapest last: two/same, two/better, two/base, one/same, ...
  EXPECT_THAT(sample(a, 0), testing::ElementsAre(5, 4, 3));
  EXPECT_THAT(sample(a, 2), testing::ElementsAre(5, 4));
  EXPECT_THAT(sample(a, 5), testing::ElementsAre(5, 4, 3, 2, 1));
  EXPECT_EQ(sample(a, 100).size(), 6u);
}

TEST(Archive, WhatIsNoneIsRefused) {
  const std::string good = pack(example());
  for (const std::string& bad : {std::string(), std::string("{}"), good.substr(0, good.size() / 2)}) {
    try {
      unpack(bad, "some.json.zst");
      FAIL() << bad.size();
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr("some.json.zst"), HasSubstr("no archive")));
    }
  }
}

TEST(Archive, AFlippedBitNeverChangesIt) {
  const std::string good = pack(example());
  std::size_t noticed = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    try {
      EXPECT_EQ(pack(unpack(bad, "some.json.zst")), good) << "bit " << bit;  // a few bits have no meaning
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, good.size() * 7);
  // Of another program, well compressed, but without a checksum.
  const std::string text = *decompressed(good);
  std::string plain(ZSTD_compressBound(text.size()), '\0');
  plain.resize(ZSTD_compress(plain.data(), plain.size(), text.data(), text.size(), 3));
  EXPECT_THROW(unpack(plain, "some.json.zst"), Error);
}

TEST(Archive, TablesNeedNothingElse) {
  const Evidence e = evidence_of(unpack(pack(example()), "x"));
  ASSERT_NE(e.find({"better", "two", ""}), nullptr);
  EXPECT_EQ(e.find({"better", "two", ""})->value("gpu.cycles"), 12345678901.0);
  EXPECT_EQ(e.parameter("better", "l1.ways"), 9);
}

// ---- parts ----------------------------------------------------------------------------------------------

TEST(ArchivePart, MergesPointsAndWhatTheyAreFor) {
  Archive first = example(), second = example();
  first.points.erase(first.points.begin() + 3, first.points.end());
  second.points.erase(second.points.begin(), second.points.begin() + 2);
  second.points[0].cells.push_back({"other", "one", ""});
  const Archive all = merged(first, second);
  std::set<Cell> cells;
  for (const ArchivedPoint& p : all.points) cells.insert(p.cells.begin(), p.cells.end());
  EXPECT_EQ(cells.size(), 7u);
  EXPECT_EQ(all.points.size(), 4u) << "two designs have one machine";
  EXPECT_EQ(pack(merged(all, all)), pack(all));
}

TEST(ArchivePart, OnlyResultsOfThisSourceStandForARun) {
  Archive part = example();
  part.points[0].result.source_hash = build_info().source_hash;
  std::vector<Job> jobs;
  for (const ArchivedPoint& p : part.points) jobs.push_back({p.point, {}});
  const KeptResults kept(part);
  const std::vector<Job> left = lacking(jobs, kept);
  ASSERT_EQ(left.size(), jobs.size() - 1);
  Batch batch;
  batch.results.resize(left.size());
  batch.results.back().cpu_seconds = 77;
  batch.failures.push_back({1, "it failed"});
  const Batch all = completed(jobs, kept, batch);
  ASSERT_EQ(all.results.size(), jobs.size());
  EXPECT_EQ(all.results.front().cpu_seconds, 10);
  EXPECT_EQ(all.results.back().cpu_seconds, 77);
  EXPECT_EQ(all.failures.front().job, 2u);
}

}  // namespace
}  // namespace heddle::study
