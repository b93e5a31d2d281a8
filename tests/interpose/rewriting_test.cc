#include "interpose/rewriting.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "interpose/record/results.h"
#include "ptx/parse/parse_module.h"
#include "techniques/cta_clustering/rewrite/agent_launch.h"
#include "tests/interpose/sample_ptx.h"

namespace heddle::interpose {
namespace {

using testing::HasSubstr;

TEST(Rewriting, KeepsTheOriginalBesideTheRewrittenKernel) {
  for (const bool agents : {true, false}) {
    Options o;
    o.agents = agents;
    const RewrittenModule m = rewrite(kMixPtx, "mix.ptx", o, 132);
    const KernelPlan& plan = m.kernels.at("mix");
    ASSERT_FALSE(plan.rewritten.empty()) << plan.reason;
    EXPECT_EQ(plan.parameters, 2u);
    EXPECT_EQ(plan.parameter_bytes, 12u);
    const ptx::Module before = ptx::parse_module(kMixPtx, ""), after = ptx::parse_module(m.text, "");
    EXPECT_EQ(after.find_function("mix")->instrs.size(), before.find_function("mix")->instrs.size());
    EXPECT_GT(after.find_function(plan.rewritten)->instrs.size(), before.find_function("mix")->instrs.size());
    EXPECT_EQ(after.find_function(plan.rewritten)->params.size(), 2 + (agents ? std::size(cta_clustering::kAgentParameters) : 0));
  }
}

TEST(Rewriting, RefusedKernelsHaveAReasonAndNoCopy) {
  const RewrittenModule m = rewrite(kOrderPtx, "order.ptx", {}, 132);
  EXPECT_THAT(m.kernels.at("early").reason, HasSubstr("divergent barrier"));
  EXPECT_TRUE(m.kernels.at("early").rewritten.empty());
  EXPECT_FALSE(m.kernels.at("order").rewritten.empty());
  EXPECT_THAT(m.text, testing::Not(HasSubstr("heddle_clustered_early")));
}

TEST(Rewriting, OnlyTheKernelsAskedFor) {
  Options o;
  o.kernels = {"early"};
  const RewrittenModule m = rewrite(kOrderPtx, "order.ptx", o, 132);
  EXPECT_EQ(m.text, "");
  EXPECT_FALSE(m.kernels.at("order").reason.empty());
}

TEST(Rewriting, BypassesTheL1WhenAsked) {
  Options o;
  o.bypass = true;
  EXPECT_THAT(rewrite(kMixPtx, "", o, 8).text, HasSubstr("ld.global.cg"));
  EXPECT_THAT(rewrite(kMixPtx, "", {}, 8).text, testing::Not(HasSubstr(".cg")));
}

TEST(Rewriting, WhatIsNoPtxIsAnError) {
  EXPECT_THROW(rewrite(".version 7.0 .target sm_75 { {", "bad", {}, 8), Error);
}

TEST(Record, OptionsComeBack) {
  Options o;
  o.mode = Mode::Rewritten;
  o.agents = false;
  o.partition = "tile";
  o.tile_width = 4;
  o.active_agents = 3;
  o.bypass = true;
  o.kernels = {"_Z1kPf"};
  o.results = "/proc/1/fd/3";
  EXPECT_EQ(Options::from_json(o.to_json()).to_json(), o.to_json());
  EXPECT_THROW(Options::from_json("{}"), Error);
}

TEST(Record, ResultsComeBackAndHalfALineDoesNot) {
  ProcessResults r;
  r.driver = true;
  r.device = "a card";
  r.sms = 132;
  KernelResult& k = r.kernels.emplace_back();
  k.name = "mix";
  k.launches = 3;
  k.rewritten = 2;
  k.timed = 3;
  k.milliseconds = 0.5;
  k.ctas.add(7);
  k.reasons["captured"] = 1;
  r.copies = {{0, 16, ~std::uint64_t{0}}};
  r.copies_made = 1;
  r.chain = 5;
  const std::string line = r.to_line();
  const std::string file = testing::TempDir() + "heddle_interpose_results";
  FILE* out = fopen(file.c_str(), "w");
  fprintf(out, "%s\n%s", line.c_str(), line.substr(0, line.size() / 2).c_str());
  fclose(out);
  const auto read = read_results(file);
  remove(file.c_str());
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].to_line(), line);
  EXPECT_TRUE(read[0].kernels[0].agents.none());
}

}  // namespace
}  // namespace heddle::interpose
