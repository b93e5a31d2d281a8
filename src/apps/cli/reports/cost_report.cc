#include "apps/cli/reports/cost_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/numbers.h"

namespace heddle::cli {
namespace {

using energy::Cost;
using energy::CostLine;

constexpr int kName = 62;
constexpr std::string_view kTime = "gpu.picoseconds";

std::string numbers(const Cost& c) {
  return fmt::format("{:>9.3f} {:>9.1f}", c.area_um2 / 1e6, c.static_nw / 1e6);
}

std::string cost_row(int indent, std::string_view what, const Cost& c) {
  return fmt::format("{:{}}{:<{}} {}", "", indent, what, kName - indent, numbers(c));
}

std::string clock_of_line(const CostLine& l) {
  if (l.highest_mhz == 0) return {};
  std::string text = fmt::format(" {:>6.0f} MHz, {}", l.highest_mhz, l.of);
  if (l.asked_mhz > 0)
    text += fmt::format("; asked for {:.0f} MHz{}", l.asked_mhz, l.reached() ? "" : ": NOT REACHED");
  return text;
}

std::string line_text(const CostLine& l) {
  std::string text = cost_row(4, l.what, l.cost);
  text += l.per.empty() ? std::string()
                        : fmt::format("  {:>10} / {:<5}", scaled(l.energy_fj * 1e-15, "J"), l.per);
  text += clock_of_line(l);
  if (!l.note.empty()) text += (l.highest_mhz == 0 ? " " : "; ") + l.note;
  text += '\n';
  for (const auto& [part, c] : l.split)
    if (c.area_um2 > 0 || c.static_nw > 0) text += cost_row(6, part, c) + '\n';
  return text;
}

nlohmann::ordered_json cost_object(const Cost& c) {
  return {{"area_mm2", c.area_um2 / 1e6}, {"static_mw", c.static_nw / 1e6}};
}

nlohmann::ordered_json line_object(const CostLine& l) {
  nlohmann::ordered_json j = cost_object(l.cost);
  j["what"] = l.what;
  if (!l.per.empty()) {
    j["energy_pj"] = l.energy_fj / 1e3;
    j["energy_per"] = l.per;
  }
  if (l.highest_mhz > 0) {
    j["highest_mhz"] = l.highest_mhz;
    j["limited_by"] = l.of;
    j["asked_mhz"] = l.asked_mhz;
    j["reached"] = l.reached();
  }
  for (const auto& [part, c] : l.split) j["split"][std::string(part)] = cost_object(c);
  return j;
}

}  // namespace

std::string cost_table(const energy::MachineCost& cost, const energy::TechNode& tech,
                       const std::vector<std::string>& without) {
  std::string text = fmt::format("\ncost of memories and networks at {}, {:.1f} V, {:.0f} C (docs/cost.md)\n",
                                 tech.name, tech.vdd, tech.celsius);
  text += fmt::format("{:<{}} {:>9} {:>9}  {:<18} {}\n", "", kName, "area mm2", "static mW", "    energy",
                      "highest clock");
  bool reached = true;
  for (const energy::StructureCost& s : cost.structures) {
    text += cost_row(2, s.name, s.total()) + '\n';
    for (const CostLine& l : s.lines) {
      text += line_text(l);
      reached = reached && l.reached();
    }
  }
  text += cost_row(2, "all of them", cost.total()) + '\n';
  if (!reached)
    text += "  NOT REACHED: in one cycle; a real design would pipeline it, or have a slower clock\n";
  return text + fmt::format("  not in it, for want of a model: {}\n", fmt::join(without, ", "));
}

// One line for terms of one kind: their statistics may differ.
std::string energy_table(const energy::EnergyModel& model) {
  std::string text = "\nenergy of events (docs/energy.md)\n";
  std::string before;
  for (const energy::Term& t : model.terms) {
    if (t.statistic == kTime) continue;
    text += fmt::format("  {:<50} {:>10}   {}\n", t.what == before ? "" : t.what, scaled(t.pj * 1e-12, "J"),
                        t.statistic);
    before = t.what;
  }
  double watts = model.other_watts;
  text += "power\n";
  for (const energy::Term& t : model.terms) {
    if (t.statistic != kTime) continue;
    text += fmt::format("  {:<50} {:>8.2f} W\n", t.what, t.pj);
    watts += t.pj;
  }
  if (model.other_watts > 0)
    text += fmt::format("  {:<50} {:>8.2f} W\n", "in no structure", model.other_watts);
  return text + fmt::format("  {:<50} {:>8.2f} W\n", "when nothing happens", watts);
}

std::string cost_json(const energy::MachineCost& cost, const energy::EnergyModel& model,
                      const energy::TechNode& tech) {
  nlohmann::ordered_json j = cost_object(cost.total());
  j["process"] = tech.name;
  j["vdd"] = tech.vdd;
  j["celsius"] = tech.celsius;
  for (const energy::StructureCost& s : cost.structures) {
    nlohmann::ordered_json one = cost_object(s.total());
    one["name"] = s.name;
    for (const CostLine& l : s.lines) one["parts"].push_back(line_object(l));
    j["structures"].push_back(one);
  }
  for (const energy::Term& t : model.terms)
    j["energy"].push_back(
        {{"what", t.what}, {"statistic", t.statistic}, {"pj", t.pj}, {"static", t.standing}});
  j["other_watts"] = model.other_watts;
  return j.dump(2) + '\n';
}

}  // namespace heddle::cli
