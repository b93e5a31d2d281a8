// The search for a clustering: what is tried, and what is said of kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "study/clustering/advice.h"
#include "study/clustering/graph_order.h"
#include "workloads/registry.h"

namespace heddle::study {
namespace {

using cta_clustering::Category;
using testing::ElementsAre;
using testing::HasSubstr;
using Way = ClusteringTrial::Way;

TEST(ClusteringTrial, AreMachinesOnEveryCard) {
  std::vector<ClusteringTrial> all = first_trials();
  for (const ClusteringTrial& t : throttled_trials({Way::Agents, "column", 0}, 16)) all.push_back(t);
  all.push_back({Way::Throttling, "", 2});
  for (const char* card : {"gtx570", "k40", "gtx980", "gtx1080", "h200"})
    for (const ClusteringTrial& t : all) {
      config::Config config = gpu::load_config(card);
      for (const std::string& set : t.settings()) config.set(set);
      EXPECT_NO_THROW(gpu::read_simulation_spec(config)) << card << ", " << t.name();
    }
}

TEST(ClusteringTrial, FewerAgents) {
  const auto numbers = [](std::uint32_t most) {
    std::vector<std::uint32_t> n;
    for (const ClusteringTrial& t : throttled_trials({Way::Agents, "row", 0}, most)) n.push_back(t.active);
    return n;
  };
  EXPECT_THAT(numbers(1), ElementsAre());
  EXPECT_THAT(numbers(6), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers(32), ElementsAre(1, 2, 3, 4, 6, 8, 12, 16, 24));
}

TriedOut tried(Way way, const char* partition, std::uint64_t cycles, std::uint64_t reads,
               std::uint32_t active = 0) {
  KernelEffect e;
  e.cycles = cycles;
  e.l2_reads = reads;
  e.loads = 100;
  e.load_lines = 150;
  e.ctas_per_sm = 8;
  e.launches = 1;
  e.rewritten = way == Way::AsItIs || way == Way::WithoutL1 ? 0 : 1;
  TriedOut t;
  t.trial = {way, partition, active};
  t.effects.kernels = {"k"};
  t.effects.of["k"] = e;
  return t;
}

TEST(MeasuredClass, FollowsRule18) {
  cta_clustering::StaticClass text;
  const auto category = [&](std::uint64_t agents, std::uint64_t without_l1, std::uint64_t lines,
                            std::uint64_t sectors = 1600) {
    std::vector<TriedOut> all = {tried(Way::AsItIs, "", 1000, 1000),
                                 tried(Way::WithoutL1, "", 1500, without_l1),
                                 tried(Way::Agents, "row", 900, agents)};
    all[0].effects.of["k"].load_lines = lines;
    all[0].effects.of["k"].load_sectors = sectors;
    return measured_class(all, "k", text).category;
  };
  EXPECT_EQ(category(600, 1200, 150), Category::Algorithm);
  EXPECT_EQ(category(600, 500, 150), Category::CacheLine);
  EXPECT_EQ(category(950, 1200, 150), Category::Streaming);
  EXPECT_EQ(category(1300, 1200, 1600), Category::Data) << "agents read on their own account";
  EXPECT_EQ(category(950, 1200, 400, 1600), Category::Streaming) << "four whole lines each";
  EXPECT_EQ(category(950, 1200, 400, 400), Category::Data);
  // An order that is worse tells as much as one that is better.
  EXPECT_EQ(measured_class({tried(Way::AsItIs, "", 1000, 1000), tried(Way::Redirection, "row", 900, 1300)},
                           "k", text)
                .category,
            Category::Algorithm);
  text.evidence.written_by_neighbours = {"a"};
  EXPECT_EQ(category(950, 1200, 150), Category::Write);
  EXPECT_EQ(category(600, 1200, 150), Category::Algorithm);
}

TEST(BestAgents, AreOfAllThatAreActiveTheFastest) {
  const std::vector<TriedOut> all = {
      tried(Way::AsItIs, "", 1000, 1000), tried(Way::Redirection, "column", 100, 10),
      tried(Way::Agents, "row", 900, 600), tried(Way::Agents, "column", 800, 600),
      tried(Way::Agents, "column", 500, 600, 1)};
  ASSERT_NE(best_agents(all, "k"), nullptr);
  EXPECT_EQ(best_agents(all, "k")->partition, "column");
  EXPECT_EQ(best_agents(all, "other"), nullptr);
}

TEST(Advice, OfAProgram) {
  const ProgramCode code = program_code(*workloads::find_workload("syrk"), {workload::Scale::Tiny, 1});
  ASSERT_EQ(code.kernels.size(), 1u);
  const std::string kernel = code.kernels[0].function;
  EXPECT_EQ(code.kernels[0].launches, 1u);
  std::vector<TriedOut> all = {tried(Way::AsItIs, "", 1000, 1000), tried(Way::WithoutL1, "", 500, 1500),
                               tried(Way::Agents, "row", 1100, 1200), tried(Way::Agents, "column", 800, 500)};
  for (TriedOut& t : all) t.effects.of[kernel] = t.effects.of["k"];
  const std::vector<KernelAdvice> advice = advise(code, all, 128);
  ASSERT_EQ(advice.size(), 1u);
  ASSERT_TRUE(advice[0].take);
  EXPECT_EQ(advice[0].take->name(), "agents by columns") << "a run without an L1 is no advice";
  EXPECT_NEAR(advice[0].speed_up, 1.25, 1e-9);
  EXPECT_EQ(advice[0].category, Category::CacheLine);
  EXPECT_EQ(advice[0].refused, "");
  EXPECT_THAT(launch_code(advice[0]), HasSubstr("hc::ColumnMajor()"));
  EXPECT_THAT(rewritten_module(code, advice[0], 15), HasSubstr("hd_workspace"));
  KernelAdvice graph = advice[0];
  graph.take = ClusteringTrial{Way::Agents, "graph", 2};
  EXPECT_EQ(graph.take->name(), "agents by reuse graph, 2 active");
  EXPECT_THAT(launch_code(graph), HasSubstr("_by_order{table}"));
  EXPECT_THAT(rewritten_module(code, graph, 15), HasSubstr("hd_order"));
  KernelAdvice redirected = advice[0];
  redirected.take = ClusteringTrial{Way::Redirection, "row", 0};
  EXPECT_NE(rewritten_module(code, redirected, 15), rewritten_module(code, redirected, 1))
      << "one cluster is the grid's own order";
  all.back().effects.of[kernel].cycles = 990;  // 1% is none
  EXPECT_FALSE(advise(code, all, 128)[0].take);
}

TEST(GraphOrder, IsThatOfTheFirstLaunch) {
  const workload::Workload& syrk = *workloads::find_workload("syrk");
  const ProgramCode code = program_code(syrk, {workload::Scale::Tiny, 1});
  const std::string& kernel = code.kernels[0].function;
  const GraphOrder order = graph_order(syrk, {workload::Scale::Tiny, 1}, kernel, 3, 128);
  EXPECT_EQ(order.grid, code.kernels[0].first.grid);
  EXPECT_EQ(order.tasks.size(), order.grid.count());
  EXPECT_THAT(order_header(kernel, order), HasSubstr(kernel + "_order["));
  EXPECT_THROW(graph_order(syrk, {workload::Scale::Tiny, 1}, "none", 3, 128), Error);
}

}  // namespace
}  // namespace heddle::study
