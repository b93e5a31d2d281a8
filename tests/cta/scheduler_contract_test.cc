// What every CTA scheduler promises, whatever the machine and the grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "cta/schedulers.h"

namespace heddle::cta {
namespace {

struct Shape {
  SmLayout layout;
  std::uint32_t contexts;
};

// A dispatcher that believes nothing: it checks each decision against its own books.
class Checker {
 public:
  Checker(std::string_view name, CtaScheduler& scheduler, OddContext odd = OddContext::Used)
      : name_(name), scheduler_(scheduler), odd_(odd) {}

  void run(const Shape& shape, std::uint64_t ctas, std::uint32_t seed) {
    layout_ = shape.layout;
    contexts_ = shape.contexts;
    free_.assign(layout_.sms(), contexts_);
    given_.assign(ctas, false);
    pools_.assign(pool_of_cluster(layout_.clusters - 1) + 1, 0);
    const std::uint64_t n = pools_.size();
    for (std::uint64_t i = 0; i < n; ++i) pools_[i] = ctas / n + (i < ctas % n ? 1 : 0);
    resident_.clear();
    random_.seed(seed);
    scheduler_.start(ctas, contexts_, layout_);
    EXPECT_EQ(scheduler_.left(), ctas);
    launch_all();
    while (!resident_.empty()) {
      end_some();
      launch_all();
    }
    EXPECT_EQ(scheduler_.left(), 0u);
    EXPECT_EQ(std::count(given_.begin(), given_.end(), false), 0);
  }

 private:
  void launch_all() {
    while (const auto d = scheduler_.next(free_)) {
      ASSERT_LT(d->sm, layout_.sms());
      ASSERT_GE(d->count, 1u);
      ASSERT_GE(free_[d->sm], d->count);
      ASSERT_LE(d->first + d->count, given_.size());
      free_[d->sm] -= d->count;
      for (std::uint64_t cta = d->first; cta < d->first + d->count; ++cta) {
        ASSERT_FALSE(given_[cta]) << "CTA " << cta << " twice";
        given_[cta] = true;
        --pools_[pool_of_cluster(d->sm / layout_.sms_per_cluster)];
        resident_.emplace_back(d->sm, cta);
      }
    }
    ASSERT_EQ(scheduler_.left(), std::accumulate(pools_.begin(), pools_.end(), std::uint64_t{0}));
    expect_nothing_could_start();
  }

  void end_some() {
    const std::size_t n = 1 + random_() % (1 + resident_.size() / 4);
    for (std::size_t i = 0; i < n && !resident_.empty(); ++i) {
      const std::size_t at = random_() % resident_.size();
      const auto [sm, cta] = resident_[at];
      resident_[at] = resident_.back();
      resident_.pop_back();
      ++free_[sm];
      scheduler_.ended(sm, cta);
    }
  }

  std::uint32_t pool_of_cluster(std::uint32_t cluster) const {
    return name_.starts_with("distributed") ? cluster : 0;
  }

  // CTAs wait only while every SM that may take them lacks contexts: one, or for blocks as many as they need.
  void expect_nothing_could_start() {
    const std::uint32_t pair = 2 + (odd_ == OddContext::Empty ? contexts_ % 2 : 0);
    const std::uint32_t needed = !name_.ends_with("block") || contexts_ == 1 ? 1 : pair;
    for (std::uint32_t sm = 0; sm < layout_.sms(); ++sm)
      ASSERT_TRUE(free_[sm] < needed || pools_[pool_of_cluster(sm / layout_.sms_per_cluster)] == 0)
          << "SM " << sm << " has " << free_[sm] << " free contexts and CTAs wait";
  }

  std::string_view name_;
  CtaScheduler& scheduler_;
  OddContext odd_;
  SmLayout layout_;
  std::uint32_t contexts_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<bool> given_;
  std::vector<std::uint64_t> pools_;  // CTAs left, of all or per cluster
  std::vector<std::pair<std::uint32_t, std::uint64_t>> resident_;
  std::mt19937 random_;
};

class Contract : public testing::TestWithParam<SchedulerKind> {
 protected:
  std::unique_ptr<CtaScheduler> scheduler_ = make_scheduler(GetParam().name);
};

// The same scheduler object runs one kernel after the other, each on another machine and grid.
void run_all(Checker& checker) {
  const Shape shapes[] = {{{1, 1}, 1},       {{1, 1}, 2},       {{1, 1}, 5},      {{2, 2}, 2},   {{12, 5}, 8},
                          {{7, 3}, 3},       {{80, 1}, 32},     {{1, 28}, 1},     {{16, 16}, 4}, {{5, 13}, 7},
                          {{8, 17, 132}, 2}, {{3, 50, 101}, 1}, {{64, 4, 253}, 3}};
  std::uint32_t seed = 0;
  for (const Shape& shape : shapes) {
    const std::uint64_t full = std::uint64_t{shape.layout.sms()} * shape.contexts;
    for (const std::uint64_t ctas :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, full - 1, full, full + 1, 2 * full + 7}) {
      SCOPED_TRACE(testing::Message() << shape.layout.clusters << " x " << shape.layout.sms_per_cluster
                                      << " x " << shape.contexts << ", " << ctas << " CTAs");
      checker.run(shape, ctas, ++seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(Contract, EveryCtaOnceAndNoneStarves) {
  Checker checker(GetParam().name, *scheduler_);
  run_all(checker);
}

TEST(OddContexts, StayEmptyAndNoCtaStarves) {
  Distributed pools(BlockRule(2, OddContext::Empty));
  Checker distributed("distributed_block", pools, OddContext::Empty);
  run_all(distributed);
  RoundRobin turns(RoundRobin::Fastest::Cluster, BlockRule(2, OddContext::Empty));
  Checker block("block", turns, OddContext::Empty);
  run_all(block);
}

TEST_P(Contract, StartForgetsTheKernelBefore) {
  std::vector<std::uint32_t> free(4, 2);
  const auto order = [&] {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
    std::fill(free.begin(), free.end(), 2u);
    scheduler_->start(9, 2, {2, 2});
    while (const auto d = scheduler_->next(free)) {
      free[d->sm] -= d->count;
      result.emplace_back(d->sm, d->first);
    }
    return result;
  };
  const auto once = order();
  EXPECT_FALSE(once.empty());
  EXPECT_EQ(order(), once);  // CTAs of the first kernel were left over, cursors stood elsewhere
}

// The cost of next(): an SM that was full is not looked at before a CTA has ended there.
TEST_P(Contract, FullSmsAreNotLookedAtAgain) {
  constexpr std::uint32_t kContexts = 2;
  const SmLayout layout{16, 16};
  std::vector<std::uint32_t> free(layout.sms(), kContexts);
  scheduler_->start(100000, kContexts, layout);
  while (const auto d = scheduler_->next(free)) free[d->sm] -= d->count;
  const std::vector<std::uint32_t> pretended(layout.sms(), kContexts);
  EXPECT_FALSE(scheduler_->next(pretended).has_value());
  scheduler_->ended(200, 0);
  const auto d = scheduler_->next(pretended);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->sm, 200u);
}

TEST_P(Contract, RefusesMachinesThatCannotRunAnything) {
  EXPECT_THROW(scheduler_->start(1, 0, {1, 1}), std::invalid_argument);
  EXPECT_THROW(scheduler_->start(1, 1, {0, 4}), std::invalid_argument);
  EXPECT_THROW(scheduler_->start(1, 1, {4, 4, 12}),
               std::invalid_argument);  // the last cluster would be empty
  EXPECT_THROW(scheduler_->start(1, 1, {4, 4, 17}), std::invalid_argument);
}

// CTAs of 100 SMs with one place each, in the order in which they are given out.
std::vector<std::uint32_t> drawn(std::uint64_t seed) {
  Random scheduler(seed);
  std::vector<std::uint32_t> free(100, 1), order;
  scheduler.start(100, 1, {100, 1});
  while (const auto d = scheduler.next(free)) {
    free[d->sm] = 0;
    order.push_back(d->sm);
  }
  return order;
}

TEST(RandomScheduler, DrawsLotsBySeed) {
  const std::vector<std::uint32_t> one = drawn(1);
  EXPECT_EQ(one, drawn(1));
  EXPECT_NE(one, drawn(2));
  std::uint32_t neighbours = 0;
  for (std::size_t i = 1; i < one.size(); ++i) neighbours += one[i] == one[i - 1] + 1 ? 1 : 0;
  EXPECT_LT(neighbours, 10u);
  std::vector<std::uint32_t> sorted = one;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()) - sorted.begin(), 100);
}

INSTANTIATE_TEST_SUITE_P(All, Contract, testing::ValuesIn(schedulers().begin(), schedulers().end()),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace heddle::cta
