// The general checks find what is broken: each of these implementations has one fault, and the check of its
// slot, which knows none of them, tells of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/catalog.h"
#include "tests/contract/broken_fronts.h"
#include "tests/contract/broken_l1.h"
#include "tests/contract/broken_mergers.h"
#include "tests/contract/broken_network.h"
#include "tests/contract/check_front.h"
#include "tests/contract/check_merger.h"
#include "tests/contract/variants.h"
#include "tests/gpu/everything.h"

namespace heddle::contract {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// ---- mergers --------------------------------------------------------------------------------------------

Findings of_buffer(BufferFault fault) {
  return check_merger(factory_of<VictimBuffer>(fault)).findings;
}

TEST(BrokenMerger, ASoundVictimBufferPasses) {
  const MergerReport report = check_merger(factory_of<VictimBuffer>(BufferFault::None));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.held, 500u);
}

TEST(BrokenMerger, WritesThatLeaveTheLineAreFound) {
  EXPECT_THAT(of_buffer(BufferFault::IgnoresWrites), Contains(HasSubstr("newest data held")));
}

TEST(BrokenMerger, OverwrittenDataThatAreKeptAreFound) {
  EXPECT_THAT(of_buffer(BufferFault::KeepsOverwritten), Contains(HasSubstr("newest data held")));
}

TEST(BrokenMerger, VolatileLoadsServedFromALineAreFound) {
  EXPECT_THAT(of_buffer(BufferFault::ServesVolatileLoads), Contains(HasSubstr("passes the L1 by")));
}

TEST(BrokenMerger, LinesThatSurviveAKernelAreFound) {
  EXPECT_THAT(of_buffer(BufferFault::SurvivesKernels), Contains(HasSubstr("many kernels")));
}

TEST(BrokenMerger, AnAnswerToTheWrongSmIsFound) {
  EXPECT_THAT(check_merger(factory_of<AnswersWrongSm>()).findings,
              Contains(HasSubstr("got the answer of SM")));
}

// Parameters that give freshness up on purpose: with each of them the check finds it.
TEST(BrokenMerger, FreshnessGivenUpByAParameterIsFound) {
  for (const char* name : {"icc_cc invalidate_on_write=false", "icc_cc flush_at_kernel_end=false"}) {
    std::size_t found = 0;
    for (const cluster::MergerKind& k : gpu::mergers())
      for (const MergerVariant& v : variants(k))
        if (v.name == name) found += check_merger(v.make).findings.size();
    EXPECT_GT(found, 0u) << name;
  }
}

// ---- load fronts ------------------------------------------------------------------------------------------

Findings of_front(FrontFault fault, std::uint64_t seeds = 6) {
  return check_front(broken_front(fault, "warppool"), seeds).findings;
}

TEST(BrokenFront, ASoundOnePasses) {
  const FrontReport report = check_front(broken_front(FrontFault::None, "warppool"));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.merged, 200u);
}

TEST(BrokenFront, AStoreBeforeAnEarlierLoadIsFound) {
  constexpr std::uint64_t kSeeds = 60;  // a load must find no room while the port is free
  EXPECT_THAT(of_front(FrontFault::StoresOvertakeLoads, kSeeds),
              Contains(HasSubstr("order among the warp's stores")));
}

TEST(BrokenFront, ALoadBeforeAnEarlierStoreIsFound) {
  EXPECT_THAT(of_front(FrontFault::LoadsOvertakeStores),
              Contains(HasSubstr("order among the warp's stores")));
}

TEST(BrokenFront, ABarrierThatDoesNotWaitIsFound) {
  EXPECT_THAT(of_front(FrontFault::BarriersDoNotWait), Contains(HasSubstr("passed a barrier")));
}

TEST(BrokenFront, ALostLoadIsFound) {
  EXPECT_THAT(of_front(FrontFault::LosesALoad), Contains(HasSubstr("not over")));
}

TEST(BrokenFront, AStoreSentTwiceIsFound) {
  EXPECT_THAT(of_front(FrontFault::SendsStoresTwice), Contains(HasSubstr("too many acknowledgements")));
}

TEST(BrokenFront, VolatileLoadsThatShareWithOthersAreFound) {
  EXPECT_THAT(of_front(FrontFault::MergesVolatileLoads), Not(IsEmpty()));
}

TEST(BrokenFront, OneThatOversleepsIsFound) {
  EXPECT_THAT(of_front(FrontFault::OversleepsAnswers), Contains(HasSubstr("looked at in every cycle")));
}

// ---- first levels -----------------------------------------------------------------------------------------

L1Report of_l1(L1Fault fault) {
  return check_l1(
      [fault](mem::L1Client& client, sim::Channel<mem::Request>& out) {
        return std::make_unique<SimpleL1>(fault, client, out);
      },
      {Keeps::Nothing, Keeps::Nothing, false});
}

TEST(BrokenL1, ASoundOnePasses) {
  const L1Report report = of_l1(L1Fault::None);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.hits, 500u);
}

TEST(BrokenL1, AHitOnWhatWasHeldBeforeAStoreIsFound) {
  EXPECT_THAT(of_l1(L1Fault::IgnoresStores).findings, Contains(HasSubstr("a hit on version")));
}

TEST(BrokenL1, OverwrittenDataThatAreKeptAreFound) {
  EXPECT_THAT(of_l1(L1Fault::KeepsOverwritten).findings, Contains(HasSubstr("a hit on version")));
}

TEST(BrokenL1, HitsOfVolatileLoadsAreFound) {
  EXPECT_THAT(of_l1(L1Fault::ServesVolatileLoads).findings, Contains(HasSubstr("a volatile read")));
}

TEST(BrokenL1, LinesThatSurviveAKernelAreFound) {
  EXPECT_THAT(of_l1(L1Fault::SurvivesKernels).findings, Contains(HasSubstr("many kernels")));
}

TEST(BrokenL1, LinesThatSurviveAFenceAreFound) {
  EXPECT_THAT(of_l1(L1Fault::SurvivesFences).findings, Contains(HasSubstr("a hit on version")));
  EXPECT_THAT(of_l1(L1Fault::KeepsOlderThanFence).findings, Contains(HasSubstr("a hit on version")));
}

TEST(BrokenL1, ASecondAnswerIsFound) {
  EXPECT_THAT(of_l1(L1Fault::AnswersTwice).findings, Contains(HasSubstr("answered twice")));
}

// An L1 that updates lines where its description says that stores drop them.
TEST(BrokenL1, TheCacheWithAnotherPolicyThanItSaysIsFound) {
  cache::L1Spec says, does;
  does.write = cache::WritePolicy::Through;
  EXPECT_THAT(check_l1(l1_cache(does), store_policy(says)).findings, Contains(HasSubstr("a hit on version")));
}

// ---- networks ---------------------------------------------------------------------------------------------

Findings of_machine(NetworkFault requests, NetworkFault replies) {
  gpu::GpuSpec spec = gpu::lab({"gpu.clusters=2", "memory.partitions=2"});
  spec.noc.request.design = std::make_shared<FaultyTopology>(requests, spec.noc.request.design);
  spec.noc.reply.design = std::make_shared<FaultyTopology>(replies, spec.noc.reply.design);
  return gpu::check_machine(spec);
}

TEST(BrokenNetwork, ASoundOnePasses) {
  EXPECT_THAT(of_machine(NetworkFault::None, NetworkFault::None), IsEmpty());
}

TEST(BrokenNetwork, ALostPacketIsFound) {
  for (const auto& found : {of_machine(NetworkFault::DropsOne, NetworkFault::None),
                            of_machine(NetworkFault::None, NetworkFault::DropsOne)})
    EXPECT_THAT(found, Contains(HasSubstr("does not proceed")));
}

// ---- machines ---------------------------------------------------------------------------------------------

Findings after_kernels(const gpu::Settings& more, BufferFault fault) {
  gpu::Settings settings = {"gpu.clusters=2", "gpu.sms_per_cluster=4", "memory.partitions=2"};
  settings.insert(settings.end(), more.begin(), more.end());
  gpu::GpuSpec spec = gpu::lab(settings);
  spec.cluster.make_merger = factory_of<VictimBuffer>(fault);
  return gpu::check_kernel_end(spec);
}

TEST(BrokenMachine, WhatSurvivesAKernelIsFound) {
  EXPECT_THAT(after_kernels({}, BufferFault::None), IsEmpty());
  EXPECT_THAT(after_kernels({}, BufferFault::SurvivesKernels), Contains(HasSubstr("mergers held")));
  EXPECT_THAT(after_kernels({"gpu.flush_l1_at_kernel_end=false"}, BufferFault::None),
              Contains(HasSubstr("hits in L1s")));
}

}  // namespace
}  // namespace heddle::contract
