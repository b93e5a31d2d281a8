// `heddle results list`, `show` and `forget`.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/inputs/results_selection.h"
#include "apps/cli/reports/run_report.h"
#include "base/error.h"
#include "base/file.h"
#include "base/numbers.h"
#include "base/text.h"
#include "stats/snapshot.h"
#include "stats/writers.h"

namespace heddle::cli {
namespace {

using study::StoredPoint;

std::string scale_of(const StoredPoint& k) {  // a user's kernel has none
  return k.point.contents.empty() ? std::string(workload::name(k.point.scale)) : "-";
}

std::string seed_of(const StoredPoint& k) {
  return k.point.contents.empty() ? fmt::format("{}", k.point.seed) : "-";
}

// As wide as its widest cell, left-aligned.
void print_columns(std::vector<std::vector<std::string>> rows, std::ostream& out) {
  for (auto& row : rows)
    for (std::string& field : row) field = visible(field);
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

void print_point(const StoredPoint& k, std::ostream& out) {
  out << fmt::format("point       {}\n", k.key);
  out << fmt::format("finished    {} UTC, {:.3f} s of CPU time, {} of memory\n", k.finished, k.cpu_seconds,
                     scaled(k.memory_bytes, "B"));
  out << fmt::format("source      {}{}\n", k.source_hash.substr(0, 12),
                     of_this_source(k) ? "" : ", not this program's: kept, but not used again");
  if (!k.labels.empty()) out << fmt::format("run for     {}\n", brief(k.labels));
  out << "\n";
}

study::TimingRecord readable(const std::string& record, const StoredPoint& k) {
  try {
    return study::parse_timing(record);
  } catch (const Error& e) {
    throw Error(fmt::format("this program cannot summarise the record: {}", e.message()),
                fmt::format("heddle results show {} --json - prints it as it is", k.key.substr(0, 12)));
  }
}

bool confirmed(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0)
    throw Error(question, "standard input is no terminal to answer on; --yes forgets without asking");
  std::cout << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return lower(trim(answer)) == "y" || lower(trim(answer)) == "yes";
}

}  // namespace

int results_list_command(const ResultsFilter& filter) {
  const study::Store store = open_results(filter.store);
  const std::size_t all = store.list().size();
  if (all == 0) {
    std::cout << fmt::format("no results yet in {}\n", store.file().string());
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {
      {"key", "finished (UTC)", "workload", "scale", "seed", "gpu", "CPU s", "result", "run for"}};
  bool others = false;
  const std::vector<SelectedPoint> selected = select(store, filter);
  for (const SelectedPoint& s : selected) {
    const StoredPoint& k = s.kept;
    others = others || !of_this_source(k);
    rows.push_back({k.key.substr(0, 12) + (of_this_source(k) ? "" : "*"), k.finished, k.point.workload,
                    scale_of(k), seed_of(k), k.point.gpu, fmt::format("{:.1f}", k.cpu_seconds),
                    k.verified ? "ok" : "WRONG", brief(s.labels)});
  }
  print_columns(rows, std::cout);
  if (others) std::cout << "* of another source than this program's: kept, but not used again\n";
  const std::string count =
      selected.size() == all ? counted(all, "result") : fmt::format("{} of {} results", selected.size(), all);
  std::cout << fmt::format("{} in {} ({})\n", count, store.file().string(),
                           scaled(static_cast<double>(std::filesystem::file_size(store.file())), "B"));
  return 0;
}

int results_show_command(const ResultsShowOptions& o) {
  const study::Store store = open_results(o.store);
  const StoredPoint k = find_point(store, o.key);
  const std::string record = required_record(store, k.key);
  if (o.json == "-") {
    std::cout << record;
    return 0;
  }
  if (!o.json.empty()) {
    write_file(o.json, record);
    return 0;
  }
  const study::TimingRecord r = readable(record, k);
  print_point(k, std::cout);
  print_head(r, std::cout);
  print_verdict(r, std::cout);
  print_summary(r, std::cout);
  if (o.stats) {
    stats::Snapshot all;
    all.add("", r.total);
    std::cout << "\n";
    stats::TextWriter().write(std::cout, all);
  }
  return 0;
}

int results_forget_command(const ResultsForgetOptions& o) {
  study::Store store = open_results(o.filter.store);
  const std::vector<SelectedPoint> selected = select(store, o.filter);
  const auto shared =
      static_cast<std::size_t>(std::count_if(selected.begin(), selected.end(), [](const SelectedPoint& s) {
        return s.labels.size() < s.kept.labels.size();
      }));
  const std::string question =
      fmt::format("forget {} of {} in {}?{}", selected.size(), counted(store.list().size(), "result"),
                  store.file().string(),
                  shared == 0 ? "" : fmt::format(" {} of them were run for something else, too.", shared));
  if (!o.yes && !confirmed(question)) {
    std::cout << "nothing was forgotten\n";
    return 0;
  }
  for (const SelectedPoint& s : selected) store.forget(s.kept.key);
  std::cout << fmt::format("forgot {}; {} left in {}\n", counted(selected.size(), "result"),
                           store.list().size(), store.file().string());
  return 0;
}

int results_merge_command(const ResultsMergeOptions& o) {
  std::vector<study::Store> from;
  for (const std::string& file : o.from) from.push_back(open_results(file));
  study::Store into(o.store.empty() ? study::default_store() : std::filesystem::path(o.store));
  for (const study::Store& s : from) {
    std::error_code none;
    if (std::filesystem::equivalent(s.file(), into.file(), none))
      throw Error(fmt::format("{} is the store that others are merged into", s.file().string()),
                  "name only the others; --store FILE names another one to merge into");
  }
  if (into.read_only())
    throw Error(SourcePlace{into.file().string(), 0, 0, {}}, "the store cannot be written",
                "choose another one with --store");
  std::string told;
  study::Store::Together all(into);
  for (const study::Store& s : from) {
    const study::Store::Merged m = into.merge(s);
    told += fmt::format("{}: {}, {} and {} were new; {} there already\n", s.file().string(),
                        counted(m.points, "result"), counted(m.details, "detail"), counted(m.labels, "label"),
                        counted(m.same, "result"));
  }
  all.commit();
  std::cout << told << fmt::format("{} in {}\n", counted(into.list().size(), "result"), into.file().string());
  return 0;
}

int results_repair_command(const std::string& file) {
  study::Store store = open_results(file);
  const study::Store::Repaired removed = store.repair();
  if (removed.points + removed.details + removed.labels == 0)
    std::cout << fmt::format("nothing is damaged in {}\n", store.file().string());
  else
    std::cout << fmt::format("removed {}, {} and {} that were damaged from {}; {} left\n",
                             counted(removed.points, "result"), counted(removed.details, "detail"),
                             counted(removed.labels, "label"), store.file().string(),
                             counted(store.list().size(), "result"));
  return 0;
}

}  // namespace heddle::cli
