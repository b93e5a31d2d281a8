// Where lanes meet (control_flow.h) and which registers share a slot (register_allocation.h), on small
// functions.
#include "ptx/analysis/register_allocation.h"

#include "bench.h"
#include "ptx/analysis/control_flow.h"

namespace heddle::ptx {
namespace {

using exec::expected;
using exec::kernel_text;

// The kernel's control flow; instruction indices count from the first line of `body`.
class Flow {
 public:
  explicit Flow(const std::string& body) : module_(parse_module(kernel_text(body), "flow.ptx")) {
    function_ = module_.find_function("k");
    flow_ = build_control_flow(*function_);
    heading_ = static_cast<std::uint32_t>(
                   parse_module(kernel_text(""), "empty.ptx").find_function("k")->instrs.size()) -
               1;
  }
  // Where lanes meet that part at instruction `i`; kNoTarget: only by leaving.
  std::uint32_t meeting(std::uint32_t i) const {
    const std::uint32_t at = flow_.reconvergence(flow_.block_of.at(heading_ + i));
    return at == kNoTarget ? kNoTarget : at - heading_;
  }
  const ControlFlow& graph() const { return flow_; }
  RegisterAllocation allocation() const { return allocate_registers(*function_, flow_); }
  std::uint32_t slot(const std::string& name) const {
    const RegisterAllocation a = allocation();
    for (std::size_t r = 0; r < function_->registers.size(); ++r)
      if (function_->registers[r].name == name) return a.slot[r];
    return kNoTarget;
  }

 private:
  Module module_;
  const Function* function_ = nullptr;
  ControlFlow flow_;
  std::uint32_t heading_ = 0;
};

TEST(PostDominators, Diamond) {
  EXPECT_EQ(Flow("@%p1 bra A; membar.cta; bra B; A: membar.cta; B: membar.cta;").meeting(0), 4u);
}

TEST(PostDominators, NestedDiamondsAndALoop) {
  const Flow f(
      "L: @%p1 bra A; @%p2 bra C; membar.cta; C: membar.cta; bra B; A: membar.cta; B: @%p3 bra L; "
      "membar.cta;");
  EXPECT_EQ(f.meeting(0), 6u);
  EXPECT_EQ(f.meeting(1), 3u);
  EXPECT_EQ(f.meeting(6), 7u);
}

TEST(PostDominators, ASideThatNeverEndsIsNotWaitedFor) {
  EXPECT_EQ(Flow("@%p1 bra END; L: membar.cta; bra L; END: membar.cta;").meeting(0), 3u);
}

TEST(PostDominators, NothingEverEnds) {
  const Flow f("L: @%p1 bra A; membar.cta; bra L; A: membar.cta; bra L;");
  EXPECT_EQ(f.meeting(0), kNoTarget);
}

TEST(PostDominators, ALoopWhoseOnlyWayOutIsAGuardedExit) {
  // The if inside the loop still has its meeting point.
  EXPECT_EQ(Flow("L: @%p1 bra A; membar.cta; A: membar.cta; @%p2 exit; bra L;").meeting(0), 2u);
  EXPECT_EQ(Flow("L: @%p1 bra A; membar.cta; A: membar.cta; @%p2 bra R; bra L; R: ret;").meeting(0), 2u);
}

TEST(PostDominators, WaysOutOfTheFunctionAreNotWaitedFor) {
  EXPECT_EQ(Flow("@%p1 bra A; @%p2 ret; membar.cta; A: membar.cta;").meeting(0), 3u);
  EXPECT_EQ(Flow("@%p1 bra A; @%p2 bra R; membar.cta; A: membar.cta; R: ret;").meeting(0), 3u);
  EXPECT_EQ(Flow("@%p1 bra A; membar.cta; trap; A: membar.cta;").meeting(0), 3u);
}

TEST(PostDominators, BothSidesReturn) {
  EXPECT_EQ(Flow("@%p1 bra A; membar.cta; ret; A: membar.cta; ret;").meeting(0), kNoTarget);
}

TEST(PostDominators, UnreachableBlocksDoNotDisturb) {
  const Flow f(
      "@%p1 bra A; membar.cta; bra B; X: membar.cta; @%p2 bra X; bra A; A: membar.cta; B: membar.cta;");
  EXPECT_EQ(f.meeting(0), 7u);
}

TEST(PostDominators, IndexedBranch) {
  EXPECT_EQ(Flow("T: .branchtargets A, B, C; brx.idx %r1, T; A: membar.cta; bra E; B: membar.cta; C: "
                 "membar.cta; E: membar.cta;")
                .meeting(0),
            5u);
}

TEST(PostDominators, BlocksKnowTheirNeighbours) {
  const Flow f("@%p1 bra A; membar.cta; A: membar.cta;");
  ASSERT_EQ(f.graph().blocks.size(), 3u);
  EXPECT_EQ(f.graph().blocks[0].successors.size(), 2u);
  EXPECT_EQ(f.graph().blocks[2].predecessors.size(), 2u);
  EXPECT_TRUE(build_control_flow(Function{}).blocks.empty());
}

TEST(Slots, ValuesThatDoNotMeetShareOne) {
  const Flow f("mov.u32 %r1, 1; st.global.u32 [%out], %r1; mov.u32 %r2, 2; st.global.u32 [%out], %r2;");
  EXPECT_EQ(f.slot("%r1"), f.slot("%r2"));
  EXPECT_EQ(f.slot("%r3"), kNoTarget) << "never used";
}

TEST(Slots, LiveValuesDoNot) {
  const Flow f("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%out], %r3;");
  EXPECT_NE(f.slot("%r1"), f.slot("%r2"));
}

TEST(Slots, AGuardedWriteKeepsTheOldValueAlive) {
  // Lanes that skip the write in the second turn still need what they wrote in the first; the temporary in
  // front of it must not lie in its slot.
  const std::string body = R"(
mov.u32 %r8, 0; mov.u32 %r9, 0;
LOOP: mov.u32 %r6, 77; add.u32 %r8, %r8, %r6;
setp.eq.u32 %p1, %r9, 0;
@%p1 mov.u32 %r5, %tid;
add.u32 %r8, %r8, %r5; add.u32 %r9, %r9, 1;
setp.lt.u32 %p2, %r9, 2; @%p2 bra LOOP;
st.global.u32 [%mine], %r8;)";
  EXPECT_NE(Flow(body).slot("%r5"), Flow(body).slot("%r6"));
  EXPECT_EQ(exec::run(body), expected(32, [](auto i) { return 154 + 2 * i; }));
}

TEST(Slots, OtherSideOfABranchDoesNotOverwrite) {
  // %r5 is dead for the lanes that run A, alive for those that wait to run B.
  const std::string body = R"(
add.u32 %r5, %tid, 3; setp.lt.u32 %p1, %tid, 16;
@%p1 bra B;
mov.u32 %r6, 1; add.u32 %r7, %r6, 10; bra END;
B: add.u32 %r7, %r5, 0;
END: st.global.u32 [%mine], %r7;)";
  EXPECT_EQ(exec::run(body), expected(32, [](auto i) { return i < 16 ? i + 3 : 11; }));
}

TEST(Registers, ParametersAndUniformValuesNeedNone) {
  const auto live = [](const std::string& body) { return Flow(body).allocation().max_live; };
  // Both keep one more value to the end: a thread's own, and one that is the same for all.
  const std::string own = "mov.u32 %r1, %laneid;", uniform = "mov.u32 %r1, %ctaid.x;",
                    end = "bar.sync 0; add.u32 %r2, %r1, %tid; st.global.u32 [%mine], %r2;";
  EXPECT_EQ(live(own + end), live(uniform + end) + 1);
}

// The upper half of a word made 64 bits wide is made again where it is read.
TEST(Registers, AWidenedWordNeedsOne) {
  const auto live = [](const std::string& body) { return Flow(body).allocation().max_live; };
  const std::string two = "mov.u32 %r1, %laneid; mul.wide.s32 %rd1, %r1, 3; ",
                    widened = "cvt.s64.s32 %rd3, %r1;", wide = "mul.wide.s32 %rd3, %r1, 5;",
                    end = "bar.sync 0; add.s64 %rd2, %rd1, %rd3; st.global.u64 [%mine], %rd2;";
  EXPECT_EQ(live(two + widened + end) + 1, live(two + wide + end));
}

TEST(Registers, LaunchBoundsAndMaxnreg) {
  Module m = parse_module(kernel_text("st.global.u32 [%mine], %tid;"), "k.ptx");
  Function f = *m.find_function("k");
  RegisterAllocation a;
  a.max_live = 100;
  EXPECT_EQ(registers_per_thread(f, a), 102u);
  f.max_threads = 1024;
  EXPECT_EQ(registers_per_thread(f, a), 64u);
  f.min_ctas = 2;
  EXPECT_EQ(registers_per_thread(f, a), 32u);
  f.max_registers = 24;
  EXPECT_EQ(registers_per_thread(f, a), 24u);
  f.max_registers.reset();
  a.max_live = 3;
  EXPECT_EQ(registers_per_thread(f, a), 16u);
  a.max_hoisted = 40;
  EXPECT_EQ(registers_per_thread(f, a), 32u) << "loads are not issued together at the cost of occupancy";
  EXPECT_EQ(registers_per_thread(*m.find_function("k"), a, 65536, 1024), 48u);
}

}  // namespace
}  // namespace heddle::ptx
