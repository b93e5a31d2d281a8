// The coalesced cache beside the merge table, one scenario per rule of icc.md.
#include "rig.h"

#include "base/error.h"

namespace heddle::intra_cluster {
namespace {

class CoalescedCacheRules : public Rig {
 protected:
  CoalescedCacheRules() { use({}, CoalescedCacheSpec{}); }
  void with(const CoalescedCacheSpec& cache) { use({}, cache); }
  // SMs 0 and 1 read the line together: it is in the cache then.
  void share(std::uint64_t line, mem::SectorMask sectors = 0xf) {
    ASSERT_EQ(ask(0, line, sectors), Verdict::Forward);
    ASSERT_EQ(ask(1, line, sectors), Verdict::Merged);
    serve_last();
  }
};

// Rule 16.
TEST_F(CoalescedCacheRules, HitIsAnsweredWithoutTheNetwork) {
  share(kA);
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].reply);
  EXPECT_EQ(answers[0].sm, 2);
  EXPECT_EQ(answers[0].token, 102u);
  EXPECT_EQ(stats().held, 1u);
  EXPECT_EQ(stats().held_sectors, 4u);
  EXPECT_EQ(stats().store_lookups, 3u);
  EXPECT_EQ(stats().store_insertions, 1u);
  EXPECT_EQ(stats().entries_peak, 1u);  // a hit takes no entry
  EXPECT_EQ(merger->waiting(), 0u);
}

// Rule 17.
TEST_F(CoalescedCacheRules, LinesWithOneRequesterAreNotInserted) {
  ask(0, kA);
  serve_last();
  EXPECT_EQ(ask(1, kA), Verdict::Forward);
  EXPECT_EQ(stats().store_insertions, 0u);
}

// With sectors an SM may be listed twice; it is one SM.
TEST_F(CoalescedCacheRules, OneSmThatAskedForTwoSectorsIsOneRequester) {
  ask(0, kA, 0b0001);
  ask(0, kA, 0b0010);
  serve(0);
  serve(1);
  EXPECT_EQ(ask(1, kA, 0b0001), Verdict::Forward);
}

TEST_F(CoalescedCacheRules, EveryRecordedLineIsInsertedIfSoWanted) {
  with({.insert = Insert::Always});
  ask(0, kA);
  serve_last();
  EXPECT_EQ(ask(1, kA), Verdict::Answered);
}

TEST_F(CoalescedCacheRules, UnrecordedLinesAreNotInserted) {
  use({.entries = 1}, CoalescedCacheSpec{.insert = Insert::Always});
  ask(0, kA);
  ask(1, kB);
  serve(1);
  EXPECT_EQ(ask(2, kB), Verdict::Forward);
}

// Rule 15: least recently used, uses by hits included.
TEST_F(CoalescedCacheRules, TheLeastRecentlyUsedLineMakesRoom) {
  with({.lines = 2});
  share(kA);
  share(kB);
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
  share(kC);
  EXPECT_EQ(stats().store_evictions, 1u);
  EXPECT_EQ(ask(3, kA), Verdict::Answered);
  EXPECT_EQ(ask(3, kC), Verdict::Answered);
  EXPECT_EQ(ask(3, kB), Verdict::Forward);
}

TEST_F(CoalescedCacheRules, AnotherReplacementMayBeChosen) {
  with({.lines = 2, .replacement = "fifo"});
  share(kA);
  share(kB);
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
  share(kC);
  EXPECT_EQ(ask(3, kA), Verdict::Forward);
}

// Rule 18.
TEST_F(CoalescedCacheRules, AWriteOfTheClusterInvalidates) {
  for (const mem::Op op : {mem::Op::Write, mem::Op::Atomic}) {
    with({});
    share(kA);
    share(kB);
    EXPECT_EQ(write(4, kA, op), Verdict::Forward);
    EXPECT_EQ(stats().store_invalidations, 1u);
    EXPECT_EQ(ask(2, kA), Verdict::Forward);
    EXPECT_EQ(ask(2, kB), Verdict::Answered);
  }
}

TEST_F(CoalescedCacheRules, WritesOfOtherSpacesDoNot) {
  share(kA);
  Request r = read(0, kA);
  r.op = mem::Op::Write;
  r.space = mem::Space::Local;
  offer(r);
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
}

// Data that left L2 before the write must not come in after it.
TEST_F(CoalescedCacheRules, ALineWrittenWhileItsReadIsUnderWayIsNotInserted) {
  ask(0, kA);
  ask(1, kA);
  write(1, kA);
  EXPECT_EQ(serve(0), (Sms{0, 1}));
  EXPECT_EQ(ask(1, kA), Verdict::Forward);
  EXPECT_EQ(stats().store_insertions, 0u);
}

TEST_F(CoalescedCacheRules, WritesInvalidateNothingIfSoWanted) {
  with({.invalidate_on_write = false});
  share(kA);
  write(1, kA);
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
  ask(0, kB);
  ask(1, kB);
  write(1, kB);
  serve_last();  // the write
  serve(sent.size() - 2);
  EXPECT_EQ(ask(2, kB), Verdict::Answered);
  EXPECT_EQ(stats().store_invalidations, 0u);
}

TEST_F(CoalescedCacheRules, AKernelsEndFlushes) {
  share(kA);
  merger->kernel_end();
  EXPECT_EQ(ask(2, kA), Verdict::Forward);
  with({.flush_at_kernel_end = false});
  share(kA);
  merger->kernel_end();
  EXPECT_EQ(ask(2, kA), Verdict::Answered);
}

// Loads that pass the L1 by want what L2 holds, whether they merge or not.
TEST_F(CoalescedCacheRules, LoadsThatPassTheL1ByAreNeverHeld) {
  for (const bool merge : {false, true}) {
    use({.bypassing_loads = merge}, CoalescedCacheSpec{});
    share(kA);
    Request r = read(2, kA);
    r.no_l1 = true;
    EXPECT_EQ(offer(r), Verdict::Forward);
  }
}

// ---- sectors

TEST_F(CoalescedCacheRules, AHitNeedsAllSectors) {
  share(kA, 0b0011);
  EXPECT_EQ(ask(2, kA, 0b0010), Verdict::Answered);
  EXPECT_EQ(ask(2, kA, 0b0110), Verdict::Forward);
  EXPECT_EQ(sent.back().sectors, 0b0110);
  EXPECT_EQ(ask(3, kA, 0b0100), Verdict::Merged);
  serve_last();
  EXPECT_EQ(ask(4, kA, 0b0111), Verdict::Answered);
  EXPECT_EQ(stats().store_insertions, 1u);  // the same line
}

TEST_F(CoalescedCacheRules, AnEntryBringsAllSectorsThatItFetched) {
  ask(0, kA, 0b0001);
  ask(1, kA, 0b0010);
  serve(1);
  serve(0);
  EXPECT_EQ(ask(2, kA, 0b0011), Verdict::Answered);
}

// ---- time

TEST_F(CoalescedCacheRules, LookupsInParallelOrOneAfterTheOther) {
  const auto delays = [&](std::uint32_t table, std::uint32_t cache, Lookup lookup) {
    use({.latency = table}, CoalescedCacheSpec{.latency = cache, .lookup = lookup});
    const cluster::LookupDelay d = merger->delay();
    return std::vector<std::uint32_t>{d.request, d.answer, d.reply};
  };
  using Cycles = std::vector<std::uint32_t>;
  EXPECT_EQ(delays(1, 1, Lookup::Parallel), (Cycles{1, 1, 1}));
  EXPECT_EQ(delays(1, 1, Lookup::Serial), (Cycles{2, 1, 1}));
  EXPECT_EQ(delays(2, 4, Lookup::Parallel), (Cycles{4, 4, 2}));
  EXPECT_EQ(delays(2, 4, Lookup::Serial), (Cycles{6, 4, 2}));
}

TEST(CoalescedCacheSpec, RefusesWhatCannotBe) {
  for (const char* text : {"lines = 0", "replacement = \"pseudo_lru\"", "insert = \"never\"",
                           "lookup = \"later\"", "cache_latency = 65"}) {
    config::Config config = config::Config::parse(text, "f.toml");
    EXPECT_THROW(config::read<CoalescedCacheSpec>(config), Error) << text;
  }
}

}  // namespace
}  // namespace heddle::intra_cluster
