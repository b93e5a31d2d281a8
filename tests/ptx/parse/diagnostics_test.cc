// What a person is told: the place, what was found, what was expected.
#include "ptx_text.h"

namespace heddle::ptx {
namespace {

struct Expected {
  std::string_view body;
  std::uint32_t line, column;
  std::string_view message;
  std::string_view advice = "";
};

class Diagnostics : public testing::TestWithParam<Expected> {};

TEST_P(Diagnostics, SaysWhereAndWhat) {
  const Expected& x = GetParam();
  const Error e = error_in(x.body);
  EXPECT_EQ(e.place().file, "test.ptx");
  EXPECT_EQ(e.place().line, x.line) << e.what();
  EXPECT_EQ(e.place().column, x.column) << e.what();
  EXPECT_EQ(e.message(), x.message);
  EXPECT_EQ(e.advice(), x.advice);
}

const Expected kCases[] = {
    {"add.s32 %r1, %r2, %rd1;", 7, 19,
     "expected a .s32 register as the second source of add.s32, found %rd1 (.b64)"},
    {"add.s32 %f1, %r2, %r3;", 7, 9,
     "expected a .s32 register as the destination of add.s32, found %f1 (.f32)"},
    {"\n  mov.u32 %r1, %r99;", 8, 16, "'%r99', the first source of mov.u32, is not declared",
     "%r<9> declares %r0 to %r8"},
    {"ld.global.u32 %r1, [gvr];", 7, 21, "'gvr', an address, is not declared", "did you mean 'gvar'?"},
    {"bra $L1;\n$L2:", 7, 5, "label '$L1' is not defined in this function", "did you mean '$L2'?"},
    {"L:\nL:", 8, 1, "label 'L' is already defined in this scope, on line 7"},
    {".reg .b32 a;\n.reg .b32 a;", 8, 11, "'a' is already declared in this scope, on line 7"},
    {".reg .b32 %r3;", 7, 11, "'%r3' is already declared in this scope, by %r<9>"},
    {"add.f32 %f1, %f2, 1;", 7, 19,
     "expected a floating-point constant as the second source of add.f32, found the integer '1'",
     "write it as 1.0 or 0f3F800000"},
    {"add.u32 %r1, %tid.x, 1;", 7, 14,
     "%tid.x cannot be the first source of add.u32: special registers are read by mov only"},
    {"@%r1 ret;", 7, 2, "expected a .pred register as the guard, found %r1 (.b32)"},
    {"ad.s32 %r1, %r2, %r3;", 7, 1, "ad.s32: Heddle does not know this instruction", "did you mean 'add'?"},
    {"add.s32 %r1, %r2;", 7, 1, "add.s32 needs another source"},
    {"add.s32 %r1, %r2, %r3, %r4;", 7, 24, "add.s32 takes 3 operand(s), found 4"},
    {"add.s32 %r1, %r2, %r3", 8, 1, "expected ',' or ';' after an operand, found 'ret'"},
    {"mul.s32 %r1, %r2, %r3;", 7, 1, "mul.s32 needs one of .lo, .hi and .wide"},
    {"st.shared.u32 [gvar], %r1;", 7, 16,
     "st.shared.u32 accesses .shared memory, but 'gvar' is a .global variable"},
    {"fma.f32 %f1, %f1, %f1, %f1;", 7, 1, "fma.f32 needs a rounding such as .rn"},
    {"setp.lt.s32 %r1, %r2, %r3;", 7, 13,
     "expected a .pred register as the destination of setp.lt.s32, found %r1 (.b32)"},
    {"call nowhere;", 7, 6, "'nowhere' is not a function known here"},
    {"call (pvar), callee, (pvar);", 7, 23, "parameter 1 of 'callee' has 8 bytes, 'pvar' has 4"},
    {"call callee;", 7, 6, "'callee' has 1 returned value(s), this call names 0"},
    {"ld.global.v2.u32 %r1, [%rd1];", 7, 18,
     "expected a vector of 2 elements as operand of ld.global.v2.u32"},
    {"mov.u32 %r1, 0f3F80;", 7, 14, "a 0f constant has 8 hexadecimal digits"},
    {"/* never", 7, 1, "this comment is never closed: expected '*/'"},
    {"#", 7, 1, "'#' does not belong in PTX"},
    {"wgmma.fence.sync.aligned;", 7, 1,
     "wgmma.fence.sync.aligned: tensor-core instructions of a warp group are not supported",
     "compile for compute_80, or build the program with its mma.sync path"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%r1}, {%r1}, {%f1};", 7, 49,
     "expected a vector of 8 registers as operand of wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32, found "
     "1"},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f32.f16.f16 {%r1};", 7, 1,
     "mma.sync.aligned.m16n8k8.row.col.f16.f32.f16.f16: this shape is not supported for these types"},
    {"mma.sync.aligned.m16n8k8.row.col.s32.f16.f16.s32 {%r1};", 7, 1,
     "mma.sync.aligned.m16n8k8.row.col.s32.f16.f16.s32: products of .f16 are summed as .f32, found .s32"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1};", 7, 1,
     "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16: the modifier .sp of mma is not supported"},
    {"mma.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1};", 7, 4, ".aligned is not .sync that mma takes"},
    {"wmma.load.a.sync.aligned.m16n16k16.f16 {%r1}, [%rd1];", 7, 25,
     ".m16n16k16 is not one of .row and .col that wmma takes"},
    {"wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r1}, [%rd1];", 7, 1,
     "wmma.load.a.sync.aligned.col.m8n8k32.s4: elements of less than a byte need a row-major a and a "
     "column-major b"},
    {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%rd1];", 7, 1,
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8: only .m8n8 matrices of .b16 are supported"},
    {"add.foo.s32 %r1, %r2, %r3;", 7, 1, "add.foo.s32: the modifier .foo of add is not supported"},
};
INSTANTIATE_TEST_SUITE_P(Cases, Diagnostics, testing::ValuesIn(kCases));

TEST(DiagnosticsOf, ShowsTheLine) {
  const Error e = error_in("  ret;\n\tadd.s32 %r1, %r2, %rd1;");
  EXPECT_EQ(e.place().text, "\tadd.s32 %r1, %r2, %rd1;");
  EXPECT_EQ(e.place().column, 20u);
}

TEST(DiagnosticsOf, ModuleLevel) {
  EXPECT_EQ(error_of("int main() {}").message(),
            "expected .version at the start of a PTX module, found 'int'");
  EXPECT_EQ(error_of("").message(),
            "expected .version at the start of a PTX module, found the end of the file");
  const std::string h(kHeading);
  EXPECT_EQ(error_of(h + ".global .u32 a;\n.global .u32 a;").message(), "'a' is already declared, on line 4");
  EXPECT_EQ(error_of(h + ".entry k() {}\n.entry k() {}").message(), "'k' is already defined, on line 4");
  EXPECT_EQ(error_of(h + ".global .u64 a = b;").message(), "'b' is not a variable or function known here");
  EXPECT_EQ(error_of(h + ".entry k() { ret;").message(), "the body of 'k' is never closed: expected '}'");
  EXPECT_EQ(error_of(h + ".global .u32 a[2] = {1, 2, 3};").message(), "'a' has more values than its 8 bytes");
  EXPECT_EQ(error_of(h + ".global .align 3 .u32 a;").message(), "an alignment is a power of two, found 3");
}

TEST(DiagnosticsOf, UnsupportedInstructionsAreCollected) {
  std::vector<Unsupported> found;
  const Module m = parse_module(kernel_text("@%p1 tensormap.cp_fenceproxy [%r1], 32;\nadd.s32 %r1, %r1, "
                                            "1;\nsust.p.2d.b32.trap [%rd1, {%r1, %r2}], {%r3};"),
                                "test.ptx", {}, &found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].instruction, "tensormap.cp_fenceproxy");
  EXPECT_EQ(found[0].function, "k");
  EXPECT_EQ(found[0].line, 7u);
  EXPECT_EQ(found[0].column, 6u);
  EXPECT_NE(found[0].reason.find("TMA"), std::string::npos);
  EXPECT_EQ(found[1].line, 9u);
  const auto& instrs = m.find_function("k")->instrs;
  EXPECT_EQ(instrs[0].op, Op::Trap);
  EXPECT_EQ(instrs[0].guard.kind, Operand::Kind::Pred);
  EXPECT_EQ(instrs[1].op, Op::Add);
  EXPECT_EQ(instrs[2].op, Op::Trap);
}

}  // namespace
}  // namespace heddle::ptx
