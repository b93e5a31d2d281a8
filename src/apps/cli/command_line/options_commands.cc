// The options of the commands; of results, report and serve: options_results.cc.
#include <iostream>
#include <memory>

#include "apps/cli/command_line/options.h"
#include "apps/cli/reports/ptx_report.h"
#include "base/error.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostThreads = 256, kMostJobs = 4096;

void add_options(CLI::App& app, launch::CompileOptions& o) {
  app.add_option("--cuda-arch", o.arch, "Architecture a .cu file is compiled for")->capture_default_str();
  app.add_option("-D", o.defines, "Define a macro for a .cu file: -D N=4")->type_name("NAME[=VALUE]");
  app.add_option("-I", o.includes, "Folder with headers of a .cu file")->type_name("DIR");
}

}  // namespace

void add_options(CLI::App& app, ConfigOptions& o) {
  app.add_option("--gpu", o.gpu, "The machine: a preset (heddle list) or a FILE.toml; default clustered60")
      ->type_name("NAME|FILE.toml");
  app.add_option("--config", o.file, "A TOML file whose parameters replace those of the machine")
      ->check(CLI::ExistingFile);
  app.add_option("--set", o.sets, "Set one parameter: --set l1.ways=8 (heddle explain --all)")
      ->type_name("PATH=VALUE");
}

void add_workload(CLI::App& app, WorkloadOptions& o) {
  app.add_option("--launch", o.launch, "How to launch your own kernel (docs/launch-files.md)")
      ->type_name("FILE.toml");
  app.add_option("--scale", o.scale, "Size of a workload's input: tiny, small, paper")->capture_default_str();
  add_number(app, "--seed", o.seed, "Seed of a workload's generated input")->capture_default_str();
  add_options(app, o.compile);
}

namespace {

void add_options(CLI::App& app, OutputOptions& o) {
  app.add_option("--json", o.json,
                 "Write the whole record as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  app.add_option("--csv", o.csv, "Write the statistics as CSV to this file")->type_name("FILE");
  app.add_flag("--stats", o.stats, "Print every statistic");
  app.add_flag("-q,--quiet", o.quiet, "Print the verdict only");
}

// What is simulated, whichever command does.
void add_program(CLI::App& app, RunOptions& o) {
  app.add_option("what", o.what, "A workload (heddle list), or a .ptx or .cu file with --launch")->required();
  add_workload(app, o);
  add_options(app, o.config);
}

void add_limits(CLI::App& app, TimingOptions& o) {
  add_number(app, "--threads", o.threads, "Host threads; results do not depend on it", 1, kMostThreads)
      ->capture_default_str();
  add_number(app, "--max-cycles", o.max_cycles,
             "Stop after so many core cycles, with partial statistics and exit status 4", 1);
  app.add_flag("--progress", o.progress, "Show progress even if standard error is no terminal");
}

void add_options(CLI::App& app, TimingOptions& o) {
  add_limits(app, o);
  app.add_option("--timeline", o.timeline,
                 "Write CTAs, kernels and counters over time as a Chrome trace to this file")
      ->type_name("FILE.json");
  app.add_option("--series", o.series, "Write counters over time as CSV to this file")->type_name("FILE.csv");
  add_number(app, "--sample", o.sample, "Core cycles between samples of --timeline and --series", 1)
      ->capture_default_str();
  app.add_option("--watch", o.watch, "Further statistics in --timeline and --series: --watch l2.stall_port")
      ->type_name("NAME,...")
      ->delimiter(',');
}

void add_run(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* sub = app.add_subcommand("run", "Run a bundled workload, or a kernel of your own");
  add_program(*sub, *o);
  CLI::Option* functional =
      sub->add_flag("--functional", o->functional, "Execute for the result only, with no notion of time");
  add_options(*sub, o->output);
  add_options(*sub, o->timing);
  sub->get_option("--threads")
      ->description(
          "Host threads; results do not depend on it (--functional: unless CTAs race, docs/exec.md)");
  sub->add_flag(
      "--detail", o->timing.detail,
      "The record of --json also has counters over time, CTAs, traffic and banks (docs/results.md)");
  add_page_options(*sub, command, o->page);
  for (const char* timed : {"--gpu", "--max-cycles", "--timeline", "--series", "--sample", "--watch",
                            "--detail", "--html", "--figures"})
    functional->excludes(sub->get_option(timed));
  sub->callback([o, status] { *status = run_command(*o); });
}

// `program`: the words that main() has kept from the parser.
void add_exec(CLI::App& app, const std::vector<std::string>& program, int* status) {
  auto o = std::make_shared<ExecCommandOptions>();
  CLI::App* sub = app.add_subcommand(
      "exec", "Run an unmodified CUDA program, compiled with nvcc -cudart shared, on a simulated card");
  sub->add_option("program", o->program,  // for the help; see program_begin()
                  "The program and its arguments, after -- or not: all behind its name is its own");
  add_options(*sub, o->config);
  sub->get_option("--set")->allow_extra_args(false);
  sub->get_option("--gpu")->description("The machine: a preset (heddle list) or a FILE.toml; default v100");
  CLI::Option* functional = sub->add_flag("--functional", o->functional,
                                          "Execute for the results only: fast, with no notion of time");
  sub->add_option("--kernels", o->kernels,
                  "Time or record only these launches (they count from 1): --kernels 3..7")
      ->type_name("K..L");
  add_number(*sub, "--sample", o->sample,
             "Time at most N launches of each kernel and estimate the others, or record only these\n"
             "(docs/exec.md)",
             1);
  add_number(*sub, "--threads", o->threads,
             "Host threads; results do not depend on it (--functional: unless CTAs race, docs/exec.md)", 1,
             kMostThreads);
  add_number(*sub, "--max-cycles", o->max_cycles, "Fail launches after so many core cycles of all together",
             1)
      ->excludes(functional);
  sub->add_option("--compute-capability", o->capability,
                  "What the card claims to be; default: what the program's PTX asks for")
      ->type_name("M.N");
  sub->add_option("--results", o->results, "Write one JSON object per launch to this file")
      ->type_name("FILE.jsonl");
  CLI::Option* record =
      sub->add_option("--record", o->record,
                      "Write what the device was given to this file, for heddle run, compare and funnel")
          ->type_name("FILE.hdl");
  sub->add_option("--designs", o->designs,
                  "Run the program once for its results, then compare these designs on its launches")
      ->type_name("DESIGN,...")
      ->allow_extra_args(false);
  add_place_options(*sub, o->place);
  sub->get_option("--on")->needs(sub->get_option("--designs"));
  sub->add_flag(
      "--strict", o->strict,
      "Exit status 1 when the program ends with 0 although a launch, copy, fill or call was refused,\n"
      "or a kernel failed");
  sub->add_flag("-q,--quiet", o->quiet,
                "No summary on standard error; what was refused is told all the same");
  sub->callback([o, status, record, &program] {
    if (program.empty())
      throw Error("exec: the program is missing", "heddle exec [OPTIONS] -- ./program its arguments");
    o->program = program;
    if (record->count() != 0 && !o->record.ends_with(".hdl"))
      throw Error("--record: the file's name must end in .hdl", "That is how heddle run knows it.");
    *status = exec_command(*o);
  });
}

void add_funnel(CLI::App& app, int* status) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* sub = app.add_subcommand(
      "funnel", "Where a program's loads from global memory go, level by level, and what could have merged");
  add_program(*sub, *o);
  sub->add_option("--json", o->output.json,
                  "Write the funnel as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  add_limits(*sub, o->timing);
  sub->callback([o, status] { *status = funnel_command(*o); });
}

void add_characterise(CLI::App& app, int* status) {
  auto o = std::make_shared<CharacteriseOptions>();
  CLI::App* sub = app.add_subcommand(
      "characterise", "What kind of programs these are: shape, memory accesses, reuse, waiting, per kernel");
  sub->add_option("what", o->workloads,
                  "Workloads or kernels of them (heddle list), or .ptx or .cu files with --launch; default:\n"
                  "all workloads");
  add_workload(*sub, o->workload);
  add_options(*sub, o->config);
  add_number(*sub, "--threads", o->threads, "Host threads; results do not depend on it", 1, kMostThreads)
      ->capture_default_str();
  sub->add_option("--csv", o->csv,
                  "Write every number as CSV to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  sub->add_option("--json", o->json,
                  "Write every number as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  sub->callback([o, status] { *status = characterise_command(*o); });
}

void add_list(CLI::App& app, int* status) {
  auto o = std::make_shared<ListOptions>();
  CLI::App* sub =
      app.add_subcommand("list", "The bundled workloads, GPUs, designs, and implementations per slot");
  sub->add_option("workload", o->workload, "Show the inputs of this one at every scale");
  sub->callback([o, status] { *status = list_command(*o); });
}

void add_describe(CLI::App& app, int* status) {
  auto o = std::make_shared<DescribeOptions>();
  CLI::App* sub = app.add_subcommand(
      "describe", "A machine: its parts in a picture, implementation per slot, peak rates, latencies");
  sub->add_option("gpu", o->config.gpu, "A preset (heddle list) or a FILE.toml; default clustered60");
  sub->add_option("--design", o->design,
                  "With a design in it (heddle list), as --designs of compare takes it")
      ->type_name("DESIGN");
  CLI::Option* diff =
      sub->add_option("--diff", o->other, "Only the parameters in which it differs from this one")
          ->type_name("NAME|FILE.toml");
  CLI::Option* all = sub->add_flag("--all", o->all, "Every parameter too, with the place it comes from");
  sub->add_option("--set", o->config.sets, "Set one parameter before: --set l1.ways=8")
      ->type_name("PATH=VALUE");
  CLI::Option* cost = sub->add_flag("--cost", o->cost,
                                    "Instead: area, static power, energy and highest clock of its networks "
                                    "and\ncaches at 22 nm (docs/cost.md)");
  cost->excludes(diff)->excludes(all);
  CLI::Option* pairs = sub->add_flag(
      "--pairs", o->pairs, "Instead: which designs go together in it, and why others do not (docs/pairs.md)");
  pairs->excludes(diff)->excludes(all)->excludes(cost);
  sub->add_flag("--markdown", o->markdown, "With --pairs: as the table of docs/pairs.md")->needs(pairs);
  sub->add_flag("--json", o->json, "With --cost: as JSON, nothing else")->needs(cost);
  add_number(*sub, "--link-um", o->link_um,
             "With --cost: length in micrometres of links that do not say theirs; default\n12300", 1,
             1'000'000)
      ->needs(cost);
  sub->callback([o, status] { *status = describe_command(*o); });
}

void add_explain(CLI::App& app, int* status) {
  auto o = std::make_shared<ExplainOptions>();
  CLI::App* sub = app.add_subcommand("explain", "What a statistic or a parameter means");
  sub->add_option("name", o->name, "Its name, or the first part of it: global_load, functional.spin_limit");
  sub->add_flag("--all", o->all, "List every statistic and parameter");
  sub->add_flag("--markdown", o->markdown, "With --all: as the tables of docs/reference.md");
  sub->callback([o, status] { *status = explain_command(*o); });
}

void add_ptx(CLI::App& app, int* status) {
  struct Options {
    std::string file;
    bool json = false;
    launch::CompileOptions compile;
  };
  auto o = std::make_shared<Options>();
  CLI::App* sub = app.add_subcommand(
      "ptx", "What is in a PTX file or CUDA program, and what of it is unsupported (exit status 3)");
  sub->add_option("file", o->file,
                  "A .ptx file, a .cu file to compile, or a CUDA program, library, object or .fatbin")
      ->required();
  sub->add_flag("--json", o->json, "As JSON");
  add_options(*sub, o->compile);
  sub->callback([o, status] { *status = report_ptx(o->file, o->json, std::cout, o->compile); });
}

void add_validate(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<ValidateOptions>();
  CLI::App* sub = app.add_subcommand(
      "validate", "Compare eight programs with GPGPU-Sim and with a real H200 (docs/validation.md)");
  sub->add_option("against", o->against,
                  "peer: GPGPU-Sim; silicon: an H200; all: both; mergers: what other designs would do in\n"
                  "place of the H200's request coalescer")
      ->capture_default_str();
  sub->add_option("--program", o->program, "Only this one of the eight");
  add_number(*sub, "--threads", o->threads, "Host threads; default: 1, for mergers one per core", 1,
             kMostThreads);
  sub->add_option("--set", o->sets, "Change the machine: --set l1.port_bytes=128B")->type_name("PATH=VALUE");
  sub->add_option("--json", o->json,
                  "Write the figures as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  sub->add_flag("--markdown", o->markdown, "Tables as in docs/validation.md");
  add_page_options(*sub, command, o->page);
  sub->callback([o, status] { *status = validate_command(*o); });
}

void add_compare(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* sub = app.add_subcommand(
      "compare", "Designs side by side on workloads or kernels of your own (docs/compare.md)");
  sub->add_option("what", o->workloads, "Workloads (heddle list), or .ptx or .cu files with --launch")
      ->required();
  sub->add_option("--designs", o->designs,
                  "Names (heddle list), designs of your own as NAME:path=value:path=value, files with\n"
                  "[design.NAME]; the first is the baseline")
      ->type_name("DESIGN,...")
      ->allow_extra_args(false);
  add_workload(*sub, o->workload);
  add_options(*sub, o->config);
  add_number(*sub, "--perturbations", o->perturbations,
             "Run each design N times more, slightly perturbed: shows ranges, and = where there is no\n"
             "difference",
             0, 48);
  add_number(*sub, "--jobs", o->jobs, "Processes at once; default: one per core", 1, kMostJobs);
  add_place_options(*sub, o->place);
  sub->add_flag("--markdown", o->markdown, "Tables in Markdown");
  sub->add_option("--csv", o->csv, "Write every number as CSV to this file")->type_name("FILE");
  sub->add_option("--json", o->json,
                  "Write everything as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  add_store_option(*sub, o->store);
  add_page_options(*sub, command, o->page);
  sub->callback([o, status] { *status = compare_command(*o); });
}

void add_study_selection(CLI::App& sub, StudyOptions& o) {
  sub.add_option("study", o.study, "A study, or a folder with study.toml; without: list them");
  sub.add_option("--figure", o.figures,
                 "Only these figures, or groups of figures: --figure 10,13 --figure load")
      ->type_name("ID,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub.add_option("--workloads", o.workloads, "Only these")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub.add_option("--designs", o.designs, "Only these, with their baselines")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub.add_option("--machine", o.machine,
                 "Another machine that the study names ([other_machine.NAME]); default: its own")
      ->type_name("NAME");
  sub.add_option("--scale", o.scale, "Size of the inputs: tiny, small, paper; default: the study's");
  sub.add_option("--perturbations", o.perturbations, "all, or none: each design once, without a range")
      ->capture_default_str();
}

void add_study(CLI::App& app, const std::string& command, int* status) {
  auto o = std::make_shared<StudyOptions>();
  CLI::App* sub = app.add_subcommand(
      "study", "Run a paper's experiments and set the results beside its numbers (docs/studies.md)");
  add_study_selection(*sub, *o);
  add_number(*sub, "--jobs", o->jobs, "Processes at once; default: one per core", 1, kMostJobs);
  CLI::Option* dry = sub->add_flag("--dry-run", o->dry_run, "Say what it would take, and run nothing");
  add_place_options(*sub, o->place);
  sub->add_flag("--score", o->score, "Every number of the paper with its verdict, misses first");
  sub->add_option("--beside", o->other_scale,
                  "Tables of this scale and of another one, from its archive, with their difference")
      ->type_name("SCALE");
  sub->add_flag("--markdown", o->markdown, "Tables in Markdown");
  sub->add_option("--csv", o->csv, "Write the tables as CSV to this folder")->type_name("DIR");
  sub->add_option("--json", o->json,
                  "Write everything as JSON to this file ('-': standard output, nothing else)")
      ->type_name("FILE");
  add_store_option(*sub, o->store);
  add_page_options(*sub, command, o->page);
  CLI::Option* archive =
      sub->add_flag("--archive", o->archive, "Keep the records behind the tables in the study's folder");
  CLI::Option* from =
      sub->add_flag("--from-archive", o->from_archive, "Print from the archive and simulate nothing");
  CLI::Option* from_store =
      sub->add_option(
             "--from-store", o->from_store,
             "Print what an earlier build (the beginning of its source hash) kept in the store, and simulate "
             "nothing; with --archive: keep that")
          ->type_name("SOURCE");
  CLI::Option* check =
      add_number(*sub, "--check", o->check_points,
                 "Simulate N points of the archive again and compare bit for bit; default: one per design", 1)
          ->expected(0, 1)
          ->type_name("[N]");
  for (CLI::Option* other : {archive, from, from_store, check}) dry->excludes(other);
  for (const char* page : {"--html", "--figures"})  // a page is made of records
    for (CLI::Option* other : {dry, from, from_store, check}) other->excludes(sub->get_option(page));
  archive->excludes(from)->excludes(check);
  from_store->excludes(from)->excludes(check);
  from->excludes(check);
  sub->callback([o, status, check] {
    o->check = check->count() != 0;
    *status = study_command(*o);
  });
}

void add_config(CLI::App& app, int* status) {
  auto o = std::make_shared<ConfigOptions>();
  CLI::App* sub =
      app.add_subcommand("config", "Print the effective configuration, with the source of every value");
  add_options(*sub, *o);
  sub->callback([o, status] { *status = config_command(*o); });
}

}  // namespace

void add_commands(CLI::App& app, const std::string& command, const std::vector<std::string>& program,
                  int* status) {
  add_compare(app, command, status);
  add_run(app, command, status);
  add_exec(app, program, status);
  add_cluster(app, program, status);
  add_funnel(app, status);
  add_characterise(app, status);
  add_noc(app, command, status);
  add_list(app, status);
  add_describe(app, status);
  add_explain(app, status);
  add_ptx(app, status);
  add_config(app, status);
  add_results(app, status);
  add_report(app, command, status);
  add_serve(app, status);
  add_validate(app, command, status);
  add_study(app, command, status);
  add_new(app, status);
  add_worker(app, status);
}

}  // namespace heddle::cli
