// Plans, tasks and results in a folder that several machines see.
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "study/spool/packing.h"
#include "study/spool/sealed_file.h"
#include "study/spool/worker.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = SpoolEntry::Kind;

constexpr double kGiB = 1u << 30;

std::vector<std::optional<Cost>> costs(std::size_t n, double seconds, double gib) {
  return std::vector<std::optional<Cost>>(n, Cost{seconds, gib * kGiB});
}

TEST(Packing, ShortPointsShareATask) {
  const auto tasks = pack(costs(1000, 0.5, 0.1), {});
  EXPECT_EQ(tasks.size(), 9u) << "500 s in tasks of a minute";
  std::size_t points = 0;
  for (const SpoolTask& t : tasks) {
    points += t.points.size();
    EXPECT_LE(t.seconds, 60.0);
    EXPECT_EQ(t.limits, tasks.front().limits);
  }
  EXPECT_EQ(points, 1000u);
}

TEST(Packing, ALongPointHasATaskAndTimeOfItsOwn) {
  auto some = costs(3, 7200, 3);
  some.push_back(Cost{10, 0.2 * kGiB});
  some.push_back(std::nullopt);
  const auto tasks = pack(some, {});
  ASSERT_EQ(tasks.size(), 5u);
  EXPECT_GE(tasks[0].limits.minutes, 3u * 120);
  EXPECT_GE(tasks[0].limits.memory_mib, 3u * 1024);
  const auto kinds = classes(tasks);
  ASSERT_EQ(kinds.size(), 3u);
  EXPECT_EQ(kinds[0].tasks, 3u);
  EXPECT_EQ(kinds[1].limits, PackingOptions().unknown);
  EXPECT_EQ(kinds[1].seconds, 0);
}

TEST(Packing, ThousandsThatNobodyKnowsSpreadOverSixtyFour) {
  const auto tasks = pack(std::vector<std::optional<Cost>>(1000), {});
  EXPECT_EQ(tasks.size(), 63u);
  EXPECT_EQ(tasks.front().points.size(), 16u);
  EXPECT_TRUE(pack({}, {}).empty());
}

TEST(SpoolPlan, ComesBackAsItWas) {
  const std::vector<Point> points = {fake_point("adds", 1), fake_point("wrong", 2)};
  SpoolPlan plan = SpoolPlan::of(points, {{{1, 0}, 3.5, {512, 15}}});
  plan.workloads["wrong"] = "{}";
  const SpoolPlan back = parse_plan(to_text(plan));
  EXPECT_EQ(back.keys, plan.keys);
  EXPECT_EQ(back.points[1].key(), points[1].key());
  EXPECT_EQ(back.points[1].gpu, "small");
  EXPECT_THAT(back.tasks[0].points, ElementsAre(1, 0));
  EXPECT_EQ(back.tasks[0].limits, (TaskLimits{512, 15}));
  EXPECT_EQ(back.workloads, plan.workloads);
  EXPECT_EQ(back.identity(), SpoolPlan::of({points[1], points[0]}, {}).identity());
  for (const char* bad : {"", "{}", "[1]", "{\"source_hash\": 1}"})
    EXPECT_THROW(parse_plan(bad), Error) << bad;
}

SpoolEntry entry(Kind kind, const std::string& key, const std::string& text = {}) {
  SpoolEntry e;
  e.kind = kind;
  e.key = key;
  (kind == Kind::Record ? e.record : e.error) = text;
  e.seconds = 1.5;
  return e;
}

TEST(Entries, ATornEndIsNoEntry) {
  const std::string one = encode(entry(Kind::Record, "k1", "text")),
                    two = encode(entry(Kind::Failed, "k2", "why"));
  const std::string all = one + two;
  for (std::size_t n = 0; n <= all.size(); ++n) {
    const DecodedEntries d = decode(all.substr(0, n));
    EXPECT_EQ(d.damaged, 0u) << n;
    EXPECT_EQ(d.entries.size(), n < one.size() ? 0u : n < all.size() ? 1u : 2u) << n;
    EXPECT_EQ(d.used, n < one.size() ? 0u : n < all.size() ? one.size() : all.size()) << n;
  }
  const DecodedEntries d = decode(all);
  EXPECT_EQ(d.entries[0].record, "text");
  EXPECT_EQ(d.entries[1].error, "why");
  EXPECT_EQ(d.entries[1].seconds, 1.5);
}

TEST(Entries, ADamagedOneTakesNoOtherWithIt) {
  const std::string one = encode(entry(Kind::Record, "k1", "text")),
                    two = encode(entry(Kind::Record, "k2", "more"));
  for (std::size_t i = 0; i + 1 < one.size(); ++i) {  // all but the end of the line
    std::string bad = one + two;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    const DecodedEntries d = decode(bad);
    ASSERT_EQ(d.entries.size(), 1u) << "byte " << i;
    EXPECT_EQ(d.entries[0].key, "k2");
    EXPECT_EQ(d.damaged, 1u);
    EXPECT_EQ(d.used, bad.size());
  }
  const DecodedEntries junk = decode("what is this\nheddle.ent");
  EXPECT_EQ(junk.damaged, 1u);
  EXPECT_EQ(junk.used, 13u) << "the last word may go on";
}

class Spooled : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    for (FakeWorkload& w : fakes_.all()) w.log_to(folder_ / "log");
  }
  PlanFolder make(const std::vector<Point>& points) {
    std::vector<SpoolTask> tasks(1);
    tasks[0].limits = {512, 15};
    for (std::size_t i = 0; i < points.size(); ++i) tasks[0].points.push_back(i);
    return std::move(*PlanFolder::make(spool(), SpoolPlan::of(points, tasks)));
  }
  std::filesystem::path spool() const { return folder_ / "spool"; }
  WorkReport work_on(PlanFolder& f, const std::atomic<bool>* interrupt = nullptr) {
    PlanFolder as_a_worker_sees_it(f.folder());
    return work(as_a_worker_sees_it, {0, 1, "node1", "7_0"}, fakes_.find(), interrupt);
  }
  std::vector<std::uint64_t> started() const {
    std::vector<std::uint64_t> seeds;
    std::ifstream in(folder_ / "log");
    std::string name;
    std::uint64_t seed = 0;
    for (pid_t pid; in >> name >> seed >> pid;) seeds.push_back(seed);
    return seeds;
  }
  FakeWorkloads fakes_;
};

TEST_F(Spooled, AWorkerWritesWhatItHasDone) {
  PlanFolder f =
      make({fake_point("adds", 1), fake_point("throws", 1), fake_point("crashes", 1), fake_point("adds", 2)});
  const WorkReport r = work_on(f);
  EXPECT_EQ(r.done, 2u);
  EXPECT_EQ(r.failed, 2u);
  std::map<std::string, std::vector<Kind>> by_key;
  for (const PlanFolder::News& n : f.poll()) {
    by_key[n.entry.key].push_back(n.entry.kind);
    EXPECT_EQ(n.attempt.node, "node1");
    EXPECT_EQ(n.attempt.job, "7_0");
    if (n.entry.kind == Kind::Record) {
      EXPECT_THAT(n.entry.record, HasSubstr("heddle.run/3"));
      EXPECT_THAT(n.entry.detail, HasSubstr("heddle.detail"));
    }
  }
  EXPECT_THAT(by_key[fake_point("adds", 2).key()], ElementsAre(Kind::Begun, Kind::Record));
  EXPECT_THAT(by_key[fake_point("throws", 1).key()], ElementsAre(Kind::Begun, Kind::Failed));
  EXPECT_TRUE(f.poll().empty());
}

TEST_F(Spooled, TheNextWorkerGoesOnWhereTheFirstWas) {
  PlanFolder f = make({fake_point("adds", 1), fake_point("never_ends", 9), fake_point("adds", 2)});
  // Raised when it has come to the point that never ends for the n-th time.
  const auto until = [&](std::ptrdiff_t n) {
    std::atomic<bool> interrupt = false;
    std::thread watch([&] {
      for (std::vector<std::uint64_t> all; std::count(all.begin(), all.end(), 9) < n; all = started())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      interrupt = true;
    });
    const WorkReport r = work_on(f, &interrupt);
    watch.join();
    EXPECT_TRUE(r.interrupted);
    return r;
  };
  EXPECT_EQ(until(1).done, 1u);
  const WorkReport second = until(2);
  EXPECT_EQ(second.found, 1u);
  EXPECT_EQ(second.done, 1u) << "what the first did not come through is the last";
  EXPECT_THAT(started(), ElementsAre(1, 9, 2, 9));
}

TEST_F(Spooled, AWorkerOfAnotherSourceRefusesAndSaysSo) {
  SpoolPlan plan = SpoolPlan::of({fake_point("adds", 1)}, {{{0}, 1, {512, 15}}});
  plan.source_hash = "0123456789abcdef";
  PlanFolder f = std::move(*PlanFolder::make(spool(), plan));
  EXPECT_THROW(work_on(f), Error);
  const auto news = f.poll();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].entry.kind, Kind::Refused);
  EXPECT_THAT(news[0].entry.error, HasSubstr("source 0123456789ab"));
  std::vector<std::string> problems;
  EXPECT_TRUE(PlanFolder::all(spool(), problems).empty()) << "nobody waits for another source's";
  EXPECT_TRUE(problems.empty());
}

TEST_F(Spooled, APlanIsMadeOnce) {
  PlanFolder f = make({fake_point("adds", 1)});
  const SpoolPlan same = SpoolPlan::of({fake_point("adds", 1)}, {{{0}, 1, {512, 15}}});
  EXPECT_FALSE(PlanFolder::make(spool(), same));
  f.tell({same.keys[0]});
  const auto again = PlanFolder::make(spool(), same);
  ASSERT_TRUE(again);
  EXPECT_NE(again->folder(), f.folder());
  EXPECT_TRUE(PlanFolder(f.folder()).told(same.keys[0]));
}

TEST_F(Spooled, WhatTwoProgramsTellIsToldByBoth) {
  PlanFolder f = make({fake_point("adds", 1), fake_point("adds", 2)}), other(f.folder());
  f.tell({f.plan().keys[0]});
  other.tell({f.plan().keys[1]});
  for (const std::string& key : f.plan().keys) EXPECT_TRUE(PlanFolder(f.folder()).told(key));
}

TEST_F(Spooled, DamagedPlansAreNamed) {
  PlanFolder f = make({fake_point("adds", 1)});
  std::string bytes = read_file(f.folder() / "plan");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(f.folder() / "plan", bytes);
  std::vector<std::string> problems;
  EXPECT_TRUE(PlanFolder::all(spool(), problems).empty());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], HasSubstr("damaged"));
  write_file(f.folder() / "plan", "heddle.plan/99 \n");
  EXPECT_THROW(PlanFolder{f.folder()}, Error);
}

TEST_F(Spooled, SubmissionsAreFoundAgain) {
  PlanFolder f = make({fake_point("adds", 1)}), other(f.folder());
  Submission& s = f.add_submission({0}, 0, {512, 15});
  EXPECT_EQ(s.number, 1u);
  f.set_job(s, "4711");
  EXPECT_EQ(other.add_submission({0}, 0, {1024, 15}).number, 2u) << "both wanted the first";
  f.look_for_submissions();
  ASSERT_EQ(f.submissions().size(), 2u);
  EXPECT_EQ(f.submissions()[0].job, "4711");
  EXPECT_EQ(f.submissions()[1].limits.memory_mib, 1024u);
  EXPECT_LT(f.age(f.submissions()[1]).count(), 60);
  f.withdraw(f.submissions()[1]);
  EXPECT_EQ(PlanFolder(f.folder()).submissions().size(), 1u);
}

}  // namespace
}  // namespace heddle::study
