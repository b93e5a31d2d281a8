#include "validation/report.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/merger_report.h"
#include "validation/state_report.h"
#include "validation/table.h"

namespace heddle::validation {
namespace {

std::string percent(const Figure& f) {
  return f.defined() ? fmt::format("{:+.1f}%", 100 * f.error()) : "-";
}

// "ours / theirs  error" in three columns for the first quantity, the error alone for the others.
void add_figures(std::vector<std::string>& line, const Row& row, const std::vector<std::string>& whole,
                 const std::vector<std::string>& errors) {
  for (const std::string& q : whole) {
    const Figure& f = row.figure(q);
    line.push_back(fmt::format("{:.0f}", f.ours));
    line.push_back(fmt::format("{:.0f}", f.theirs));
    line.push_back(percent(f));
  }
  for (const std::string& q : errors) line.push_back(percent(row.figure(q)));
}

void heading(bool markdown, std::ostream& out, const std::string& text) {
  out << (markdown ? "" : text + "\n");
}

void verdicts(const std::vector<Verdict>& all, bool markdown, std::ostream& out) {
  out << "\n";
  for (const Verdict& v : all)
    out << fmt::format("{}{}: {}\n", markdown ? "- " : "  ", v.text, v.met ? "met" : "NOT MET");
  out << "\n";
}

void peer_tables(const PeerResult& r, bool markdown, std::ostream& out) {
  heading(markdown, out, "Against GPGPU-Sim 4.2.0 (preset qv100-gpgpusim), without launch overheads");
  Table t({"program", "L2 at start", "cycles", "GPGPU-Sim", "error", "L1 accesses", "L1 misses",
           "L2 accesses", "L2 misses", "DRAM reads", "instructions"});
  for (const Row& row : r.comparison.rows) {
    std::vector<std::string> line{row.program, row.detail};
    add_figures(line, row, {"cycles"},
                {"L1 accesses", "L1 misses", "L2 accesses", "L2 misses", "DRAM reads", "warp instructions"});
    t.add(std::move(line));
  }
  out << t.render(markdown, 2);
  verdicts(r.comparison.verdicts, markdown, out);
  heading(markdown, out, "Speed: CPU seconds of the same runs");
  Table s({"program", "L2 at start", "Heddle", "GPGPU-Sim", "ratio"});
  for (const SpeedRow& row : r.speed)
    s.add({row.program, row.detail, fmt::format("{:.2f}", row.ours), fmt::format("{:.1f}", row.theirs),
           fmt::format("{:.0f}", row.ratio())});
  out << s.render(markdown, 2);
  verdicts(r.speed_verdicts, markdown, out);
}

void silicon_tables(const SiliconResult& r, bool markdown, std::ostream& out) {
  heading(markdown, out,
          "Against an H200 (preset h200), caches flushed before each launch; sums over a program's launches");
  const std::vector<std::string> counters{"L1 load misses", "L2 reads", "DRAM reads"};
  Table t({"program", "launches", "L1 load misses", "H200", "error", "L2 reads", "H200", "error",
           "DRAM reads", "H200", "error", "issued", "registers", "cycles: mean error"});
  for (std::size_t i = 0; i < r.sums.size(); ++i) {
    const Row& row = r.sums[i];
    std::vector<std::string> line{row.program, row.detail.substr(0, row.detail.find(' '))};
    add_figures(line, row, counters, {"issued"});
    const Figure& registers = row.figure("registers");
    line.push_back(fmt::format("{:.0f} / {:.0f}", registers.ours, registers.theirs));
    line.push_back(fmt::format("{:.1f}%", 100 * r.cycle_errors[i].second));
    t.add(std::move(line));
  }
  out << t.render(markdown, 2) << "\n";
  heading(markdown, out, "Every launch");
  Table l({"program", "launch", "cycles", "H200", "error", "load requests", "load sectors", "store requests",
           "store sectors", "L1 load misses", "L2 reads", "DRAM reads"});
  for (const Row& row : r.comparison.rows) {
    std::vector<std::string> line{row.program, row.detail};
    add_figures(line, row, {"cycles"},
                {"load requests", "load sectors", "store requests", "store sectors", "L1 load misses",
                 "L2 reads", "DRAM reads"});
    l.add(std::move(line));
  }
  out << l.render(markdown, 2);
  verdicts(r.comparison.verdicts, markdown, out);
  write_state_tables(r, markdown, out);
}

nlohmann::json json_of(const std::vector<Row>& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json figures = nlohmann::json::object();
    for (const Figure& f : row.figures) {
      figures[f.quantity] = {{"ours", f.ours}, {"theirs", f.theirs}};
      if (f.defined()) figures[f.quantity]["error"] = f.error();
    }
    out.push_back({{"program", row.program}, {"detail", row.detail}, {"figures", figures}});
  }
  return out;
}

nlohmann::json json_of(const Comparison& c) {
  nlohmann::json out{
      {"rows", json_of(c.rows)}, {"aims", nlohmann::json::array()}, {"excesses", nlohmann::json::array()}};
  for (const Verdict& v : c.verdicts) out["aims"].push_back({{"text", v.text}, {"met", v.met}});
  for (const Excess& e : c.excesses) out["excesses"].push_back(e.text);
  return out;
}

void write_excesses(const Comparison& c, std::ostream& out) {
  for (const Excess& e : c.excesses) out << c.against << ": " << e.text << "\n";
}

}  // namespace

bool Results::within_tolerances() const {
  return (!peer || peer->comparison.excesses.empty()) && (!silicon || silicon->comparison.excesses.empty());
}

void write_tables(const Results& results, bool markdown, std::ostream& out) {
  if (results.peer) peer_tables(*results.peer, markdown, out);
  if (results.silicon) silicon_tables(*results.silicon, markdown, out);
  if (results.mergers) write_merger_tables(*results.mergers, markdown, out);
  if (markdown || !(results.peer || results.silicon)) return;
  if (results.peer) write_excesses(results.peer->comparison, out);
  if (results.silicon) write_excesses(results.silicon->comparison, out);
  out << (results.within_tolerances() ? "No figure is beyond its recorded tolerance.\n"
                                      : "Worse than recorded in validation/data/tolerances.csv: find out "
                                        "why, or record it there with the reason.\n");
}

std::string to_json(const Results& results) {
  nlohmann::json out{{"schema", "heddle.validate/1"}, {"within_tolerances", results.within_tolerances()}};
  if (results.peer) {
    out["peer"] = json_of(results.peer->comparison);
    for (const SpeedRow& s : results.peer->speed)
      out["speed"].push_back({{"program", s.program},
                              {"detail", s.detail},
                              {"cpu_seconds", s.ours},
                              {"peer_cpu_seconds", s.theirs}});
  }
  if (results.silicon) {
    out["silicon"] = json_of(results.silicon->comparison);
    out["silicon"]["programs"] = json_of(results.silicon->sums);
    out["silicon"]["mean_cycle_error"] = results.silicon->mean_cycle_error;
    add_states(out["silicon"], *results.silicon);
  }
  if (results.mergers) out["mergers"] = merger_json(*results.mergers);
  return out.dump(1) + "\n";
}

}  // namespace heddle::validation
