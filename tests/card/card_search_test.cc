// The search for the best design on a card: which designs, what fails, a bundled workload.
#include "study/clustering/card_search.h"

#include "base/error.h"
#include "study/clustering/recorded_reads.h"
#include "techniques/cta_clustering/clustering_rewriter.h"
#include "tests/card/simulated_card.h"
#include "workloads/registry.h"

namespace heddle::study {
namespace {

using card::simulated_driver;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Way = ClusteringTrial::Way;

std::vector<std::string> names(const std::vector<ClusteringTrial>& trials) {
  std::vector<std::string> all;
  for (const ClusteringTrial& t : trials) all.push_back(t.name());
  return all;
}

TEST(CardDesigns, AreThoseOfTheSimulatorThatACardCanHave) {
  EXPECT_EQ(names(card_trials()).front(), "as it is");
  EXPECT_THAT(names(card_trials()), Not(Contains("without L1")));
  EXPECT_EQ(card_trials().size() + 1, first_trials().size());
}

TEST(CardDesigns, AreChosenByNameOrItsBeginning) {
  EXPECT_THAT(names(chosen_trials({"agents by columns"})), ElementsAre("agents by columns"));
  EXPECT_THAT(names(chosen_trials({"agents by rows, 3 active", "as it is"})),
              ElementsAre("agents by rows, 3 active", "as it is"));
  EXPECT_THAT(names(chosen_trials({"redir"})),
              ElementsAre("redirection by rows", "redirection by columns", "redirection by tiles"));
  EXPECT_TRUE(chosen_trials({}).empty());
  try {
    chosen_trials({"agents by colums"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("agents by columns"));
  }
}

CardTrial trial(const ClusteringTrial& t, double us, std::uint32_t fit, std::uint64_t rewritten = 1) {
  CardTrial c;
  c.trial = t;
  c.verification.ok = true;
  card::KernelTimes k;
  k.kernel = "k";
  k.launches = 1;
  k.rewritten = rewritten;
  k.ctas_per_sm = fit;
  k.timed = {{{us}}};
  c.kernels = {k};
  return c;
}

TEST(CardDesigns, FewerAgentsInTheBestOrder) {
  std::vector<CardTrial> tried = {trial({Way::AsItIs, "", 0}, 10, 8, 0), trial({Way::Agents, "row", 0}, 9, 6),
                                  trial({Way::Agents, "column", 0}, 8, 4),
                                  trial({Way::Agents, "tile", 0}, 1, 4)};
  tried.back().verification.ok = false;
  EXPECT_THAT(names(fewer_agents(tried)),
              ElementsAre("agents by columns, 1 active", "agents by columns, 2 active",
                          "agents by columns, 3 active"));
  EXPECT_EQ(fastest(tried, "k"), &tried[2]);
  // What was not rewritten is not faster, whatever its time.
  tried.push_back(trial({Way::Redirection, "row", 0}, 2, 8, 0));
  EXPECT_EQ(fastest(tried, "k"), &tried[2]);
  EXPECT_EQ(fastest(tried, "other"), nullptr);
}

class FakeWorkload final : public workload::Workload {
 public:
  explicit FakeWorkload(bool fails) : fails_(fails) {}
  const workload::WorkloadInfo& info() const override { return info_; }
  workload::Parameters parameters(const workload::RunOptions&) const override { return {}; }
  workload::Verification run(workload::Device& device, const workload::RunOptions&) const override {
    device.load_module(card::increment_ptx(), "increment.ptx");
    const workload::DevicePtr a = device.allocate(400, "a");
    device.launch(card::increment(fails_ ? workload::DevicePtr{64} : a, 100));
    workload::Verification v;
    v.ok = true;
    return v;
  }

 private:
  bool fails_;
  workload::WorkloadInfo info_;
};

TEST(CardSearch, GoesOnAfterAFailure) {
  const FakeWorkload failing(true), good(false);
  const std::vector<ClusteringTrial> two(2);
  const CardSearch bad{failing, {}, {.repeat = 2}, [](const auto&) { return nullptr; }};
  const std::vector<CardTrial> failed = bad.run(simulated_driver(), two);
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_THAT(failed[1].error, HasSubstr("kernel 'increment'"));
  EXPECT_FALSE(failed[1].good());
  const CardSearch well{good, {}, {.repeat = 2}, [](const auto&) { return nullptr; }};
  EXPECT_TRUE(well.run(simulated_driver(), two).back().good());
}

TEST(CardSearch, ABundledWorkloadIsRightWithEveryDesign) {
  const workload::Workload& syrk = workloads::directory().require("syrk");
  const RecordedReads reads(syrk, {workload::Scale::Tiny, 1}, 128);
  std::size_t asked = 0;
  const CardSearch search{syrk,
                          {workload::Scale::Tiny, 1},
                          {.repeat = 2, .warm_up = 0},
                          [](const ClusteringTrial& t) -> std::unique_ptr<workload::LaunchRewriter> {
                            if (t.way == Way::AsItIs) return nullptr;
                            cta_clustering::ClusteringSpec spec;
                            if (t.way == Way::Redirection) spec.way = cta_clustering::Way::Redirection;
                            if (t.partition == "graph") spec.partition.order = cta_clustering::Order::Table;
                            spec.active_agents = t.active;
                            return std::make_unique<cta_clustering::ClusteringRewriter>(spec, 80);
                          },
                          {},
                          [&](const workload::Launch& launch) {
                            ++asked;
                            return reads.of(launch);
                          }};
  const std::vector<CardTrial> tried =
      search.run(simulated_driver(), chosen_trials({"as it is", "redirection by rows", "agents by rows",
                                                    "agents by reuse graph", "agents by rows, 1 active"}));
  ASSERT_EQ(tried.size(), 5u);
  EXPECT_EQ(asked, 1u);  // once for all launches of a kernel with a grid
  for (const CardTrial& t : tried) {
    EXPECT_TRUE(t.good()) << t.trial.name() << ": " << t.error << t.verification.detail;
    ASSERT_EQ(t.kernels.size(), 1u);
    EXPECT_EQ(t.kernels.front().rewritten != 0, t.trial.clusters());
  }
}

TEST(RecordedReads, AreThoseOfTheKernelsAndGridsThatTheProgramLaunches) {
  const RecordedReads reads(workloads::directory().require("vecadd"), {workload::Scale::Tiny, 1}, 128);
  workload::Launch launch;
  launch.kernel = "other";
  EXPECT_THAT(reads.of(launch).why_not, HasSubstr("not launched"));
  launch.kernel = "vecadd";
  launch.grid.x = 12345;
  EXPECT_THAT(reads.of(launch).why_not, HasSubstr("1 of its grids"));
}

}  // namespace
}  // namespace heddle::study
