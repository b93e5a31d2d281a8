// Who gets which CTA: the worked example of icc.md rule 5, and the points on which the paper is silent.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "cta/schedulers.h"

namespace heddle::cta {
namespace {

using Ctas = std::vector<std::uint64_t>;

// Plays the dispatcher: contexts per SM, and what has been launched where.
class Gpu {
 public:
  Gpu(std::unique_ptr<CtaScheduler> scheduler, SmLayout layout, std::uint32_t contexts, std::uint64_t ctas)
      : scheduler_(std::move(scheduler)), free_(layout.sms(), contexts), on_(layout.sms()) {
    scheduler_->start(ctas, contexts, layout);
  }
  Gpu(std::string_view scheduler, SmLayout layout, std::uint32_t contexts, std::uint64_t ctas)
      : Gpu(make_scheduler(scheduler), layout, contexts, ctas) {}
  // Launches all that can be; returns the SMs used, in order.
  std::vector<std::uint32_t> launch() {
    std::vector<std::uint32_t> sms;
    while (const auto d = scheduler_->next(free_)) {
      free_[d->sm] -= d->count;
      for (std::uint32_t i = 0; i < d->count; ++i) on_[d->sm].push_back(d->first + i);
      sms.push_back(d->sm);
    }
    return sms;
  }
  void end(std::uint32_t sm, std::uint64_t cta) {
    ++free_[sm];
    scheduler_->ended(sm, cta);
  }
  const Ctas& on(std::uint32_t sm) const { return on_[sm]; }
  std::uint64_t left() const { return scheduler_->left(); }

 private:
  std::unique_ptr<CtaScheduler> scheduler_;
  std::vector<std::uint32_t> free_;
  std::vector<Ctas> on_;
};

// CTAs counted from 1, as in the paper's Figure 6: 10 CTAs, 2 clusters x 2 SMs x 2 contexts.
struct Row {
  std::string_view scheduler;
  std::array<Ctas, 4> sms;    // C1.S1, C1.S2, C2.S1, C2.S2
  std::uint64_t after_first;  // the CTA that C1.S1 gets when CTA 1 has ended; 0: none
};

class Figure6 : public testing::TestWithParam<Row> {};

TEST_P(Figure6, FillAndRefill) {
  const Row& row = GetParam();
  Gpu gpu(row.scheduler, {2, 2}, 2, 10);
  gpu.launch();
  for (std::uint32_t sm = 0; sm < 4; ++sm) {
    Ctas from_one = gpu.on(sm);
    for (auto& cta : from_one) ++cta;
    EXPECT_EQ(from_one, row.sms[sm]) << "SM " << sm;
  }
  gpu.end(0, 0);
  const std::vector<std::uint32_t> used = gpu.launch();
  if (row.after_first == 0) {
    EXPECT_TRUE(used.empty());
  } else {
    EXPECT_EQ(used, std::vector<std::uint32_t>{0});
    EXPECT_EQ(gpu.on(0).back() + 1, row.after_first);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Figure6,
                         testing::Values(Row{"two_level_rr", {{{1, 5}, {3, 7}, {2, 6}, {4, 8}}}, 9},
                                         Row{"global_rr", {{{1, 5}, {2, 6}, {3, 7}, {4, 8}}}, 9},
                                         Row{"balanced", {{{1, 5}, {2, 6}, {3, 7}, {4, 8}}}, 9},
                                         Row{"greedy", {{{1, 3}, {2, 4}, {5, 7}, {6, 8}}}, 9},
                                         Row{"distributed", {{{1, 3}, {2, 4}, {6, 8}, {7, 9}}}, 5},
                                         Row{"distributed_block", {{{1, 2}, {3, 4}, {6, 7}, {8, 9}}}, 0},
                                         // Rule 7 of "decided underneath": pairs from one pool.
                                         Row{"block", {{{1, 2}, {5, 6}, {3, 4}, {7, 8}}}, 0}),
                         [](const auto& row) { return std::string(row.param.scheduler); });

TEST(DistributedBlock, LastOddCtaWaitsForTwoContexts) {  // rule 6 (ii): the paper's CTA 5
  Gpu gpu("distributed_block", {2, 2}, 2, 10);
  gpu.launch();
  gpu.end(0, 0);
  EXPECT_TRUE(gpu.launch().empty());
  gpu.end(0, 1);
  EXPECT_EQ(gpu.launch(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1, 4}));
}

TEST(DistributedBlock, NoContextsOfTwoSmsMakeABlock) {
  Gpu gpu("distributed_block", {1, 2}, 2, 6);
  gpu.launch();
  gpu.end(0, 0);
  gpu.end(1, 2);
  EXPECT_TRUE(gpu.launch().empty());
  gpu.end(1, 3);
  EXPECT_EQ(gpu.launch(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(gpu.on(1), (Ctas{2, 3, 4, 5}));
}

TEST(DistributedBlock, OneContextMeansBlocksOfOne) {  // rule 6 (iii)
  Gpu gpu("distributed_block", {2, 2}, 1, 6);
  gpu.launch();
  EXPECT_EQ(gpu.on(0), Ctas{0});
  EXPECT_EQ(gpu.on(1), Ctas{1});
  EXPECT_EQ(gpu.on(2), Ctas{3});
  EXPECT_EQ(gpu.on(3), Ctas{4});
  gpu.end(3, 4);
  EXPECT_EQ(gpu.launch(), std::vector<std::uint32_t>{3});
  EXPECT_EQ(gpu.on(3), (Ctas{4, 5}));
}

TEST(DistributedBlock, OddContextIsUsed) {  // rule 6 (iv): two free contexts are enough
  Gpu gpu("distributed_block", {1, 1}, 3, 8);
  gpu.launch();
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1}));
  gpu.end(0, 1);
  EXPECT_EQ(gpu.launch(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1, 2, 3}));
}

TEST(DistributedBlock, OddContextStaysEmptyWhereAsked) {
  Gpu gpu(std::make_unique<Distributed>(BlockRule(2, OddContext::Empty)), {1, 1}, 3, 8);
  gpu.launch();
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1}));
  gpu.end(0, 1);  // now two contexts are free, but one of them is the odd one
  EXPECT_TRUE(gpu.launch().empty());
  gpu.end(0, 0);
  gpu.launch();
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1, 2, 3}));
}

TEST(Distributed, FirstPoolsHaveTheExtraCtas) {  // rule 6 (i): 11 over 4 pools is 3, 3, 3, 2
  Gpu gpu("distributed", {4, 1}, 8, 11);
  gpu.launch();
  EXPECT_EQ(gpu.on(0), (Ctas{0, 1, 2}));
  EXPECT_EQ(gpu.on(1), (Ctas{3, 4, 5}));
  EXPECT_EQ(gpu.on(2), (Ctas{6, 7, 8}));
  EXPECT_EQ(gpu.on(3), (Ctas{9, 10}));
}

TEST(Distributed, AnEmptyPoolTakesNothingFromOthers) {  // rules 4 and 6 (v)
  Gpu gpu("distributed", {2, 1}, 1, 4);
  gpu.launch();
  gpu.end(0, 0);
  EXPECT_EQ(gpu.launch(), std::vector<std::uint32_t>{0});
  gpu.end(0, 1);
  EXPECT_TRUE(gpu.launch().empty());  // cluster 1 still has CTA 3 to come
  EXPECT_EQ(gpu.left(), 1u);
}

TEST(Distributed, ClustersFillAtTheSamePace) {
  Gpu gpu("distributed", {3, 2}, 2, 12);
  EXPECT_EQ(gpu.launch(), (std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5, 0, 2, 4, 1, 3, 5}));
}

TEST(Greedy, FewCtasLeaveClustersEmpty) {  // rule 3: load imbalance
  Gpu gpu("greedy", {3, 2}, 2, 5);
  EXPECT_EQ(gpu.launch(), (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
}

TEST(Catalog, UnknownNameSuggestsTheNearest) {
  try {
    make_scheduler("distributed_blok");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.advice().find("distributed_block"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::cta
