#include "config/toml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"

namespace heddle::config {
namespace {

using testing::HasSubstr;

constexpr TomlLimits kLimits{.what = "test"};

TomlNode tree_of(std::string text) {
  return parse_toml(TomlSource("f.toml", std::move(text)), kLimits);
}

std::string error_of(std::string text, const TomlLimits& limits = kLimits) {
  try {
    parse_toml(TomlSource("f.toml", std::move(text)), limits);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string unchecked_error(std::string text) {
  try {
    detail::parse_unchecked(TomlSource("f.toml", std::move(text)), kLimits);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(TomlTree, KeepsTheOrderAndThePlaces) {
  const TomlNode root = tree_of("z = 1\n[y.b]\n  x = [true, 0.5]\n[y.a]\ns = 's'\n");
  const TomlNode::Table& t = *root.table();
  ASSERT_EQ(t.size(), 2u);
  EXPECT_EQ(t[0].key, "z");
  EXPECT_EQ(t[0].node.kind(), "an integer");
  EXPECT_EQ(t[0].node.column, 5u);
  EXPECT_EQ(t[1].key, "y");
  EXPECT_EQ(t[1].node.line, 2u);  // only [y.b] made it
  const TomlNode::Table& y = *t[1].node.table();
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(y[0].key, "b");
  EXPECT_EQ(y[1].key, "a");
  const TomlMember& x = y[0].node.table()->at(0);
  EXPECT_EQ(x.line, 3u);
  EXPECT_EQ(x.column, 3u);
  EXPECT_EQ(x.node.list()->at(1).column, 14u);
  EXPECT_EQ(*y[1].node.table()->at(0).node.text(), "s");
}

// What the library does not survive; each with the beginning of its message.
TEST(TomlTree, BadTextIsAnErrorWithAPlace) {
  const std::pair<std::string, std::string> kBad[] = {
      {"a = [ }", "f.toml:1:7: not valid TOML: expected ']' before '}', to close the '[' before it"},
      {"a = [1,\n 2\n}", "f.toml:3:1: not valid TOML: expected ']' before '}', to close the '[' of line 1"},
      {"a = [ [ }", "f.toml:1:9: not valid TOML"},
      {"a = { b = [1 }", "f.toml:1:14: not valid TOML: expected ']'"},
      {"a = { b = 1 ]", "f.toml:1:13: not valid TOML: expected '}'"},
      {"[.a]", "f.toml:1:2: not valid TOML: expected the name of a table"},
      {"a = 1\n [[ =", "f.toml:2:5: not valid TOML: expected the name of a table"},
      {"a = }", "f.toml:1:5: not valid TOML"},
      {"a = ]", "f.toml:1:5: not valid TOML"},
      {"a =", "f.toml:1:"},
      {"[", "f.toml:1:"},
      {"a = [", "f.toml:1:"},
      {"a = {", "f.toml:1:"},
      {"}", "f.toml:1:1: not valid TOML"},
      {"a = 1\nb = \xd2\x99", "f.toml:2:5: letters other than ASCII"},
      {"a = '\xd2\x99\xd2\x99' \xd2\x99", "f.toml:1:10: letters other than ASCII"},
      {"a = 1\nb = '\xff'", "f.toml:2: expected valid UTF-8"},
      {"a = 1979-05-27Tp7:32:00", "f.toml:1:18: expected no ':' here"},
      {"a = 1979-05-27", "f.toml:1:5: dates and times are not used in a test"},
      {"a = 1979-05-27T", "f.toml:1:"},
      {"a = \"\"\"\\\n \xd2\x99\"\"\"", "f.toml:2:2: after a backslash"},
      {"a = 1\"b\"", "f.toml:1:6: a quote in the middle"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1", "f.toml:1:32: a key may have at most 16 parts"},
      {"a = 1\nb = " + std::string(100'000, '['), "f.toml:2:21: values may be nested at most 16 deep"},
      {"[a.b.c.d.e.f.g.h.i]\nj.k.l.m.n.o.p.q = 1", "f.toml:2:15: tables may be nested at most 16 deep"},
  };
  for (const auto& [text, message] : kBad) EXPECT_THAT(error_of(text), testing::StartsWith(message)) << text;
}

TEST(TomlTree, LimitsAreTheCallers) {
  TomlLimits limits{.what = "list", .bytes = 10, .nesting = 2, .key_parts = 3, .if_larger = "use a file"};
  EXPECT_EQ(error_of("a.b = 1", limits), "no error");
  EXPECT_THAT(error_of("a = 'longer than ten'", limits), HasSubstr("the list is larger than 10B"));
  EXPECT_THAT(error_of("a = 'longer than ten'", limits), HasSubstr("use a file"));
  EXPECT_THAT(error_of("a=[[[1]]]", limits), HasSubstr("nested at most 2"));
  EXPECT_THAT(error_of("a.b.c.d=1", limits), HasSubstr("at most 3 parts"));
  EXPECT_THAT(error_of("a.b.c=1", limits), HasSubstr("tables may be nested at most 2 deep"));
  limits.nesting = 3;
  EXPECT_EQ(error_of("a.b.c=1", limits), "no error");
}

// An assertion of the library that no check foresees still becomes an error that names the line.
TEST(TomlTree, AnAssertionHasALine) {
  EXPECT_THAT(unchecked_error("a = [ }"), HasSubstr("f.toml:1: not valid TOML: a bracket or a value"));
  EXPECT_THAT(unchecked_error("\n\n\na = [\n\n}\n\n\n]\n"), HasSubstr("f.toml:6: not valid TOML"));
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "key" + std::to_string(i) + " = [1,\n" + "2]\n";
  EXPECT_THAT(unchecked_error(lines + "a = [ }\n" + "b = 1\n"), HasSubstr("f.toml:10001: not valid TOML"));
}

// Every text of up to three of these letters after a beginning: a tree, or an error that names its line and
// cause.
TEST(TomlTree, EveryShortText) {
  constexpr std::string_view kLetters = "a1=.[]{},\"'#:\n\\-";
  const auto unexplained = [](const std::string& text) {
    try {
      tree_of(text);
    } catch (const Error& e) {
      return e.place().line == 0 || e.message().find("out of place") != std::string::npos;
    }
    return false;
  };
  std::vector<std::string> found;
  for (std::size_t number = 0; number < kLetters.size() * kLetters.size() * kLetters.size(); ++number) {
    std::string text;
    for (std::size_t rest = number; rest > 0; rest /= kLetters.size())
      text += kLetters[rest % kLetters.size()];
    for (const char* const before : {"", "a=", "a=[", "a={", "a={b=", "[", "[[a"})
      if (unexplained(before + text)) found.push_back(before + text);
  }
  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace heddle::config
