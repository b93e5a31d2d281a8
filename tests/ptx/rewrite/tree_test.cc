// What a tree holds, what it keeps without knowing it, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace heddle::ptx::tree {
namespace {

using testing::HasSubstr;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module in_kernel(const std::string& body) {
  return read_module(
      kHead + ".visible .entry k(.param .u64 a, .param .align 8 .b8 b[16])\n.maxntid 128, 1, 1\n{\n" + body +
          "\n}\n",
      "test.ptx");
}

std::vector<Statement>& body_of(Module& m) {
  return find_function(m, "k")->body->statements;
}

TEST(Tree, InstructionIsGuardRootModifiersOperands) {
  Module m = in_kernel("@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+4];");
  const auto* i = body_of(m).at(0).as<Instruction>();
  ASSERT_NE(i, nullptr);
  EXPECT_EQ(print(i->guard), "@!%p1");
  EXPECT_EQ(i->root.text, "ld");
  ASSERT_EQ(i->modifiers.size(), 3u);
  EXPECT_TRUE(has_modifier(*i, ".v2"));
  ASSERT_EQ(i->operands.size(), 2u);
  EXPECT_EQ(print(i->operands[0]), "{%r1, %r2}");
  EXPECT_EQ(print(i->operands[1]), "[%rd1+4]");
  EXPECT_EQ(body_of(m)[0].at.line, 7u);
}

TEST(Tree, FunctionHasHeadingParametersAndPerformance) {
  Module m = in_kernel("ret;");
  const Function* f = find_function(m, "k");
  EXPECT_TRUE(f->entry());
  ASSERT_EQ(f->params->size(), 2u);
  EXPECT_EQ(parameter_name(f->params->at(0)), "a");
  EXPECT_EQ(parameter_name(f->params->at(1)), "b");
  EXPECT_EQ(print(f->performance), ".maxntid 128, 1, 1");
}

TEST(Tree, StatementsOfABody) {
  Module m = in_kernel(
      ".reg .b32 %r<4>;\n$L1: mov.u32 %r1, %tid.x;\n{ .param .b32 p; call (p), f, (p, p); }\n.loc 1 2 3, "
      "function_name "
      "$L1+4, inlined_at 1 5 6\n.pragma \"nounroll\";\nts: .branchtargets $L1, $L1;\nret;");
  const auto& s = body_of(m);
  ASSERT_EQ(s.size(), 9u);
  EXPECT_NE(s[0].as<Declaration>(), nullptr);
  EXPECT_NE(s[1].as<Label>(), nullptr);
  EXPECT_NE(s[2].as<Instruction>(), nullptr);
  const auto* block = s[3].as<Block>();
  ASSERT_NE(block, nullptr);
  const auto* call = block->statements.at(1).as<Instruction>();
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->operands.size(), 3u);
  EXPECT_NE(s[4].as<Directive>(), nullptr);
  EXPECT_NE(s[5].as<Directive>(), nullptr);
  EXPECT_NE(s[6].as<Label>(), nullptr);
  EXPECT_NE(s[7].as<Directive>(), nullptr);
  EXPECT_EQ(instructions(find_function(m, "k")->body.value()).size(), 3u);
}

TEST(Tree, KeepsWhatItDoesNotKnow) {
  const std::string known = kHead + ".blackmagic 7, { a b }\n.other thing;\n.visible .global .u32 g = 4;\n";
  const std::string text = print(read_module(known, "test.ptx"));
  EXPECT_THAT(text, HasSubstr(".blackmagic 7, { a b }\n"));
  EXPECT_THAT(text, HasSubstr(".other thing;\n.visible .global .u32 g = 4;\n"));
  Module m =
      in_kernel("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r3, %r4}, %p1;\n.hint 3\nret;");
  const std::string body = print(m);
  EXPECT_THAT(body, HasSubstr("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r3, %r4}, %p1;"));
  EXPECT_THAT(body, HasSubstr("\t.hint 3\n\tret;"));
}

TEST(Tree, StringsKeepTheirEscapes) {
  const std::string text = kHead + ".file 1 \"a\\\"b \\\\ c\", 12, 13\n";
  EXPECT_THAT(print(read_module(text, "test.ptx")), HasSubstr(".file 1 \"a\\\"b \\\\ c\", 12, 13\n"));
}

TEST(Tree, FreshPrefixesBeginNoName) {
  Module m = in_kernel(".reg .b32 %hd_a; .reg .b32 %r<4>; ab_c__d: ret;");
  const Names names(m);
  EXPECT_EQ(names.fresh_prefix("hd"), "hd_");
  EXPECT_EQ(names.fresh_prefix("ab"), "ab_");
  EXPECT_EQ(names.fresh_prefix("ab_c"), "ab_c__");
  EXPECT_EQ(names.fresh_prefix("r"), "r");
}

TEST(Tree, SpecialRegistersAreReplacedByElement) {
  Module m = in_kernel("mad.lo.u32 %r1, %ctaid.x, %ntid.x, %tid.x;");
  auto* i = body_of(m).at(0).as<Instruction>();
  EXPECT_TRUE(reads_special(i->operands[1], "%ctaid", ".x"));
  EXPECT_FALSE(reads_special(i->operands[1], "%ctaid", ".y"));
  EXPECT_FALSE(reads_special(i->operands[1], "%ctaid", ""));
  for (Pieces& o : i->operands) replace_special(o, "%ctaid", ".x", "%b");
  EXPECT_EQ(print(body_of(m)[0]), "mad.lo.u32 %r1, %b, %ntid.x, %tid.x;");
}

struct Wrong {
  std::string text, message;
  std::uint32_t line;
};

TEST(Tree, ErrorsTellTheLine) {
  const Wrong wrong[] = {
      {"ld.global.u32 %r1, [%rd1;\nret;", "closes nothing", 9},
      {"mov.u32 %r1, %r2", "never closed: expected ';'", 7},
      {"mov.u32 %r1, %r2);", "closes nothing in this instruction", 7},
      {"@ ;", "a predicate after '@'", 7},
      {"{ ret;", "never closed: expected '}'", 6},
      {".reg .b32 %r<4>", "declaration is never closed", 7},
      {"ret;\n= 4;", "expected an instruction, a label or a declaration", 8},
      {".section .debug { (", "closes nothing in this section", 8},
  };
  for (const Wrong& w : wrong) {
    try {
      in_kernel(w.text);
      ADD_FAILURE() << "no error: " << w.text;
    } catch (const Error& e) {
      EXPECT_THAT(e.message(), HasSubstr(w.message));
      EXPECT_EQ(e.place().line, w.line) << e.what();
    }
  }
}

TEST(Tree, NestingHasALimit) {
  const std::string deep(100'000, '{');
  EXPECT_THROW(in_kernel(deep), Error);
}

}  // namespace
}  // namespace heddle::ptx::tree
