// The machine's own check can fail: a merger that loses or repeats answers, or miscounts, is found out.
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

// ---- what a kernel leaves
// -----------------------------------------------------------------------------------

// Whatever stands in any slot.
TEST(KernelEnd, NothingIsHeldForTheNextKernel) {
  for (const SlotCase& c : every_implementation()) {
    Settings settings = {"gpu.clusters=2", "gpu.sms_per_cluster=4", "memory.partitions=2"};
    settings.insert(settings.end(), c.settings.begin(), c.settings.end());
    EXPECT_THAT(check_kernel_end(lab(settings)), testing::IsEmpty()) << c.name;
  }
}

}  // namespace
}  // namespace heddle::gpu
