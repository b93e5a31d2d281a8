#include "validation/state_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/table.h"

namespace heddle::validation {
namespace {

constexpr std::size_t kWorst = 10;
constexpr double kShown = 0.05;  // cycles per instruction from which on a state has a column

std::string_view name_of(std::size_t state) {
  return sm::name(static_cast<sm::IssueState>(state));
}

void accuracy_line(const Accuracy& a, bool markdown, std::ostream& out) {
  out << fmt::format(
      "{}cycles over {} launches: mean error {:.1f}%, median {:.1f}%, 90th percentile {:.1f}%, correlation "
      "of "
      "logarithms {:.4f}\n\n",
      markdown ? "- " : "  ", a.launches, 100 * a.mean, 100 * a.median, 100 * a.p90, a.correlation);
}

void worst_table(const SiliconResult& r, bool markdown, std::ostream& out) {
  if (!markdown) out << "The worst launches, and the state that differs most, in cycles per warp\n";
  Table t({"program", "launch", "state", "cycles", "H200", "error", "in the state", "H200"});
  for (const std::size_t i : worst(r.comparison.rows, kWorst)) {
    const Row& row = r.comparison.rows[i];
    const Figure& f = row.figure("cycles");
    const StateDifference d = largest_difference(r.states[i]);
    t.add({row.program, row.detail, std::string(d.state), fmt::format("{:.0f}", f.ours),
           fmt::format("{:.0f}", f.theirs), fmt::format("{:+.1f}%", 100 * f.error()),
           fmt::format("{:.0f}", d.ours), fmt::format("{:.0f}", d.theirs)});
  }
  out << t.render(markdown, 3) << "\n";
}

// The states that take time anywhere, the longest first.
std::vector<std::size_t> shown_states(const std::vector<StateRow>& rows) {
  StateCycles most{};
  std::vector<std::size_t> shown;
  for (std::size_t s = 0; s < most.size(); ++s) {
    for (const StateRow& row : rows)
      most[s] = std::max(most[s], std::max(row.ours[s], row.theirs[s]) / std::max(1.0, row.instructions));
    if (most[s] >= kShown) shown.push_back(s);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](std::size_t a, std::size_t b) { return most[a] > most[b]; });
  return shown;
}

void program_table(const std::vector<StateRow>& rows, bool markdown, std::ostream& out) {
  if (!markdown) out << "Warp cycles by state, per instruction that the card executed\n";
  const std::vector<std::size_t> shown = shown_states(rows);
  std::vector<std::string> heading{"program", "on"};
  for (const std::size_t s : shown) heading.emplace_back(name_of(s));
  heading.insert(heading.end(), {"all", "not on the card"});
  Table t(std::move(heading));
  for (const StateRow& row : rows) {
    const double n = std::max(1.0, row.instructions);
    const auto add = [&](const std::string& on, const StateCycles& cycles, const std::string& rest) {
      std::vector<std::string> line{row.program, on};
      double all = 0;
      for (const double c : cycles) all += c;
      for (const std::size_t s : shown) line.push_back(fmt::format("{:.2f}", cycles[s] / n));
      line.push_back(fmt::format("{:.2f}", all / n));
      line.push_back(rest);
      t.add(std::move(line));
    };
    add("H200", row.theirs, "");
    add("Heddle", row.ours, fmt::format("{:.2f}", row.not_on_card / n));
  }
  out << t.render(markdown, 2) << "\n";
}

}  // namespace

void write_state_tables(const SiliconResult& r, bool markdown, std::ostream& out) {
  accuracy_line(accuracy(r.comparison.rows), markdown, out);
  worst_table(r, markdown, out);
  program_table(by_program(r.states), markdown, out);
}

void add_states(nlohmann::json& to, const SiliconResult& r) {
  const Accuracy a = accuracy(r.comparison.rows);
  to["accuracy"] = {{"launches", a.launches},
                    {"mean", a.mean},
                    {"median", a.median},
                    {"p90", a.p90},
                    {"correlation_of_logarithms", a.correlation}};
  for (const StateRow& row : r.states) {
    nlohmann::json ours, theirs;
    for (std::size_t s = 0; s < row.ours.size(); ++s) {
      ours[std::string(name_of(s))] = row.ours[s];
      theirs[std::string(name_of(s))] = row.theirs[s];
    }
    to["states"].push_back({{"program", row.program},
                            {"detail", row.detail},
                            {"warps", row.warps},
                            {"instructions", row.instructions},
                            {"ours", ours},
                            {"theirs", theirs},
                            {"not_on_card", row.not_on_card}});
  }
}

nlohmann::ordered_json silicon_page(const SiliconResult& r) {
  using PageJson = nlohmann::ordered_json;
  PageJson states = PageJson::array(), launches = PageJson::array();
  for (int s = 0; s < sm::kNsightStates; ++s) states.push_back(sm::name(static_cast<sm::IssueState>(s)));
  for (std::size_t i = 0; i < r.states.size(); ++i) {
    const StateRow& row = r.states[i];
    const Figure& cycles = r.comparison.rows[i].figure("cycles");
    launches.push_back({{"program", row.program},
                        {"detail", row.detail},
                        {"cycles", {{"ours", cycles.ours}, {"theirs", cycles.theirs}}},
                        {"warps", row.warps},
                        {"instructions", row.instructions},
                        {"states", {{"ours", row.ours}, {"theirs", row.theirs}}}});
  }
  const Accuracy a = accuracy(r.comparison.rows);
  return {{"silicon",
           {{"card", "H200"},
            {"accuracy",
             {{"launches", a.launches},
              {"mean", a.mean},
              {"median", a.median},
              {"p90", a.p90},
              {"correlation_of_logarithms", a.correlation}}},
            {"states", std::move(states)},
            {"launches", std::move(launches)}}}};
}

}  // namespace heddle::validation
