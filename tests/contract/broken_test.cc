// The general checks find what is broken: each of these implementations has one fault, and the check of its
// slot, which knows none of them, tells of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/catalog.h"
#include "tests/contract/broken_mergers.h"
#include "tests/contract/check_merger.h"
#include "tests/contract/variants.h"

namespace heddle::contract {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

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

}  // namespace
}  // namespace heddle::contract
