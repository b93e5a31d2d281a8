// Errors of typed reading: place, key, what was expected, the nearest name.
#include "config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::config {
namespace {

using testing::HasSubstr;

struct Argument {
  std::string name;
  std::int32_t value = 0;
  void fields(Reader& r) {
    r.required("name", name, "Name of the parameter");
    r.field("value", value, "Value");
  }
};

struct Spec {
  std::uint8_t small = 1;
  double ratio = 0.5;
  bool on = true;
  std::string text = "abc";
  Duration tras = 28_ns;
  Frequency clock = 1_GHz;
  std::vector<std::uint32_t> numbers = {1, 2};
  std::vector<Argument> arguments;
  std::string policy = "gto";

  void fields(Reader& r) {
    r.field("small", small, "A small number");
    r.field("ratio", ratio, range(0.0, 1.0), "A share");
    r.field("on", on, "A switch");
    r.field("text", text, "A text");
    r.field("dram.tras", tras, "A time");
    r.field("clock", clock, "A clock");
    r.field("numbers", numbers, "Some numbers");
    r.list("argument", arguments, "Arguments of the kernel");
    r.choice("policy", policy,
             std::vector<NamedChoice>{{"lrr", "round robin"}, {"gto", "greedy, then oldest"}}, "A policy");
  }
};

std::string reading_error(std::string_view toml) {
  Config config = Config::parse(toml, "f.toml");
  try {
    read<Spec>(config);
    config.check_all_read();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Reader, ReadsEveryKind) {
  Config config = Config::parse(R"(
small = 255
ratio = 1
on = false
text = "x\ty"
clock = "700MHz"
numbers = [3, 4, 5]
policy = "lrr"
[dram]
tras = "12.5ns"
[[argument]]
name = "a"
value = -3
[[argument]]
name = "b"
)",
                                "f.toml");
  const Spec spec = read<Spec>(config);
  config.check_all_read();
  EXPECT_EQ(spec.small, 255);
  EXPECT_EQ(spec.ratio, 1.0);
  EXPECT_FALSE(spec.on);
  EXPECT_EQ(spec.text, "x\ty");
  EXPECT_EQ(spec.clock, 700_MHz);
  EXPECT_EQ(spec.numbers, (std::vector<std::uint32_t>{3, 4, 5}));
  EXPECT_EQ(spec.policy, "lrr");
  EXPECT_EQ(spec.tras, Duration{12'500});
  ASSERT_EQ(spec.arguments.size(), 2u);
  EXPECT_EQ(spec.arguments[0].value, -3);
  EXPECT_EQ(spec.arguments[1].name, "b");

  Config again = Config::parse(config.dump(), "dump.toml");
  read<Spec>(again);
  again.check_all_read();
  EXPECT_EQ(again.dump(false), config.dump(false));
}

TEST(Reader, ErrorsSayWhereAndWhatWasExpected) {
  EXPECT_THAT(
      reading_error("small = 256"),
      HasSubstr("f.toml:1:9: small = 256: expected an integer from 0 to 255\n      1 | small = 256\n"));
  EXPECT_THAT(reading_error("small = -1"), HasSubstr("expected an integer from 0 to 255"));
  EXPECT_THAT(reading_error("small = \"1\""), HasSubstr("expected an integer"));
  EXPECT_THAT(reading_error("\n  ratio = 1.5"), HasSubstr("f.toml:2:11: ratio = 1.5: expected 0.0 to 1.0"));
  EXPECT_THAT(reading_error("ratio = nan"), HasSubstr("expected a number"));
  EXPECT_THAT(reading_error("on = 1"), HasSubstr("expected true or false"));
  EXPECT_THAT(reading_error("text = 1"), HasSubstr("expected text in quotes"));
  EXPECT_THAT(reading_error("clock = 700"), HasSubstr("expected a frequency such as 700MHz or 1.4GHz"));
  EXPECT_THAT(reading_error("numbers = [1, \"x\"]"), HasSubstr("in the list: expected an integer"));
  EXPECT_THAT(reading_error("policy = \"gtoo\""), HasSubstr("expected one of lrr, gto; did you mean 'gto'?"));
  EXPECT_THAT(reading_error("argument = 3"), HasSubstr("expected tables, [[argument]]"));
  EXPECT_THAT(reading_error("[[argument]]\nvalue = 3"), HasSubstr("does not give 'argument[0].name' (text)"));
  EXPECT_EQ(reading_error("argument = []"), "no error");
}

TEST(Reader, UnknownKeysAreErrorsWithTheNearestName) {
  const std::string text = reading_error("on = true\nsmal = 3\n[dram]\ntrass = \"1ns\"\n[quux]\nx = 1\n");
  EXPECT_THAT(text, HasSubstr("f.toml:4:1: unknown parameter 'dram.trass'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'dram.tras'?"));
  EXPECT_THAT(text, HasSubstr("f.toml:6: unknown parameter 'quux.x'"));
  EXPECT_THAT(text, HasSubstr("f.toml:2: unknown parameter 'smal'; did you mean 'small'?"));
}

TEST(Reader, ParametersThatNothingUsesAreNamedAsSuch) {
  Config config = Config::parse("[banked_l1]\nbanks = 8", "f.toml");
  read<Spec>(config);
  const std::vector<std::string> others = {"banked_l1.banks"};
  try {
    config.check_all_read(others);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("nothing in this configuration uses the parameter 'banked_l1.banks'"));
  }
}

TEST(Reader, DescriptionsNeedNoConfiguration) {
  const ParamTable table = describe<Spec>();
  ASSERT_NE(table.find("argument[].name"), nullptr);
  EXPECT_TRUE(table.find("argument[].name")->required);
  EXPECT_EQ(table.find("numbers")->default_value, "[1, 2]");
}

}  // namespace
}  // namespace heddle::config
