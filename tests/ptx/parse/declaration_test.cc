// Headings, variables, initialisers, functions, scopes.
#include <cstring>

#include "ptx_text.h"

namespace heddle::ptx {
namespace {

Module module_of(std::string_view text) {
  return parse(std::string(kHeading) + std::string(text));
}

template <class T>
T value_at(const Variable& v, std::size_t offset) {
  T t;
  EXPECT_LE(offset + sizeof(T), v.init.size());
  std::memcpy(&t, v.init.data() + offset, sizeof(T));
  return t;
}

TEST(Declaration, Heading) {
  const Module m = parse(".version 6.5\n.target sm_75, debug, texmode_independent\n.address_size 64\n");
  EXPECT_EQ(m.version_major, 6u);
  EXPECT_EQ(m.version_minor, 5u);
  EXPECT_EQ(m.target, "sm_75");
  EXPECT_NE(error_of(".version 6.5\n.target sm_30\n.address_size 32\n").message().find("64"),
            std::string::npos);
}

TEST(Declaration, Variables) {
  const Module m = module_of(
      ".visible .global .align 8 .b8 a[24];\n.extern .shared .align 16 .b8 dyn[];\n.const .f64 c;\n"
      ".global .attribute(.managed) .align 4 .u32 man;\n.shared .v4 .f32 vec[2];\n.global .u16 x[2][3], y;");
  ASSERT_EQ(m.variables.size(), 7u);
  EXPECT_EQ(m.variables[0].size, 24u);
  EXPECT_EQ(m.variables[0].align, 8u);
  EXPECT_TRUE(m.variables[1].external);
  EXPECT_EQ(m.variables[1].size, 0u);
  EXPECT_EQ(m.variables[2].space, Space::Const);
  EXPECT_EQ(m.variables[2].align, 8u);
  EXPECT_EQ(m.variables[3].size, 4u);
  EXPECT_EQ(m.variables[4].size, 32u);
  EXPECT_EQ(m.variables[4].align, 16u);
  EXPECT_EQ(m.variables[5].size, 12u);
  EXPECT_EQ(m.variables[6].size, 2u);
}

TEST(Declaration, ScalarAndArrayInitialisers) {
  const Module m = module_of(
      ".global .u32 a = 7;\n.const .f32 b[3] = {0f3F800000, 2.5, -1.0};\n.global .b8 c[4] = {1, 0xFF};\n"
      ".global .s16 d[2][2] = {{1, 2}, {-3}};\n.const .f64 e[] = {1.5, 0d4000000000000000};\n.global .f32 z "
      "= 0f80000000;");
  EXPECT_EQ(value_at<std::uint32_t>(m.variables[0], 0), 7u);
  EXPECT_EQ(value_at<float>(m.variables[1], 0), 1.0f);
  EXPECT_EQ(value_at<float>(m.variables[1], 4), 2.5f);
  EXPECT_EQ(value_at<float>(m.variables[1], 8), -1.0f);
  EXPECT_EQ(value_at<std::uint8_t>(m.variables[2], 1), 0xFF);
  EXPECT_EQ(value_at<std::uint8_t>(m.variables[2], 3), 0);
  EXPECT_EQ(value_at<std::int16_t>(m.variables[3], 4), -3);
  EXPECT_EQ(value_at<std::int16_t>(m.variables[3], 6), 0);
  EXPECT_EQ(m.variables[4].size, 16u);
  EXPECT_EQ(value_at<double>(m.variables[4], 8), 2.0);
  EXPECT_EQ(value_at<std::uint32_t>(m.variables[5], 0), 0x80000000u);
}

TEST(Declaration, AddressesInInitialisersAreRelocations) {
  const Module m = module_of(
      ".global .u32 a[4];\n.func f() { ret; }\n"
      ".global .u64 t[4] = {a, a+8, generic(a)+4, f};\n.global .b8 bytes[2] = {0xFF(a), "
      "0xFF00(generic(a))};");
  const Variable& t = m.variables[1];
  ASSERT_EQ(t.relocations.size(), 4u);
  EXPECT_EQ(t.relocations[1].offset, 8u);
  EXPECT_EQ(t.relocations[1].addend, 8);
  EXPECT_TRUE(t.relocations[2].generic);
  EXPECT_EQ(t.relocations[2].addend, 4);
  EXPECT_EQ(m.symbols[t.relocations[3].symbol].kind, Symbol::Kind::Function);
  const Variable& b = m.variables[2];
  ASSERT_EQ(b.relocations.size(), 2u);
  EXPECT_EQ(b.relocations[1].size, 1);
  EXPECT_EQ(b.relocations[1].shift, 8);
}

TEST(Declaration, KernelsAndTheirParameters) {
  const Module m = module_of(
      ".visible .entry k(.param .u64 .ptr .global .align 4 p, .param .u8 c, .param .align 8 .b8 s[20], "
      ".param .f32 f)\n"
      ".maxntid 128, 2, 1 .minnctapersm 2 .maxnreg 64 .reqntid 64\n{ ret; }");
  const Function& f = m.functions[0];
  EXPECT_TRUE(f.entry);
  ASSERT_EQ(f.params.size(), 4u);
  EXPECT_EQ(f.params[1].offset, 8u);
  EXPECT_EQ(f.params[2].offset, 16u);
  EXPECT_EQ(f.params[2].size, 20u);
  EXPECT_EQ(f.params[3].offset, 36u);
  EXPECT_EQ(f.param_bytes, 40u);
  EXPECT_EQ(f.max_threads, 256u);
  EXPECT_EQ(f.required_threads, 64u);
  EXPECT_EQ(f.min_ctas, 2u);
  EXPECT_EQ(f.max_registers, 64u);
}

TEST(Declaration, ForwardDeclarationAndDefinitionAreOneFunction) {
  const Module m = module_of(
      ".func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a) .noreturn { ret; }\n"
      ".extern .func vprintf(.param .b64 a, .param .b64 b);");
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_FALSE(m.functions[0].external);
  EXPECT_TRUE(m.functions[1].external);
  EXPECT_EQ(error_of(std::string(kHeading) + ".func f(.param .b32 a);\n.func f() { ret; }").message(),
            "'f' has other parameters here than on line 4");
}

TEST(Declaration, BlocksHaveTheirOwnRegisters) {
  const Module m =
      parse(kernel_text("{ .reg .b32 t; mov.u32 t, 1; }\n{ .reg .b64 t; mov.u64 t, 1; { .reg .b32 %rd<3>; "
                        "mov.u32 %rd1, 2; } }"));
  const Function& f = *m.find_function("k");
  ASSERT_EQ(f.registers.size(), 3u);
  EXPECT_EQ(f.registers[f.instrs[0].dst[0].index].type, Type::B32);
  EXPECT_EQ(f.registers[f.instrs[1].dst[0].index].type, Type::B64);
  EXPECT_EQ(f.registers[f.instrs[2].dst[0].index].type, Type::B32);
}

TEST(Declaration, DebugInformationIsSkipped) {
  const Module m =
      parse(std::string(kHeading) +
            ".file 1 \"a.cu\", 12, 34\n.entry k() {\n.loc 1 5 3\n"
            ".loc 1 6 1, function_name $L__info_string0, inlined_at 1 5 3\nret; .pragma \"nounroll\";\n}\n"
            "@@DWARF dwarf stuff\n.section .debug_str { $L__info_string0: .b8 95,90 { } }\n"
            ".section .debug_abbrev\n{\n.b8 1\n}\n");
  EXPECT_EQ(m.functions[0].instrs.size(), 1u);
}

TEST(Declaration, ExternalVariableAndItsDefinitionAreOne) {
  const Module m = module_of(".extern .global .u32 a;\n.visible .global .u32 a = 3;\n.weak .global .u32 w;");
  ASSERT_EQ(m.variables.size(), 2u);
  EXPECT_FALSE(m.variables[0].external);
  EXPECT_EQ(m.variables[0].init.size(), 4u);
}

}  // namespace
}  // namespace heddle::ptx
