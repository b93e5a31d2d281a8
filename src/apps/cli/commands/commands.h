// The commands of the heddle program, without their command line (main.cc has that). Each returns the exit
// status: 0 done, 1 a result is wrong, 3 something is unsupported, 4 the cycle limit was reached, 130
// interrupted; throws Error for bad input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/inputs/chosen_workload.h"
#include "apps/cli/inputs/gpu_config.h"
#include "apps/cli/inputs/results_filter.h"
#include "apps/cli/page/page_options.h"
#include "apps/cli/reports/run_report.h"
#include "config/params.h"
#include "stats/registry.h"

namespace heddle::cli {

// How time is simulated.
struct TimingOptions {
  std::uint32_t threads = 1;
  std::uint64_t max_cycles = 0;    // 0: no limit
  std::string timeline;            // Chrome trace to this file
  std::string series;              // samples as CSV to this file
  std::uint64_t sample = 1000;     // cycles between samples
  std::vector<std::string> watch;  // further statistics in timeline and series
  bool detail = false;             // the record has its detail
  bool progress = false;           // also when standard error is no terminal
};

struct RunOptions : WorkloadOptions {
  bool functional = false;
  ConfigOptions config;
  OutputOptions output;
  TimingOptions timing;
  PageOptions page;
};
int run_command(const RunOptions& options);

// Of RunOptions, `functional` and all outputs but `json` have no meaning here.
int funnel_command(const RunOptions& options);

struct DescribeOptions {
  ConfigOptions config;
  std::string design;  // of the catalog or one's own, as `compare` takes it; empty: the machine as it is
  std::string other;   // --diff
  bool all = false;    // every parameter
  bool cost = false;   // of networks and caches, instead
  bool json = false;   // ... as JSON
  bool pairs = false;  // designs that go together, instead
  bool markdown = false;
  std::uint32_t link_um = 0;  // of links that do not say how long they are; 0: the usual
};
int describe_command(const DescribeOptions& options);

struct ListOptions {
  std::string workload;  // empty: all
};
int list_command(const ListOptions& options);

struct ExplainOptions {
  std::string name;
  bool all = false;
  bool markdown = false;
};
int explain_command(const ExplainOptions& options);

struct ValidateOptions {
  std::string against = "all";    // peer, silicon, all (of these two), mergers
  std::string program;            // empty: all eight
  std::uint32_t threads = 0;      // 0: one; for mergers one per core
  std::vector<std::string> sets;  // --set path=value
  std::string json;               // record to this file; "-": standard output, nothing else
  bool markdown = false;
  PageOptions page;  // of silicon
};
// Status 1: a figure is worse than recorded.
int validate_command(const ValidateOptions& options);

// Where points are simulated (docs/cluster.md).
struct PlaceOptions {
  std::string on;                     // "slurm"; empty: on this machine
  std::string partition;              // empty: the cluster's usual one
  std::vector<std::string> sbatch;    // further options of sbatch
  std::string spool;                  // a folder that all nodes see; empty: beside the store
  std::string program;                // heddle on the nodes; empty: this one
  std::uint32_t task_minutes = 0;     // that short points which share a task take; 0: by how many there are
  std::uint32_t point_minutes = 240;  // limits of a task whose points' cost nobody knows
  std::uint32_t point_mebibytes = 4096;
  bool dry_run = false;  // says what would be submitted
  bool cancel = false;   // ends what is under way instead

  bool elsewhere() const { return !on.empty(); }
};

struct StudyOptions {
  std::string study;                 // name or folder; empty: list them
  std::vector<std::string> figures;  // ids or groups; empty: all
  std::vector<std::string> workloads, designs;
  std::string machine;  // one of the study's further machines; empty: its own
  std::string scale;    // empty: the study's
  std::string perturbations = "all";
  std::uint32_t jobs = 0;  // processes at once; 0: one per core
  bool dry_run = false, score = false, archive = false, from_archive = false, markdown = false;
  bool check = false;
  std::size_t check_points = 0;  // 0: one per design
  std::string from_store;        // the beginning of a source hash: what that build kept
  std::string other_scale;       // --beside: compared with the archive of this scale; empty: with none
  std::string csv;               // tables to this folder
  std::string json;              // to this file; "-": standard output, nothing else
  std::string store;             // empty: the usual one
  PlaceOptions place;
  PageOptions page;
};
// Status 1: a point failed, has a wrong result or cannot be built; a check found a difference.
int study_command(const StudyOptions& options);

struct CompareOptions {
  WorkloadOptions workload;            // `what` is empty: see `workloads`
  std::vector<std::string> workloads;  // workloads, .ptx, .cu
  std::vector<std::string> designs;    // lists as in study/design/design_catalog.h; empty: the usual ones
  ConfigOptions config;
  std::size_t perturbations = 0;  // further runs of each design, for ranges
  std::uint32_t jobs = 0;         // processes at once; 0: one per core
  bool markdown = false;
  std::string json;   // to this file; "-": standard output, nothing else
  std::string csv;    // to this file
  std::string store;  // empty: the usual one
  std::string
      next;  // the command to name as next one, where the workloads will be gone; empty: the usual ones
  PlaceOptions place;
  PageOptions page;
};
// Status 1: a design could not be built, a point failed or has a wrong result.
int compare_command(const CompareOptions& options);

struct CharacteriseOptions {
  WorkloadOptions workload;            // `what` is empty: see `workloads`
  std::vector<std::string> workloads;  // empty: all bundled ones
  ConfigOptions config;
  std::uint32_t threads = 1;
  std::string csv, json;  // files; "-": standard output, nothing else
};
// Status 1: a result is wrong.
int characterise_command(const CharacteriseOptions& options);

struct NocOptions {
  ConfigOptions config;  // `gpu` is empty: a network alone, with its own keys in `sets`
  std::string topology = "mesh", size = "8x8";
  std::string pattern;       // empty: the usual one
  std::uint32_t slices = 8;  // of patterns with few and many
  bool reply = false;        // of a machine
  std::string rate = "0.05:1:0.05";
  std::uint32_t flits = 1;
  std::uint32_t warm_up = 3000, cycles = 20000;
  std::uint64_t seed = 1;
  bool saturation = false;
  std::string compare;    // "virtual_channels=1,4,8"; empty: one curve
  std::string csv, json;  // files; "-": standard output, nothing else
  PageOptions page;
};
int noc_command(const NocOptions& options);

struct ExecCommandOptions {
  std::vector<std::string> program;  // its file, and its arguments
  ConfigOptions config;
  bool functional = false;
  std::string kernels;       // launches that are timed: "3..7"; empty: all
  std::uint32_t sample = 0;  // launches of each kernel that are timed; 0: all
  std::uint32_t threads = 1;
  std::uint64_t max_cycles = 0;      // 0: no limit
  std::string capability;            // "7.5"; empty: as the program's PTX asks for
  std::string results;               // JSON lines to this file
  std::string record;                // a recording to this file
  std::vector<std::string> designs;  // compares these
  PlaceOptions place;                // where
  bool quiet = false;
  bool strict = false;  // fails when something was refused
};
// Status: the program's own; 128 + n when signal n ended it. Where that is 0: 2 when a file could not be
// written, 1 when `strict`.
int exec_command(const ExecCommandOptions& options);

struct ClusterCommandOptions {
  std::vector<std::string> what;  // workloads; in the simulator one
  // In the simulator: what is worth doing with each kernel.
  WorkloadOptions workload;
  ConfigOptions config;
  bool text_only = false;  // nothing is simulated
  std::string write;       // rewritten PTX and launch code to this folder
  std::uint32_t jobs = 0;  // processes at once; 0: one per core
  std::string store;       // empty: the usual one
  bool markdown = false;

  bool on_device = false;            // on this machine's own GPU
  std::vector<std::string> program;  // its file, and its arguments
  std::string way = "agents";        // or redirection
  std::string partition = "row";     // column, tile
  std::string tile = "2x2";          // CTAs in x and y
  std::uint32_t active = 0;          // agents of an SM that take tasks; 0: all
  bool bypass = false;
  std::uint32_t runs = 3;  // each way

  // Workloads on this machine's own GPU.
  std::vector<std::string> designs;  // empty: all
  std::string csv;
  std::uint32_t repeat = 9;          // times that a launch is timed
  std::uint32_t timed_launches = 4;  // of each kernel
};
// Status 1: results differ.
int cluster_command(const ClusterCommandOptions& options);
int cluster_in_simulator(const ClusterCommandOptions& options);
int cluster_on_device(const ClusterCommandOptions& options);  // a program
int cluster_on_card(const ClusterCommandOptions& options);    // workloads
// Whether a word behind --on-device is a workload, or a kernel with a launch file; else it is a program.
bool names_workload(const std::string& word);

// Works on one task of a plan: what jobs on a cluster call.
struct WorkerOptions {
  std::string plan;  // its folder
  std::size_t task = 0;
  std::uint32_t submission = 0;
};
// Status 1: a point could not be simulated; 143: ended by a signal, results so far are kept.
int worker_command(const WorkerOptions& options);

int results_list_command(const ResultsFilter& filter);  // newest last

struct ResultsShowOptions {
  std::string store, key;
  std::string json;  // the record to this file instead; "-": standard output
  bool stats = false;
};
int results_show_command(const ResultsShowOptions& options);

struct ResultsExportOptions {
  ResultsFilter filter;
  std::string csv, json;                // files; "-": standard output
  std::vector<std::string> statistics;  // empty: all; as JSON, whole records
};
int results_export_command(const ResultsExportOptions& options);

struct ResultsForgetOptions {
  ResultsFilter filter;
  bool yes = false;  // does not ask
};
int results_forget_command(const ResultsForgetOptions& options);
struct ResultsMergeOptions {
  std::vector<std::string> from;  // stores
  std::string store;
};
// All of them, or none.
int results_merge_command(const ResultsMergeOptions& options);
// Removes what is damaged from a store.
int results_repair_command(const std::string& store);

struct ReportOptions {
  std::vector<std::string> inputs;  // a store, or records (.json); empty: the usual store
  ResultsFilter filter;
  std::string title, baseline;  // empty: by what there is
  bool no_detail = false;
  PageOptions page;
};
int report_command(const ReportOptions& options);

struct ServeOptions {
  ResultsFilter filter;
  std::uint16_t port = 8760;  // 0: any free one
  std::string page;           // another page than the bundled one
};
// Until Ctrl-C.
int serve_command(const ServeOptions& options);

struct NewTechniqueOptions {
  std::string name, slot;
  std::string root;  // empty: the current folder
};
int new_technique_command(const NewTechniqueOptions& options);
std::vector<std::string> technique_slots();  // that --slot takes

// The effective configuration, with the source of every value.
int config_command(const ConfigOptions& options);

// Everything that can be configured or measured, for `explain` and the docs.
config::ParamTable all_params();
stats::Registry machine_stats();     // of a simulated machine
stats::Registry functional_stats();  // of functional execution

}  // namespace heddle::cli
