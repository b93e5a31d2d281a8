// Where the time goes: warp cycles by state, of Heddle (measure.warp_states) beside those that Nsight Compute
// counted on an H200 (data/h200_stalls.csv).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "gpu/machine_stats.h"
#include "validation/comparison.h"

namespace heddle::validation {

// Nsight's states in the order of sm::IssueState.
using StateCycles = std::array<double, sm::kNsightStates>;

struct StateRow {
  std::string program, detail;  // as in the Row of the same launch
  double warps = 0;             // of the launch
  double instructions = 0;      // that the card executed
  StateCycles ours{}, theirs{};
  double not_on_card = 0;  // ours: contexts whose warp has not begun, or has ended
};

// A state of a launch, in cycles per warp.
struct StateDifference {
  std::string_view state;
  double ours = 0, theirs = 0;
};

// How far cycles are off over launches, without sign; the correlation is of their logarithms.
struct Accuracy {
  std::size_t launches = 0;
  double mean = 0, median = 0, p90 = 0, correlation = 0;
};

// The card's row of a launch; throws Error when there is none.
const CsvRow& states_of(const std::vector<CsvRow>& recorded, const std::string& program, std::size_t launch);
StateRow state_row(const Row& launch, const sm::WarpStateStats& ours, const CsvRow& card);
// Launches of a program added up, in the order in which programs come.
std::vector<StateRow> by_program(const std::vector<StateRow>& launches);
// The state with the largest difference.
StateDifference largest_difference(const StateRow& row);

Accuracy accuracy(const std::vector<Row>& launches);
// The rows with the largest errors of cycles, the worst first: indices.
std::vector<std::size_t> worst(const std::vector<Row>& launches, std::size_t count);

}  // namespace heddle::validation
