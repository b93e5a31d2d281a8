// `heddle report`: finished runs as one HTML page.
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/page/page_output.h"
#include "base/error.h"
#include "base/file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

bool is_record(const std::string& input) {
  return input.ends_with(".json");
}

// Records by hand: each file is a design of its own, the first is the baseline.
PageRuns of_records(const ReportOptions& o) {
  report::RunReader reader = run_reader();
  PageRuns runs;
  for (const std::string& file : o.inputs) {
    report::RunSource s;
    s.id = file;
    s.labels = {{"", fs::path(file).stem().string(), ""}};
    s.record = read_file(file, 1u << 30);
    runs.push_back(std::make_shared<report::PageRun>(reader.read(s, !o.no_detail)));
  }
  return runs;
}

PageRuns of_store(const ReportOptions& o) {
  ResultsFilter filter = o.filter;
  if (!o.inputs.empty()) filter.store = o.inputs.front();
  const study::Store store = open_results(filter.store);
  report::RunReader reader = run_reader();
  PageRuns runs;
  for (const SelectedPoint& s : newest(select(store, filter)))
    if (auto run = read_run(reader, store, s, !o.no_detail)) runs.push_back(std::move(run));
  return runs;
}

}  // namespace

int report_command(const ReportOptions& o) {
  if (!o.page.wanted()) throw Error("where is the page to be written?", "give -o report.html");
  check_page(o.page);
  const bool records = !o.inputs.empty() && is_record(o.inputs.front());
  for (const std::string& input : o.inputs)
    if (is_record(input) != records || (!records && o.inputs.size() > 1))
      throw Error("a page is made of one store, or of records (.json)", "expected STORE, or RECORD.json ...");
  const PageRuns runs = records ? of_records(o) : of_store(o);
  report::PageHead head;
  head.title = o.title;
  add_studies(head, runs);
  if (!o.baseline.empty())
    for (const auto& run : runs)
      for (const study::Label& l : run->labels) head.baselines.insert_or_assign(l.study, o.baseline);
  write_page(o.page, head, runs);
  return 0;
}

}  // namespace heddle::cli
