#include "validation/states.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::validation {
namespace {

std::vector<double> absolute_errors(const std::vector<Row>& launches) {
  std::vector<double> all;
  for (const Row& row : launches) all.push_back(std::fabs(row.figure("cycles").error()));
  return all;
}

// Between two of the values where it does not fall on one.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = share * to_double(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - to_double(below)) * (values[above] - values[below]);
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = to_double(x.size());
  if (x.size() < 2) return 0;
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

}  // namespace

const CsvRow& states_of(const std::vector<CsvRow>& recorded, const std::string& program, std::size_t launch) {
  for (const CsvRow& row : recorded)
    if (csv_text(row, "program") == program && csv_number(row, "launch") == to_double(launch)) return row;
  throw Error(fmt::format("h200_stalls.csv has no launch {} of {}", launch, program),
              "Record it again with tools/probes/stalls.py.");
}

StateRow state_row(const Row& launch, const sm::WarpStateStats& ours, const CsvRow& card) {
  StateRow r{launch.program,
             launch.detail,
             csv_number(card, "smsp__warps_launched.sum"),
             csv_number(card, "smsp__inst_executed.sum"),
             {},
             {},
             to_double(ours.of(sm::IssueState::Starting) + ours.of(sm::IssueState::Ended))};
  for (std::size_t s = 0; s < r.ours.size(); ++s) {
    r.ours[s] = to_double(ours.cycles[s]);
    r.theirs[s] = csv_number(card, std::string(sm::name(static_cast<sm::IssueState>(s))));
  }
  return r;
}

std::vector<StateRow> by_program(const std::vector<StateRow>& launches) {
  std::vector<StateRow> all;
  for (const StateRow& row : launches) {
    if (all.empty() || all.back().program != row.program) {
      all.push_back(row);
      continue;
    }
    StateRow& sum = all.back();
    sum.warps += row.warps;
    sum.instructions += row.instructions;
    sum.not_on_card += row.not_on_card;
    for (std::size_t s = 0; s < row.ours.size(); ++s) {
      sum.ours[s] += row.ours[s];
      sum.theirs[s] += row.theirs[s];
    }
  }
  return all;
}

StateDifference largest_difference(const StateRow& row) {
  std::size_t largest = 0;
  const auto apart = [&](std::size_t s) { return std::fabs(row.ours[s] - row.theirs[s]); };
  for (std::size_t s = 1; s < row.ours.size(); ++s)
    if (apart(s) > apart(largest)) largest = s;
  const double warps = std::max(1.0, row.warps);
  return {sm::name(static_cast<sm::IssueState>(largest)), row.ours[largest] / warps,
          row.theirs[largest] / warps};
}

Accuracy accuracy(const std::vector<Row>& launches) {
  Accuracy a;
  const std::vector<double> errors = absolute_errors(launches);
  std::vector<double> ours, theirs;
  for (const Row& row : launches) {
    const Figure& f = row.figure("cycles");
    if (f.ours <= 0 || f.theirs <= 0) continue;
    ours.push_back(std::log(f.ours));
    theirs.push_back(std::log(f.theirs));
  }
  a.launches = errors.size();
  a.mean = mean_of_absolute(errors);
  a.median = quantile(errors, 0.5);
  a.p90 = quantile(errors, 0.9);
  a.correlation = correlation(ours, theirs);
  return a;
}

std::vector<std::size_t> worst(const std::vector<Row>& launches, std::size_t count) {
  const std::vector<double> errors = absolute_errors(launches);
  std::vector<std::size_t> order(launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  order.resize(std::min(order.size(), count));
  return order;
}

}  // namespace heddle::validation
