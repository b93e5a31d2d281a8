#include "validation/merger_report.h"

#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/table.h"

namespace heddle::validation {
namespace {

using Cell = std::function<std::string(const MergerRow&, std::size_t design)>;
using Mean = std::function<std::string(std::size_t design)>;

// A row per program and one for the mean; a column per design, after those in `card` (empty: no such column).
void write_table(const MergersResult& r, const Cell& cell, const Mean& mean,
                 const std::function<std::string(const MergerRow&)>& card, const std::string& card_mean,
                 const std::string& last, bool markdown, std::ostream& out) {
  std::vector<std::string> heading{"program"};
  if (card) heading.emplace_back("H200");
  for (const MergerDesign& design : r.designs) heading.push_back(design.name);
  Table t(std::move(heading));
  for (const MergerRow& row : r.rows) {
    std::vector<std::string> line{row.program};
    if (card) line.push_back(card(row));
    for (std::size_t i = 0; i < r.designs.size(); ++i) line.push_back(cell(row, i));
    t.add(std::move(line));
  }
  std::vector<std::string> line{last};
  if (card) line.push_back(card_mean);
  for (std::size_t i = 0; i < r.designs.size(); ++i) line.push_back(mean(i));
  t.add(std::move(line));
  out << t.render(markdown, 1) << "\n";
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string ratio(double x) {
  return fmt::format("{:.3f}", x);
}

void design_table(const MergersResult& r, bool markdown, std::ostream& out) {
  Table t({"design", "beside", "what it is"});
  for (const MergerDesign& design : r.designs) t.add({design.name, design.beside, design.description});
  out << t.render(markdown, 3) << "\n";
}

}  // namespace

void write_merger_tables(const MergersResult& r, bool markdown, std::ostream& out) {
  const std::string reference = r.designs[r.reference].name;
  const auto heading = [&](const std::string& text) { out << text << (markdown ? ":\n\n" : "\n"); };
  heading("In place of an H200's request coalescer (preset h200), caches flushed before each launch");
  design_table(r, markdown, out);
  heading("Read sectors that missed in L1s and never reached L2");
  write_table(
      r, [](const MergerRow& row, std::size_t i) { return percent(row.points[i].kept()); },
      [&](std::size_t i) { return percent(r.mean_kept(i)); },
      [](const MergerRow& row) { return percent(row.card.kept()); }, percent(r.mean_card_kept()), "mean",
      markdown, out);
  heading(fmt::format("Sectors read in L2 (last row: geometric mean beside {})", reference));
  write_table(
      r, [](const MergerRow& row, std::size_t i) { return fmt::format("{}", row.points[i].l2_reads); },
      [&](std::size_t i) { return ratio(r.mean_l2_reads(i)); },
      [](const MergerRow& row) { return fmt::format("{:.0f}", row.card.l2_reads); },
      ratio(r.mean_card_l2_reads()), "mean", markdown, out);
  heading(fmt::format("Cycles beside {}, without launch overheads (last row: geometric mean)", reference));
  write_table(
      r, [&](const MergerRow& row, std::size_t i) { return ratio(r.cycles(row, i)); },
      [&](std::size_t i) { return ratio(r.mean_cycles(i)); }, {}, "", "mean", markdown, out);
  for (const std::string& f : findings(r)) out << (markdown ? "- " : "  ") << f << "\n";
}

nlohmann::json merger_json(const MergersResult& r) {
  nlohmann::json designs = nlohmann::json::array(), rows = nlohmann::json::array();
  for (std::size_t i = 0; i < r.designs.size(); ++i) {
    const MergerDesign& design = r.designs[i];
    designs.push_back({{"design", design.name},
                       {"beside", design.beside},
                       {"description", design.description},
                       {"settings", design.settings},
                       {"mean_kept", r.mean_kept(i)},
                       {"mean_l2_reads", r.mean_l2_reads(i)},
                       {"mean_cycles", r.mean_cycles(i)}});
  }
  for (const MergerRow& row : r.rows) {
    nlohmann::json points = nlohmann::json::array();
    for (std::size_t i = 0; i < r.designs.size(); ++i) {
      const MergerPoint& p = row.points[i];
      points.push_back({{"design", r.designs[i].name},
                        {"offered_sectors", p.offered},
                        {"asked_sectors", p.asked},
                        {"merged_sectors", p.merged},
                        {"held_sectors", p.held},
                        {"kept", p.kept()},
                        {"l2_reads", p.l2_reads},
                        {"read_requests", p.requests},
                        {"unrecorded", p.unrecorded},
                        {"cycles", p.cycles}});
    }
    rows.push_back({{"program", row.program},
                    {"card",
                     {{"received_sectors", row.card.received},
                      {"l2_reads", row.card.l2_reads},
                      {"kept", row.card.kept()}}},
                    {"points", std::move(points)}});
  }
  return {{"reference", r.designs[r.reference].name},
          {"designs", std::move(designs)},
          {"programs", std::move(rows)},
          {"mean_card_kept", r.mean_card_kept()},
          {"findings", findings(r)}};
}

}  // namespace heddle::validation
