// Every option of every command that takes a number: what it refuses, and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "apps/cli/command_line/options.h"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// "": it is taken. No command runs.
std::string refusal(CLI::Option& option, const std::string& value) {
  std::string said;
  try {
    option.clear();
    option.add_result(value);
    option.run_callback();
  } catch (const CLI::ParseError& e) {
    said = e.what();
    if (said.empty()) said = "refused without a word";
  }
  option.clear();
  return said;
}

void collect(CLI::App& app, std::vector<std::pair<std::string, CLI::Option*>>& all) {
  for (CLI::Option* o : app.get_options())
    if (o->get_items_expected_max() != 0) all.emplace_back(app.get_name() + " " + o->get_name(), o);
  for (CLI::App* sub : app.get_subcommands({})) collect(*sub, all);
}

class Options : public testing::Test {
 protected:
  void SetUp() override {
    add_commands(app_, "heddle", program_, &status_);
    collect(app_, all_);
  }
  CLI::App app_{"about", "heddle"};
  int status_ = 0;
  std::vector<std::string> program_;
  std::vector<std::pair<std::string, CLI::Option*>> all_;
};

TEST_F(Options, NumbersSayWhatTheyExpect) {
  std::size_t numbers = 0;
  for (const auto& [name, option] : all_) {
    // A number by what it takes, not by how it was declared.
    const bool number = refusal(*option, "2").empty() && !refusal(*option, "no number").empty();
    EXPECT_EQ(number, !range_of(*option).empty()) << name << ": declare it with add_number";
    if (!number) continue;
    ++numbers;
    const std::string range = range_of(*option);
    EXPECT_THAT(range, StartsWith("a whole number from ")) << name;
    const std::size_t to = range.find(" to ");
    const std::string least = range.substr(20, to - 20), most = range.substr(to + 4);
    EXPECT_EQ(refusal(*option, least), "") << name;
    EXPECT_EQ(refusal(*option, most), "") << name;
    std::vector<std::string> bad = {"",
                                    "-1",
                                    "-0",
                                    "+1",
                                    "x",
                                    "1x",
                                    " 1",
                                    "1.5",
                                    "1e3",
                                    "0x10",
                                    "nan",
                                    "inf",
                                    "18446744073709551616",
                                    "99999999999999999999999999",
                                    most + "0",
                                    "\x1b[31m"};
    if (least != "0") bad.push_back(std::to_string(std::stoull(least) - 1));
    if (std::stoull(most) != std::numeric_limits<std::uint64_t>::max())
      bad.push_back(std::to_string(std::stoull(most) + 1));
    if (option->get_items_expected_min() == 0) bad.erase(bad.begin());  // it may stand alone
    for (const std::string& value : bad)
      EXPECT_THAT(refusal(*option, value),
                  AllOf(StartsWith(option->get_name() + ": expected " + range), Not(HasSubstr("\x1b"))))
          << name << " " << value;
  }
  EXPECT_GE(numbers, 14u);
}

// With leading zeros a number is what people take it for.
TEST_F(Options, NumbersAreDecimal) {
  std::uint64_t n = 0;
  CLI::App app;
  CLI::Option* option = add_number(app, "--n", n, "a number");
  option->add_result("010");
  option->run_callback();
  EXPECT_EQ(n, 10u);
}

}  // namespace
}  // namespace heddle::cli
