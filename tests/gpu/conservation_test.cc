// The machine's own check can fail: a merger that loses or repeats answers, or miscounts, is found out; so is
// who does that to requests for which no warp waits.
#include "bench.h"

#include "base/error.h"
#include "cluster/plain_merger.h"
#include "everything.h"
#include "slot_cases.h"

namespace heddle::gpu {
namespace {

using testing::HasSubstr;

enum class Fault { None, LosesOne, RepeatsOne, MiscountsOne, SendsTwice };

class Faulty final : public cluster::MissMerger {
 public:
  explicit Faulty(Fault fault) : fault_(fault) {}
  Verdict offer(sim::Cycle now, mem::Request& r, std::vector<mem::Request>& answers) override {
    const Verdict v = plain_.offer(now, r, answers);
    ++offers_;
    if (fault_ == Fault::MiscountsOne && offers_ == 3) return Verdict::Merged;  // and never answered
    return v;
  }
  void reply(sim::Cycle now, const mem::Request& r, std::vector<mem::Request>& answers) override {
    plain_.reply(now, r, answers);
    ++replies_;
    if (replies_ != 3) return;
    if (fault_ == Fault::LosesOne) answers.pop_back();
    if (fault_ == Fault::RepeatsOne) answers.push_back(answers.back());
  }
  std::uint32_t waiting() const override { return 0; }
  const cluster::MergerStats& statistics() const override {
    stats_ = plain_.statistics();
    if (fault_ == Fault::SendsTwice) ++stats_.forwarded;
    return stats_;
  }
  void clear_statistics() override { plain_.clear_statistics(); }

 private:
  Fault fault_;
  cluster::PlainMerger plain_;
  mutable cluster::MergerStats stats_;
  int offers_ = 0, replies_ = 0;
};

// Ten stores, so that a repeated acknowledgement finds somebody to go to.
std::string outcome(Fault fault) {
  GpuSpec spec = lab();
  spec.cluster.make_merger = [fault](const cluster::MergerPlace&) { return std::make_unique<Faulty>(fault); };
  Bench b(spec);
  b.load(times(10, "st.global.u32 [%a+#*128], %gid;") + "membar.gl;\n");
  const auto a = b.words(1024);
  try {
    b.run({.threads = 1}, a);
  } catch (const Error& e) {
    return e.what();
  }
  return "ended";
}

TEST(Conservation, HoldsForASoundMerger) {
  EXPECT_EQ(outcome(Fault::None), "ended");
}

TEST(Conservation, ALostReplyLeavesSomebodyWaiting) {
  EXPECT_THAT(outcome(Fault::LosesOne), HasSubstr("does not proceed"));
}

TEST(Conservation, ARequestThatIsSwallowedLeavesSomebodyWaiting) {
  EXPECT_THAT(outcome(Fault::MiscountsOne), HasSubstr("does not proceed"));
}

// The L1 is left with fewer requests under way than none, so the machine never comes to rest.
TEST(Conservation, ARepeatedReplyIsFound) {
  EXPECT_THAT(outcome(Fault::RepeatsOne), HasSubstr("does not proceed"));
}

TEST(Conservation, CountsThatDoNotAddUpAreFound) {
  EXPECT_THAT(outcome(Fault::SendsTwice), HasSubstr("requests at mergers and their outcomes"));
}

// ---- what a kernel leaves -------------------------------------------------------------------------------

// Whatever stands in any slot.
TEST(KernelEnd, NothingIsHeldForTheNextKernel) {
  for (const SlotCase& c : every_implementation()) {
    Settings settings = {"gpu.clusters=2", "gpu.sms_per_cluster=4", "memory.partitions=2"};
    settings.insert(settings.end(), c.settings.begin(), c.settings.end());
    EXPECT_THAT(check_kernel_end(lab(settings)), testing::IsEmpty()) << c.name;
  }
}

// ---- prefetches -----------------------------------------------------------------------------------------

enum class Prefetches { Pass, AreNotSent, AreNotAnswered, LookLikeDemand };

// Does something to prefetches alone.
class Careless final : public cluster::MissMerger {
 public:
  explicit Careless(Prefetches what) : what_(what) {}
  Verdict offer(sim::Cycle now, mem::Request& r, std::vector<mem::Request>& answers) override {
    const Verdict v = plain_.offer(now, r, answers);
    return r.prefetch && what_ == Prefetches::AreNotSent ? Verdict::Merged : v;
  }
  void reply(sim::Cycle now, const mem::Request& r, std::vector<mem::Request>& answers) override {
    plain_.reply(now, r, answers);
    if (!r.prefetch) return;
    if (what_ == Prefetches::AreNotAnswered) answers.pop_back();
    if (what_ == Prefetches::LookLikeDemand) answers.back().prefetch = false;
  }
  std::uint32_t waiting() const override { return 0; }
  const cluster::MergerStats& statistics() const override { return plain_.statistics(); }
  void clear_statistics() override { plain_.clear_statistics(); }

 private:
  Prefetches what_;
  cluster::PlainMerger plain_;
};

// Leaves the first of its wishes out of its own count.
class Forgetful final : public cache::Prefetcher {
 public:
  struct Stats {
    std::uint64_t asked = 0;
    void statistics(stats::Visitor& v) { v.counter("asked", asked, {"lines", "Asked for"}); }
  };
  void miss(const cache::Access& a, cache::Wishes& wishes) override {
    wishes.fetch(a.line + 128, a.sectors);
    stats_.asked += forgot_ ? 1 : 0;
    forgot_ = true;
  }
  void collect(stats::Groups& all) const override { all.add("forgetful", stats_); }
  void clear_statistics() override { stats_ = {}; }
  std::vector<mem::Identity> identities(const stats::Groups& s) const override {
    return {{"lines wished for and looked at", s.get<Stats>("forgetful").asked,
             s.get<cache::PrefetchStats>("prefetch").asked}};
  }

 private:
  bool forgot_ = false;
  Stats stats_;
};

// One load, whose miss makes the L1 ask for the next line; the warp ends without it.
std::string outcome_of_a_load(GpuSpec spec) {
  Bench b(spec);
  b.load("ld.global.u32 %r1, [%a];\nadd.u32 %r1, %r1, 1;");
  const auto a = b.words(1024);
  try {
    const MachineStats& s = b.run({.threads = 1}, a).stats;
    EXPECT_EQ(s.groups.get<cache::PrefetchStats>("prefetch").answered, 1u);
  } catch (const Error& e) {
    return e.what();
  }
  return "ended";
}

std::string outcome(Prefetches what) {
  GpuSpec spec = lab({"l1.prefetcher=next_line"});
  spec.cluster.make_merger = [what](const cluster::MergerPlace&) { return std::make_unique<Careless>(what); };
  return outcome_of_a_load(spec);
}

TEST(Conservation, AKernelEndsWhenItsPrefetchesHave) {
  EXPECT_EQ(outcome(Prefetches::Pass), "ended");
}

TEST(Conservation, APrefetchThatIsNotSentIsMissed) {
  EXPECT_THAT(outcome(Prefetches::AreNotSent),
              testing::AllOf(HasSubstr("does not proceed"), HasSubstr("1 MSHRs in use")));
}

TEST(Conservation, APrefetchThatIsNotAnsweredIsMissed) {
  EXPECT_THAT(outcome(Prefetches::AreNotAnswered),
              testing::AllOf(HasSubstr("does not proceed"), HasSubstr("1 MSHRs in use")));
}

TEST(Conservation, AnAnswerThatNobodyTakesForAPrefetchIsFound) {
  EXPECT_THAT(outcome(Prefetches::LookLikeDemand), HasSubstr("prefetches sent by L1s and answered"));
}

TEST(Conservation, WhatAPrefetcherSaysOfItselfIsChecked) {
  GpuSpec spec = lab();
  spec.l1.prefetcher = "forgetful";
  spec.l1.make_prefetcher = [](const cache::PrefetcherPlace&) { return std::make_unique<Forgetful>(); };
  EXPECT_THAT(outcome_of_a_load(spec), HasSubstr("lines wished for and looked at"));
}

}  // namespace
}  // namespace heddle::gpu
