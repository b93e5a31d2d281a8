// Machine instructions that only bring values to where others take them.
#include "ptx/assemble/value_moves.h"

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

// A digit for each instruction of the body. %rd1 is an address, %r1 is %tid.x.
std::string moves(const std::string& body) {
  Module m = parse(kernel_text("ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" + body));
  Function& f = m.functions.back();
  find_value_moves(f, build_control_flow(f));
  std::string s;
  for (std::size_t i = 2; i + 1 < f.instrs.size(); ++i) s += std::to_string(f.instrs[i].moves);
  return s;
}
const std::string kToNine = "setp.lt.u32 %p1, %r2, 9;\n@%p1 bra L;\n";

TEST(ValueMoves, ARegistersFirstValue) {
  const std::string loop = "L:\nadd.u32 %r2, %r2, 1;\n" + kToNine + "st.global.u32 [%rd1], %r2;\n";
  EXPECT_EQ(moves("mov.u32 %r2, 0;\n" + loop), "10000");
  // %r1 is read again: it cannot become %r2.
  EXPECT_EQ(moves("mov.u32 %r2, %r1;\n" + loop + "st.global.u32 [%rd1], %r1;\n"), "100000");
  EXPECT_EQ(moves("mov.u32 %r2, %r1;\n" + loop), "00000");
  // Its only value.
  EXPECT_EQ(moves("mov.u32 %r2, 7;\nst.global.u32 [%rd1], %r2;\n"), "00");
}

TEST(ValueMoves, ConstantsOfDoublePrecision) {
  const std::string sum = "add.f64 %d1, %d2, 0d3FF0000000000001;\n";
  EXPECT_EQ(moves(sum + "add.f64 %d1, %d1, 0d3FF0000000000001;\nst.global.f64 [%rd1], %d1;\n"), "200");
  // 1.0: its lower word is zero.
  EXPECT_EQ(moves("add.f64 %d1, %d2, 0d3FF0000000000000;\nst.global.f64 [%rd1], %d1;\n"), "00");
}

TEST(ValueMoves, PointersThatALoopMoves) {
  auto loop = [](const std::string& accesses) {
    return moves("L:\n" + accesses + "add.s64 %rd1, %rd1, 4;\nadd.u32 %r2, %r2, 1;\n" + kToNine);
  };
  EXPECT_EQ(loop("ld.global.u32 %r3, [%rd1];\n"), "02000");
  EXPECT_EQ(loop("ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+64];\n"), "001000");
  EXPECT_EQ(loop(""), "0000");
}

}  // namespace
}  // namespace heddle::ptx
