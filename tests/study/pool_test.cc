#include "study/batch/pool.h"

#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <map>

#include "base/error.h"
#include "tests/study/fake_workload.h"

namespace heddle::study {
namespace {

using testing::HasSubstr;

bool no_child_left() {
  return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

class Pool : public testing::Test {
 protected:
  std::map<std::size_t, Finished> run(const std::vector<Point>& points,
                                      const PoolOptions& options = {2, nullptr}) {
    std::map<std::size_t, Finished> ended;
    ended_all_ = run_points(points, fakes_.find(), options, [&](const Finished& f) {
      EXPECT_TRUE(ended.emplace(f.index, f).second) << "told twice of " << f.index;
    });
    return ended;
  }
  FakeWorkloads fakes_;
  bool ended_all_ = false;
};

TEST_F(Pool, GivesWhatSimulatingHereGives) {
  const std::vector<Point> points = {fake_point("adds", 1), fake_point("adds", 2), fake_point("wrong", 3)};
  const auto ended = run(points);
  EXPECT_TRUE(ended_all_);
  ASSERT_EQ(ended.size(), 3u);
  for (const auto& [i, f] : ended) {
    EXPECT_EQ(f.error, "");
    EXPECT_GT(f.seconds, 0);
    EXPECT_EQ(without_host(f.record), without_host(simulate(points[i], fakes_.find()(points[i].workload))));
  }
  EXPECT_TRUE(no_child_left());
}

TEST_F(Pool, AFailureTakesNoOtherWithIt) {
  const auto ended = run({fake_point("crashes", 1), fake_point("adds", 1), fake_point("throws", 1),
                          fake_point("nobody", 1), fake_point("adds", 2)});
  EXPECT_TRUE(ended_all_);
  ASSERT_EQ(ended.size(), 5u);
  EXPECT_THAT(ended.at(0).error, HasSubstr("killed by signal 6"));
  EXPECT_THAT(ended.at(2).error, HasSubstr("this cannot run"));
  EXPECT_THAT(ended.at(2).error, HasSubstr("take another"));
  EXPECT_THAT(ended.at(3).error, HasSubstr("no workload is called 'nobody'"));
  for (const std::size_t failed : {0, 2, 3}) EXPECT_EQ(ended.at(failed).record, "");
  for (const std::size_t well : {1, 4}) {
    EXPECT_EQ(ended.at(well).error, "");
    EXPECT_THAT(ended.at(well).record, HasSubstr("heddle.run/3"));
  }
}

TEST_F(Pool, StartsInTheGivenOrder) {
  std::vector<std::size_t> order;
  run_points(std::vector{fake_point("adds", 9), fake_point("adds", 1), fake_point("adds", 5)}, fakes_.find(),
             {1, nullptr}, [&](const Finished& f) { order.push_back(f.index); });
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
}

TEST_F(Pool, AnInterruptEndsTheChildren) {
  std::atomic<bool> interrupt = false;
  std::vector<std::size_t> ended;
  const auto began = std::chrono::steady_clock::now();
  const bool all =
      run_points(std::vector{fake_point("never_ends", 1), fake_point("adds", 1), fake_point("never_ends", 2)},
                 fakes_.find(), {2, &interrupt}, [&](const Finished& f) {
                   ended.push_back(f.index);
                   interrupt = true;
                 });
  EXPECT_FALSE(all);
  EXPECT_THAT(ended, testing::ElementsAre(1));
  EXPECT_TRUE(no_child_left());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST_F(Pool, TellsWhatIsUnderWay) {
  std::atomic<bool> interrupt = false;
  std::vector<std::size_t> seen;
  run_points(
      std::vector{fake_point("never_ends", 1), fake_point("never_ends", 2), fake_point("adds", 1)},
      fakes_.find(), {2, &interrupt}, [](const Finished&) {},
      [&](std::span<const std::size_t> running) {
        seen.assign(running.begin(), running.end());
        interrupt = true;
      });
  EXPECT_THAT(seen, testing::ElementsAre(0, 1));
}

TEST_F(Pool, AnErrorOfTheCallerEndsTheChildren) {
  EXPECT_THROW(run_points(std::vector{fake_point("never_ends", 1), fake_point("adds", 1)}, fakes_.find(),
                          {2, nullptr}, [](const Finished&) { throw Error("the disk is full"); }),
               Error);
  EXPECT_TRUE(no_child_left());
}

TEST_F(Pool, AsManyAsThereAreCores) {
  EXPECT_GE(processes({}), 1u);
  EXPECT_EQ(processes({3, nullptr}), 3u);
  EXPECT_TRUE(run({}).empty());
}

}  // namespace
}  // namespace heddle::study
