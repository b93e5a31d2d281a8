#include "ptx/rewrite/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"

namespace heddle::ptx::tree {
namespace {

const std::string kText =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tbar.sync 0;\n\tret;\n}\n";

Pass append(const std::string& name, const std::string& code) {
  return {name, [code](Module& m) -> std::optional<Refusal> {
            for (Statement& s : read_statements(code)) find_function(m, "k")->body->statements.push_back(s);
            return {};
          }};
}

Pass refusing_barriers() {
  return {"no barriers", [](Module& m) -> std::optional<Refusal> {
            Function* k = find_function(m, "k");
            k->name.text = "half_done";
            for (const Statement* s : instructions(*k->body))
              if (s->as<Instruction>()->root.is("bar")) return refuse("barrier", "it has a barrier", "k", s);
            return {};
          }};
}

TEST(Passes, RunInTheirOrder) {
  Module m = read_module(kText, "k.ptx");
  const Pass passes[] = {append("first", "mov.u32 %a, 1;"), append("second", "L: mov.u32 %b, 2;")};
  EXPECT_FALSE(run_passes(m, passes));
  EXPECT_EQ(print(m),
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tbar.sync "
            "0;\n\tret;\n\tmov.u32 "
            "%a, 1;\nL:\n\tmov.u32 %b, 2;\n}\n");
}

TEST(Passes, RefusalLeavesTheModuleAndNamesThePlace) {
  Module m = read_module(kText, "k.ptx");
  const std::string before = print(m);
  const Pass passes[] = {append("first", "nop;"), refusing_barriers(), append("third", "nop;")};
  const auto refusal = run_passes(m, passes);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(print(m), before);
  EXPECT_EQ(refusal->pass, "no barriers");
  EXPECT_EQ(refusal->rule, "barrier");
  const Error e = error_of(*refusal, m);
  EXPECT_EQ(e.place().file, "k.ptx");
  EXPECT_EQ(e.place().line, 6u);
  EXPECT_THAT(
      e.what(),
      testing::HasSubstr("pass 'no barriers' does not rewrite 'k': it has a barrier (here 'bar.sync 0;')"));
}

}  // namespace
}  // namespace heddle::ptx::tree
