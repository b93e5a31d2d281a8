// Which parameters the machine code reads again, and where.
#include "ptx/assemble/reload_parameters.h"

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

// %rd1 and %rd3 are addresses of parameters, %r2 is a word.
Function reloaded(const std::string& body) {
  Module m = parse(
      kernel_text("ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
                  "cvta.to.global.u64 %rd3, %rd2;\nld.param.u32 %r2, [k_param_1+8];\nmov.u32 %r1, 0;\n" +
                  body));
  Function& f = m.functions.back();
  reload_parameters(f);
  return f;
}

// A letter for each instruction of the body: p for one that reads a parameter.
std::string reads(const Function& f) {
  std::string s;
  for (std::size_t i = 5; i + 1 < f.instrs.size(); ++i) {
    const Instr& in = f.instrs[i];
    s += in.op == Op::Ld && in.space == Space::Param ? 'p' : '.';
  }
  return s;
}

const std::string kInner =
    "mov.u32 %r5, 0;\nI:\nst.global.u32 [%rd3], %r5;\nadd.u32 %r5, %r5, 1;\n"
    "setp.lt.u32 %p2, %r5, 9;\n@%p2 bra I;\n";
const std::string kNext = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\n";

TEST(ReloadParameters, NotInTheInnermostLoop) {
  EXPECT_EQ(reads(reloaded("L:\nst.global.u32 [%rd1], %r2;\n" + kNext)), "....");
  EXPECT_EQ(reads(reloaded("st.global.u32 [%rd1], %r2;\n" + kInner)), "......");
}

TEST(ReloadParameters, OnceInABlockOfALoopAroundOthers) {
  const std::string twice = "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r1;\n";
  const Function f = reloaded("L:\n" + twice + kInner + kNext);
  EXPECT_EQ(reads(f), "p..........");
  // Both stores take what was read before them, and the branch leads to the read.
  EXPECT_EQ(f.instrs[6].address, f.instrs[5].dst[0]);
  EXPECT_EQ(f.instrs[7].address, f.instrs[5].dst[0]);
  EXPECT_EQ(f.instrs[15].target, 5u);
  // The address in the innermost loop stays in its register.
  EXPECT_EQ(f.instrs[9].address.index, f.instrs[2].dst[0].index);
}

TEST(ReloadParameters, BlocksThatFollowHaveIt) {
  const std::string before = "L:\nst.global.u32 [%rd1], %r1;\n";
  EXPECT_EQ(reads(reloaded(before + kInner + "st.global.u32 [%rd1], %r1;\n" + kNext)), "p..........");
  EXPECT_EQ(reads(reloaded("L:\n" + kInner + "st.global.u32 [%rd3], %r1;\n" + kNext)), ".....p....");
}

// A word's read takes a place in the order of issue; who uses it has it in a register of all lanes.
TEST(ReloadParameters, WordsAreReadAgainButStayWhereTheyAre) {
  const Function f = reloaded("L:\nadd.u32 %r6, %r2, %r1;\nst.global.u32 [%rd1], %r6;\n" + kInner + kNext);
  EXPECT_EQ(reads(f), "pp..........");
  EXPECT_EQ(f.instrs[7].src[0].index, f.instrs[3].dst[0].index);
}

}  // namespace
}  // namespace heddle::ptx
