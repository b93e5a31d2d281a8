// Warp states beside the card's: what a row holds, what differs most, and how accuracy is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "validation/report.h"
#include "validation/states.h"

namespace heddle::validation {
namespace {

using sm::IssueState;
using testing::HasSubstr;

Row launch(const std::string& program, double ours, double theirs) {
  return {program, "0 k", {{"cycles", ours, theirs}}};
}

// 4 warps and 20 instructions; the card's warps wait 100 cycles for memory.
std::vector<CsvRow> recorded() {
  std::string heading = "program,launch,smsp__inst_executed.sum,smsp__warps_launched.sum", line = "a,0,20,4";
  for (int s = 0; s < sm::kNsightStates; ++s) {
    heading += "," + std::string(name(static_cast<IssueState>(s)));
    line += static_cast<IssueState>(s) == IssueState::LongScoreboard ? ",100" : ",0";
  }
  return parse_csv(heading + "\n" + line + "\n", "t.csv");
}

sm::WarpStateStats ours() {
  sm::WarpStateStats s;
  s.cycles[static_cast<std::size_t>(IssueState::LongScoreboard)] = 80;
  s.cycles[static_cast<std::size_t>(IssueState::Wait)] = 10;
  s.cycles[static_cast<std::size_t>(IssueState::Ended)] = 7;
  return s;
}

TEST(States, ARowHasBothSides) {
  const std::vector<CsvRow> table = recorded();
  const StateRow r = state_row(launch("a", 90, 100), ours(), states_of(table, "a", 0));
  EXPECT_EQ(r.warps, 4);
  EXPECT_EQ(r.instructions, 20);
  EXPECT_EQ(r.not_on_card, 7);
  const StateDifference d = largest_difference(r);
  EXPECT_EQ(d.state, "long_scoreboard");
  EXPECT_EQ(d.ours, 20);
  EXPECT_EQ(d.theirs, 25);
  EXPECT_THROW(states_of(table, "a", 1), Error);
}

TEST(States, LaunchesOfAProgramAreAddedUp) {
  const StateRow r = state_row(launch("a", 90, 100), ours(), recorded()[0]);
  StateRow other = r;
  other.program = "b";
  const std::vector<StateRow> sums = by_program({r, r, other});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].warps, 8);
  EXPECT_EQ(sums[0].ours[static_cast<std::size_t>(IssueState::Wait)], 20);
  EXPECT_EQ(sums[1].instructions, 20);
}

TEST(Accuracy, OverLaunches) {
  const std::vector<Row> rows = {launch("a", 110, 100), launch("b", 1000, 1000), launch("c", 7000, 10000),
                                 launch("d", 102, 100)};
  const Accuracy a = accuracy(rows);
  EXPECT_EQ(a.launches, 4u);
  EXPECT_NEAR(a.mean, (0.1 + 0 + 0.3 + 0.02) / 4, 1e-12);
  EXPECT_NEAR(a.median, 0.06, 1e-12);
  EXPECT_NEAR(a.p90, 0.1 + 0.7 * 0.2, 1e-12);
  EXPECT_GT(a.correlation, 0.99);
  EXPECT_EQ(worst(rows, 2), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(accuracy({}).launches, 0u);
}

// One program on the machine: states of ours are there and add up to what is resident.
TEST(States, AreToldForAProgram) {
  Results results;
  results.silicon = compare_with_silicon({"vecadd", 1, {}}, Tolerances::recorded());
  ASSERT_EQ(results.silicon->states.size(), results.silicon->comparison.rows.size());
  const StateRow& r = results.silicon->states[0];
  EXPECT_GT(r.ours[static_cast<std::size_t>(IssueState::LongScoreboard)], 0);
  std::ostringstream text, markdown;
  write_tables(results, false, text);
  write_tables(results, true, markdown);
  EXPECT_THAT(text.str(), HasSubstr("correlation of logarithms"));
  EXPECT_THAT(text.str(), HasSubstr("long_scoreboard"));
  EXPECT_THAT(markdown.str(), HasSubstr("| vecadd | Heddle |"));
  const auto json = nlohmann::json::parse(to_json(results));
  EXPECT_EQ(json["silicon"]["states"][0]["program"], "vecadd");
  EXPECT_EQ(json["silicon"]["accuracy"]["launches"], 1);
}

}  // namespace
}  // namespace heddle::validation
