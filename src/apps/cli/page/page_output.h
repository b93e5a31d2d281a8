// Report pages of runs, of a store or just simulated.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/inputs/results_selection.h"
#include "apps/cli/page/page_options.h"
#include "report/page_data.h"
#include "study/batch/batch.h"
#include "study/definition/study.h"

namespace heddle::cli {

using PageRuns = std::vector<std::shared_ptr<const report::PageRun>>;

// The page without data: `file`, or the bundled one. Throws Error where there is none.
std::string empty_page(const std::string& file);
// Throws Error when the page could not be written in the end: call it before simulating for an hour.
void check_page(const PageOptions& options);

report::RunReader run_reader();

// A run of the store as a page shows it. Only the runs as they are have their detail there; perturbed ones
// are for ranges. Null, with a line on standard error: nobody can read its record any more. Throws Damaged.
std::shared_ptr<const report::PageRun> read_run(report::RunReader& reader, const study::Store& store,
                                                const SelectedPoint& point, bool with_detail);
// What a batch was asked for, as far as the store has it; each point once.
PageRuns page_runs(const study::Store& store, std::span<const study::Job> jobs);

// Where the store of a batch is gone.
inline constexpr const char* kNoPage = "heddle: no page is written: the records went with the store\n";

// What studies add to a page: their baselines, and the figures of the one study that all runs are for.
void add_studies(report::PageHead& head, const PageRuns& runs);
// The design that a study compares with.
std::string baseline_of(const study::Study& study);
// With the machine, where it is not the study's own.
std::string title_of(const study::Study& study);

// Completes `head`; writes what `options` ask for.
void write_page(const PageOptions& options, report::PageHead head, const PageRuns& runs);
// A page that shows something else than runs: `more` are its further members, `shown` says what it is.
void write_page(const PageOptions& options, report::PageHead head, const nlohmann::ordered_json& more,
                const std::string& shown);

std::string now_utc();  // "2026-01-31 12:00:00"

}  // namespace heddle::cli
