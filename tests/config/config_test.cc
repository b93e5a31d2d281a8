#include "config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::config {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view toml) {
  try {
    Config::parse(toml, "f.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string set_error(std::string_view assignment) {
  Config config;
  try {
    config.set(assignment);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

Value set_value(std::string_view assignment) {
  Config config;
  config.set(assignment);
  return config.entries().begin()->second.value;
}

TEST(PathLess, ListsCountAndTablesStayTogether) {
  const PathLess less;
  EXPECT_TRUE(less("a[2].x", "a[10].x"));
  EXPECT_FALSE(less("a[10].x", "a[2].x"));
  EXPECT_TRUE(less("a.b", "a-b"));
  EXPECT_TRUE(less("a", "a.b"));
  EXPECT_FALSE(less("a.b", "a.b"));
}

TEST(Config, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(error_of("a = 1\nb = = 2\n"), HasSubstr("f.toml:2:5: not valid TOML"));
  EXPECT_THAT(error_of("a = 1\na = 2\n"), HasSubstr("f.toml:2"));
  EXPECT_THAT(error_of("a = 1979-05-27"), HasSubstr("dates and times are not used"));
  EXPECT_THAT(error_of("a = 1979-05-27Tp7:32:00"), HasSubstr("dates and times are not used"));
  EXPECT_THAT(error_of("a = 1\nb = \xd2\x99"),
              HasSubstr("f.toml:2:5: letters other than ASCII may only stand in quotes"));
  EXPECT_THAT(error_of("a = \"\xff\""), HasSubstr("expected valid UTF-8"));
  EXPECT_EQ(error_of("a = \"\xc3\xa4\" # \xc3\xa4"), "no error");
  EXPECT_THAT(error_of("a = 07:32:00"), HasSubstr("dates and times are not used"));
  EXPECT_EQ(error_of("a = \"C:\" # why: a path"), "no error");
  EXPECT_THAT(error_of("\"a b\" = 1"), HasSubstr("the key 'a b' is not of"));
  EXPECT_THAT(error_of("a = [{x = 1}, 2]"), HasSubstr("mixes tables with other values"));
  EXPECT_THAT(error_of("[[a]]\n[[a]]\nx = 1"), HasSubstr("element 0 of 'a' is empty"));
}

// The library asserts on these, or worse; toml_tree_test.cc has the whole list.
TEST(Config, TextThatTheLibraryDoesNotSurvive) {
  EXPECT_THAT(error_of("a = [ }"), HasSubstr("f.toml:1:7: not valid TOML: expected ']' before '}'"));
  EXPECT_THAT(error_of("a = 1\nb = [1,\n}"), HasSubstr("f.toml:3:1: not valid TOML: expected ']'"));
  EXPECT_THAT(error_of("a = { b = [ }"), HasSubstr("f.toml:1:13: not valid TOML"));
  EXPECT_THAT(error_of("a = \"\"\"\\\n \xd2\x99\"\"\""), HasSubstr("f.toml:2:2: after a backslash"));
  EXPECT_THAT(error_of("a = 1\"\xd2\x99\""), HasSubstr("f.toml:1:6: a quote in the middle"));
  EXPECT_THAT(error_of("a = 1\nb = [{x = 1}, 2]"), HasSubstr("f.toml:2:15: 'b' mixes"));
  EXPECT_THAT(error_of("a = [[{x = 1}]]"), HasSubstr("f.toml:1:7: a list inside a list"));
  EXPECT_THAT(error_of("a = 1\n[ .b]"), HasSubstr("f.toml:2:3: not valid TOML: expected the name"));
  EXPECT_THAT(set_error("a=[ }"), HasSubstr("--set:1:3: not valid TOML"));
}

TEST(Config, NestingAndSizeAreBounded) {
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_THAT(error_of(dots + " = 1"), HasSubstr("at most 16 parts"));
  EXPECT_THAT(error_of("[" + dots + "]"), HasSubstr("at most 16 parts"));
  EXPECT_THAT(error_of("a = " + std::string(100'000, '[')), HasSubstr("at most 16 deep"));
  EXPECT_THAT(error_of(std::string(2 << 20, ' ')), HasSubstr("larger than 1MiB"));
  EXPECT_EQ(error_of("a = \"....................................\" # ................................"),
            "no error");
  EXPECT_EQ(error_of("a = '''\n'................................''''"), "no error");
  EXPECT_THAT(error_of("a.a.a.a.a.a.a.a = {b.b.b.b.b.b.b.b.b.b = 1}"), HasSubstr("nested at most 16"));
  EXPECT_THAT(error_of(std::string(65, 'k') + " = 1"), HasSubstr("not of 1 to 64"));
}

TEST(Config, SetTakesTomlOrPlainText) {
  EXPECT_EQ(set_value("a=64"), Value{std::int64_t{64}});
  EXPECT_EQ(set_value("a = true"), Value{true});
  EXPECT_EQ(set_value("a=0.5"), Value{0.5});
  EXPECT_EQ(set_value("a.b=48KiB"), Value{std::string("48KiB")});
  EXPECT_EQ(set_value("a=\"x=y\""), Value{std::string("x=y")});
  EXPECT_EQ(set_value("a=gto"), Value{std::string("gto")});
  EXPECT_EQ(set_value("a=1\nb=2"), Value{std::string("1\nb=2")});
  EXPECT_THAT(set_error("a"), HasSubstr("expected path=value"));
  EXPECT_THAT(set_error("a="), HasSubstr("the value is missing"));
  EXPECT_THAT(set_error("a b=1"), HasSubstr("'a b' is not a path"));
  EXPECT_THAT(set_error("=1"), HasSubstr("is not a path"));
  EXPECT_THAT(set_error("a=[1,"), HasSubstr("--set:1:3: not valid TOML"));
}

TEST(Config, AValueCannotBeATable) {
  Config config = Config::parse("[l1]\nsize = 1", "f.toml");
  EXPECT_THROW(config.set("l1=3"), Error);
  EXPECT_THROW(config.set("l1.size.x=3"), Error);
  config.set("l1.size=2");
  EXPECT_EQ(config.find("l1.size")->value, Value{std::int64_t{2}});
  EXPECT_EQ(config.find("l1.size")->origin.brief(), "--set");
}

TEST(Config, DumpOfListsOfTablesLoadsAgain) {
  std::string text = "z = 1.0\n";
  for (int i = 0; i < 12; ++i)
    text += "[[a]]\nx = " + std::to_string(i) +
            "\n[a.t]\ny = \"q\\\"\\u0001\"\n[[a.b]]\nk = [1, [2.5, 3e30]]\n[[a.b]]\nk = []\n";
  const Config config = Config::parse(text, "f.toml");
  const Config again = Config::parse(config.dump(), "g.toml");
  EXPECT_EQ(again.list_size("a"), 12u);
  EXPECT_EQ(again.list_size("a[11].b"), 2u);
  EXPECT_EQ(again.dump(false), config.dump(false));
  EXPECT_THAT(config.dump(), HasSubstr("z = 1.0  # f.toml:1\n"));
}

TEST(Config, TheRemarkBesideAValueStaysWithIt) {
  const Config config = Config::parse(
      "# head\na = 1  # measured: 3.2\nb = \"x # y\"\nt = { c = 2, d = 3 }  # assumed\n", "f.toml");
  EXPECT_EQ(config.find("a")->origin.remark(), "measured: 3.2");
  EXPECT_EQ(config.find("b")->origin.remark(), "");
  EXPECT_EQ(config.find("t.d")->origin.remark(), "assumed");
  EXPECT_THAT(config.dump(), HasSubstr("# f.toml:2  measured: 3.2\n"));
}

}  // namespace
}  // namespace heddle::config
