// Text, tree, text: the decoded module stays the same.
#include <gtest/gtest.h>

#include "base/error.h"
#include "exec/random_program.h"
#include "ptx/parse/parse_module.h"
#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "ptx/rewrite/read.h"
#include "rewrite/ptxas.h"
#include "rewrite/repository_texts.h"
#include "rewrite/same_module.h"
#include "workload/random.h"

namespace heddle::ptx {
namespace {

Module decoded(const std::string& text, const std::string& name) {
  std::vector<Unsupported> unsupported;
  return parse_module(text, name, {}, &unsupported);
}

// Empty: all is well.
std::string trouble_of_round_trip(const std::string& text, const std::string& name) {
  tree::Module t = tree::read_module(text, name);
  const std::string printed = tree::print(t);
  if (tree::print(tree::read_module(printed, name)) != printed) return "the second printing differs";
  const Module before = decoded(text, name), after = decoded(printed, name);
  if (std::string d = difference(before, after); !d.empty()) return d;
  // What passes rely on: instruction n of the tree is instruction n of the module, and stands where it does.
  for (const Function& f : before.functions) {
    if (f.external || f.prototype) continue;
    tree::Function* of_tree = tree::find_function(t, f.name);
    if (of_tree == nullptr || !of_tree->body) return "no function " + f.name;
    const auto statements = tree::instructions(*of_tree->body);
    if (statements.size() != f.instrs.size() && statements.size() + 1 != f.instrs.size())
      return "the number of instructions of " + f.name;
    for (std::size_t i = 0; i < statements.size(); ++i)
      if (statements[i]->at.line != f.instrs[i].line) return "the line of an instruction of " + f.name;
  }
  return {};
}

TEST(RoundTrip, AllTextsOfTheRepository) {
  const std::vector<NamedText> texts = repository_texts();
  ASSERT_GE(texts.size(), 110u);
  for (const NamedText& t : texts) EXPECT_EQ(trouble_of_round_trip(t.text, t.name), "") << t.name;
}

TEST(RoundTrip, WhateverParsesCanBeRewritten) {
  std::size_t parsed = 0;
  for (const NamedText& t : fuzzer_texts()) {
    try {
      decoded(t.text, t.name);
    } catch (const Error&) {
      continue;
    }
    ++parsed;
    EXPECT_EQ(trouble_of_round_trip(t.text, t.name), "") << t.name;
  }
  EXPECT_GE(parsed, 5u);
}

TEST(RoundTrip, RandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = exec::to_ptx(exec::make_random_program(seed));
    EXPECT_EQ(trouble_of_round_trip(text, "random.ptx"), "") << seed;
  }
}

// Text inside fat binaries has no line breaks.
TEST(RoundTrip, TextOnOneLine) {
  for (const NamedText& t : repository_texts()) {
    if (t.text.size() > 20'000 || t.name.find(".debug.") != std::string::npos) continue;
    std::string squeezed = tree::print(tree::read_module(t.text, t.name));
    for (char& c : squeezed)
      if (c == '\n') c = ' ';
    const std::string printed = tree::print(tree::read_module(squeezed, t.name));
    EXPECT_EQ(difference(decoded(t.text, t.name), decoded(printed, t.name)), "") << t.name;
  }
}

// A comparison that finds nothing proves nothing.
TEST(RoundTrip, ComparisonSeesEachChangedToken) {
  const NamedText t{"vecadd", repository_texts().at(0).text};
  const Module before = decoded(t.text, t.name);
  const auto differs = [&](std::string_view from, std::string_view to) {
    std::string text = t.text;
    const std::size_t at = text.find(from);
    if (at == std::string::npos) return false;
    text.replace(at, from.size(), to);
    return !difference(before, decoded(text, t.name)).empty();
  };
  EXPECT_TRUE(differs("%ctaid.x", "%ctaid.y"));
  EXPECT_TRUE(differs("st.global", "st.global.cg"));
  EXPECT_TRUE(differs("@%p", "@!%p"));
  EXPECT_TRUE(differs(".param .u64", ".param .u32"));
  EXPECT_TRUE(differs("%tid.x", "%tid.z"));
}

// Cut anywhere: a tree, or an error with its place; and never less than parse_module takes.
void try_damaged(const std::string& text, const std::string& name) {
  bool parses = true;
  try {
    decoded(text, name);
  } catch (const Error&) {
    parses = false;
  }
  try {
    const std::string printed = tree::print(tree::read_module(text, name));
    if (parses) {
      EXPECT_EQ(difference(decoded(text, name), decoded(printed, name)), "") << name;
    } else {
      EXPECT_THROW(decoded(printed, name), Error) << name << ": refused before, accepted after printing\n"
                                                  << text;
    }
  } catch (const Error& e) {
    EXPECT_FALSE(parses) << e.what();
    EXPECT_GT(e.place().line, 0u) << e.what();
    EXPECT_EQ(e.place().file, name);
  }
}

TEST(DamagedText, CutAnywhere) {
  for (const NamedText& t : fuzzer_texts())
    for (std::size_t end = 0; end < t.text.size(); end += 1 + t.text.size() / 400)
      try_damaged(t.text.substr(0, end), "cut.ptx");
}

TEST(DamagedText, BytesRemovedRepeatedAndReplaced) {
  workload::Random random(7);
  const std::string_view puzzling = "{}()[];,:@.\"<>=!%\n 0x/*";
  for (const NamedText& t : fuzzer_texts()) {
    for (int n = 0; n < 150; ++n) {
      std::string text = t.text;
      const std::size_t at = random.below(text.size()), length = random.below(12);
      switch (random.below(3)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(random.below(text.size()), length));
          break;
        default:
          text[at] = puzzling[random.below(puzzling.size())];
      }
      try_damaged(text, "damaged.ptx");
    }
  }
}

// The same machine code from the printed text as from the original.
TEST(RoundTrip, AssemblesToTheSame) {
  if (!Ptxas::installed()) GTEST_SKIP() << "ptxas is not installed";
  const Ptxas ptxas;
  std::size_t assembled = 0;
  for (const NamedText& t : repository_texts()) {
    if (t.text.size() > 40'000 || t.name.find("golden") != std::string::npos) continue;
    const Ptxas::Result before = ptxas.assemble(t.text);
    if (!before.ok) continue;  // not for this ptxas
    const Ptxas::Result after = ptxas.assemble(tree::print(tree::read_module(t.text, t.name)));
    ASSERT_TRUE(after.ok) << t.name << "\n" << after.messages;
    if (t.name.find(".debug.") == std::string::npos) {
      EXPECT_TRUE(before.cubin == after.cubin) << t.name;
    }
    ++assembled;
  }
  EXPECT_GE(assembled, 50u);
}

}  // namespace
}  // namespace heddle::ptx
