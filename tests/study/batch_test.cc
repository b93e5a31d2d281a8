#include "study/batch/batch.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Told final : BatchProgress {
  void start(std::size_t p, std::size_t s) override { points = p, from_store = s; }
  void tick(std::size_t, std::size_t, double left_seconds, std::span<const std::string> names) override {
    left.push_back(left_seconds);
    running.assign(names.begin(), names.end());
    // Not before: on a busy machine the others take their time.
    if (raise != nullptr && !running.empty() && running.front().starts_with("never_ends")) *raise = true;
  }
  void finished(const Job& job, const std::string& error) override {
    order.push_back(job.point.workload + (error.empty() ? "" : "!"));
  }
  void warn(const std::string&) override {}
  void end() override { ended = true; }

  std::size_t points = 0, from_store = 0;
  std::vector<double> left;
  std::vector<std::string> running, order;
  std::atomic<bool>* raise = nullptr;
  bool ended = false;
};

class Batches : public InFolder {
 protected:
  std::filesystem::path file() const { return folder_ / "s.sqlite"; }
  FakeWorkloads fakes_;
  Told told_;
};

Job job(const std::string& workload, std::uint64_t seed, const std::string& design = "B") {
  return {fake_point(workload, seed), {"test", design, ""}};
}

// Makes the store believe that `workload` costs so much.
void believe(Store& store, const std::string& workload, double cpu_seconds, double memory_bytes = 1e6) {
  auto json = nlohmann::ordered_json::parse(simulate(fake_point("adds", 1), FakeWorkloads().find()("adds")));
  json["host"]["cpu_seconds"] = cpu_seconds;
  json["host"]["memory_bytes"] = memory_bytes;
  store.keep(fake_point(workload, 77), json.dump(2));
}

TEST_F(Batches, SimulatesOnceWhatSeveralJobsAsk) {
  Store store(file());
  const std::vector<Job> jobs = {job("adds", 1, "B"), job("adds", 2, "B"), job("adds", 1, "B2")};
  const Batch b = run_batch(jobs, fakes_.find(), store, {2, nullptr}, told_);
  EXPECT_EQ(b.simulated, 2u);
  EXPECT_EQ(b.from_store, 0u);
  EXPECT_EQ(told_.points, 2u);
  EXPECT_TRUE(told_.ended);
  EXPECT_TRUE(b.failures.empty());
  EXPECT_FALSE(b.interrupted);
  ASSERT_EQ(b.results.size(), 3u);
  EXPECT_EQ(b.results[0].value("sm.ctas"), 1);
  EXPECT_EQ(b.results[1].value("sm.ctas"), 2);
  EXPECT_EQ(b.results[2].value("sm.ctas"), 1);
  EXPECT_EQ(store.list().size(), 2u);
  for (const StoredPoint& k : store.list()) EXPECT_EQ(k.labels.size(), k.point.seed == 1 ? 2u : 1u);
}

TEST_F(Batches, WhatIsKeptIsNotSimulatedAgain) {
  Store store(file());
  const std::vector<Job> first = {job("adds", 1)}, both = {job("adds", 1, "other"), job("adds", 2)};
  run_batch(first, fakes_.find(), store, {}, told_);
  const std::string kept = *store.record(first[0].point.key());
  const Batch b = run_batch(both, fakes_.find(), store, {}, told_);
  EXPECT_EQ(b.from_store, 1u);
  EXPECT_EQ(b.simulated, 1u);
  EXPECT_EQ(told_.from_store, 1u);
  EXPECT_EQ(b.results[0].value("sm.ctas"), 1);
  EXPECT_EQ(*store.record(first[0].point.key()), kept);
  EXPECT_EQ(store.list().front().labels.size(), 2u);
  const Batch none = run_batch(both, fakes_.find(), store, {}, told_);
  EXPECT_EQ(none.simulated, 0u);
  EXPECT_EQ(none.from_store, 2u);
}

TEST_F(Batches, TheLongestStartFirst) {
  Store store(file());
  believe(store, "wrong", 5);
  believe(store, "adds", 50);
  const std::vector<Job> jobs = {job("wrong", 1), job("throws", 1), job("adds", 1)};  // throws: not known
  run_batch(jobs, fakes_.find(), store, {1, nullptr}, told_);
  EXPECT_THAT(told_.order, ElementsAre("throws!", "adds", "wrong"));
}

TEST_F(Batches, FailuresNameTheirJobsAndAreTriedAgain) {
  Store store(file());
  const std::vector<Job> jobs = {job("crashes", 1), job("adds", 1), job("throws", 1), job("crashes", 1, "C")};
  for (int i = 0; i < 2; ++i) {
    const Batch b = run_batch(jobs, fakes_.find(), store, {1, nullptr}, told_);
    ASSERT_EQ(b.failures.size(), 3u);
    EXPECT_EQ(b.failures[0].job, 0u);
    EXPECT_EQ(b.failures[1].job, 2u);
    EXPECT_EQ(b.failures[2].job, 3u);
    EXPECT_THAT(b.failures[0].error, HasSubstr("signal"));
    EXPECT_THAT(b.failures[1].error, HasSubstr("this cannot run"));
    EXPECT_FALSE(b.results[0].complete);
    EXPECT_TRUE(b.results[1].complete);
  }
  EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(Batches, AnInterruptKeepsWhatIsFinished) {
  Store store(file());
  believe(store, "adds", 50);
  believe(store, "never_ends", 5);
  std::atomic<bool> interrupt = false;
  told_.raise = &interrupt;
  const std::vector<Job> jobs = {job("never_ends", 1, "DB+ICC"), job("adds", 3)};
  const Batch b = run_batch(jobs, fakes_.find(), store, {1, &interrupt}, told_);
  EXPECT_TRUE(b.interrupted);
  EXPECT_TRUE(told_.ended);
  EXPECT_THAT(told_.running, ElementsAre("never_ends DB+ICC"));
  EXPECT_FALSE(b.results[0].complete);
  EXPECT_EQ(b.results[1].value("sm.ctas"), 3);
  EXPECT_TRUE(store.has(jobs[1].point.key()));
  ASSERT_FALSE(told_.left.empty());
  EXPECT_NEAR(told_.left.back(), 5, 1);
}

TEST_F(Batches, NothingIsKnownOfTheFirst) {
  Store store(file());
  std::atomic<bool> interrupt = false;
  told_.raise = &interrupt;
  run_batch(std::vector{job("never_ends", 1)}, fakes_.find(), store, {1, &interrupt}, told_);
  EXPECT_THAT(told_.left, ElementsAre(-1));
}

TEST_F(Batches, TheUnknownAreTakenForAverageOnes) {
  Store store(file());
  std::atomic<bool> interrupt = false;
  told_.raise = &interrupt;
  fakes_.all()[0].take_milliseconds(200);
  run_batch(std::vector{job("adds", 1), job("never_ends", 1)}, fakes_.find(), store, {1, &interrupt}, told_);
  ASSERT_FALSE(told_.left.empty());
  EXPECT_GE(told_.left.back(), 0.2);
}

TEST_F(Batches, EstimatesFromWhatWasMeasured) {
  Store store(file());
  believe(store, "adds", 50, 1e9);
  believe(store, "wrong", 5, 3e9);
  const std::vector<Job> jobs = {job("adds", 1),  job("adds", 1, "x"), job("adds", 2),
                                 job("adds", 77), job("wrong", 1),     job("throws", 1)};
  const Estimate e = estimate(jobs, store, 2);
  EXPECT_EQ(e.points, 5u);
  EXPECT_EQ(e.in_store, 1u);
  EXPECT_EQ(e.unknown, 1u);
  EXPECT_EQ(e.cpu_seconds, 105);
  EXPECT_EQ(e.memory_bytes, 4e9);
}

TEST_F(Batches, EstimatesFromElsewhereWhereNothingWasMeasuredHere) {
  Store store(file());
  believe(store, "adds", 50, 1e9);
  const std::vector<Job> jobs = {job("adds", 1), job("wrong", 1), job("throws", 1)};
  const workload::Scale scale = jobs[0].point.scale;
  const KnownCosts told = {{{"adds", scale}, {7000, 9e9}}, {{"wrong", scale}, {30, 2e9}}};
  const Estimate e = estimate(jobs, store, 2, told);
  EXPECT_EQ(e.cpu_seconds, 80);
  EXPECT_EQ(e.memory_bytes, 3e9);
  EXPECT_EQ(e.unknown, 1u);
}

TEST_F(Batches, KeepTheDetailOfEveryRun) {
  Store store(file());
  const std::vector<Job> jobs = {job("adds", 3)};
  const Batch b = run_batch(jobs, fakes_.find(), store, {1, nullptr}, told_);
  const auto detail = nlohmann::json::parse(store.detail(jobs[0].point.key()).value());
  EXPECT_EQ(detail.at("schema"), "heddle.detail/1");
  EXPECT_EQ(detail.at("ctas").at("of"), 3);
  double instructions = 0;
  for (const double n : detail.at("series").at("counts").at("sm.instructions")) instructions += n;
  EXPECT_EQ(instructions, b.results[0].value("sm.instructions"));
  EXPECT_EQ(*store.record(jobs[0].point.key()).value().rbegin(), '\n');
}

// Looks into the store while a batch runs.
struct Onlooker final : BatchProgress {
  explicit Onlooker(std::filesystem::path f) : store(f) {}
  void start(std::size_t, std::size_t) override {}
  void tick(std::size_t, std::size_t, double, std::span<const std::string>) override {
    for (const LiveBatch& b : store.live()) seen = b;
    if (!seen.running.empty()) interrupt = true;
  }
  void finished(const Job&, const std::string&) override {}
  void warn(const std::string&) override {}
  void end() override {}
  Store store;
  LiveBatch seen;
  std::atomic<bool> interrupt = false;
};

TEST_F(Batches, CanBeSeenInTheStoreWhileTheyRun) {
  Store store(file());
  Onlooker onlooker(file());
  const std::vector<Job> jobs = {job("adds", 1), job("never_ends", 1, "DB")};
  run_batch(jobs, fakes_.find(), store, {2, &onlooker.interrupt}, onlooker);
  EXPECT_EQ(onlooker.seen.name, "test");
  EXPECT_EQ(onlooker.seen.done, 1u);
  EXPECT_EQ(onlooker.seen.of, 2u);
  EXPECT_THAT(onlooker.seen.running, ElementsAre("never_ends DB"));
  EXPECT_TRUE(store.live().empty());  // it has ended
}

}  // namespace
}  // namespace heddle::study
