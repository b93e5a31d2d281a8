// The program heddle: parses the command line and tells what went wrong.
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/cli/command_line/options.h"
#include "apps/cli/commands/commands.h"
#include "apps/cli/reports/ptx_report.h"
#include "apps/cli/terminal/standard_output.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/version.h"

namespace heddle::cli {
namespace {

constexpr const char* kAbout =
    "Heddle: a fast, execution-driven GPU simulator, and a workbench for removing redundant memory requests.";

constexpr const char* kFooter =
    "Examples:\n"
    "  heddle compare hotspot                      designs side by side: speed, traffic, where requests go\n"
    "  heddle run hotspot --gpu clustered60        simulate a bundled workload and verify its result\n"
    "  heddle run hotspot --functional             the result only: fast, with no notion of time\n"
    "  heddle run saxpy.cu --launch saxpy.toml     run your own kernel (.cu or .ptx)\n"
    "  heddle exec -- ./my_program args            a CUDA program as it is, on a simulated card\n"
    "  heddle cluster --on-device -- ./my_program  its kernels rewritten on this machine's GPU, before and "
    "after\n"
    "  heddle cluster syrk kmeans --on-device      what each way of CTA clustering brings on this machine's "
    "GPU\n"
    "  heddle funnel hotspot                       where its memory requests go, and what could merge\n"
    "  heddle ptx kernel.ptx                       what is in a PTX file, and what is unsupported\n"
    "  heddle describe v100                        a machine: picture, peak rates, latencies\n"
    "  heddle describe v100 --diff h200            the parameters in which two differ\n"
    "  heddle describe v100 --cost                 area, power, highest clocks of networks and caches\n"
    "  heddle study icc --figure 10 --scale small  a paper's experiment beside its numbers\n"
    "  heddle study icc --on slurm                 the same in jobs of a cluster; --dry-run shows them\n"
    "  heddle list                                 workloads, GPUs, designs, implementations per slot\n"
    "  heddle explain global_load.lines            what a statistic or a parameter means\n"
    "  heddle results list --study icc             finished points; show, export and forget them\n"
    "  heddle report --study compare -o page.html  finished runs as one page; also --html of run, compare, "
    "study\n"
    "  heddle serve                                the same while a study runs, in a browser on this "
    "machine\n"
    "  heddle new technique victim_buffer --slot merger   the beginning of a technique of your own\n"
    "Exit status: 0 done, 1 a result is wrong, 2 bad input or usage, or output that could not be written,\n"
    "3 unsupported PTX (heddle ptx), 4 stopped by --max-cycles, 130 interrupted (Ctrl-C); both with partial "
    "statistics.";

// CLI11 names what is left over, and that may be what follows the option that nobody knows.
void name_unknown_option(const CLI::App& app, int argc, char** argv) {
  if (app.get_subcommands().empty()) return;
  const CLI::App& sub = *app.get_subcommands().front();
  for (int i = 2; i < argc && argv[i] != std::string_view("--"); ++i) {
    const std::string word(argv[i], std::strcspn(argv[i], "="));
    if (!word.starts_with("--") || sub.get_option_no_throw(word) != nullptr) continue;
    std::vector<std::string> known;
    for (const CLI::Option* option : sub.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::string meant = did_you_mean(word, known);
    throw Error(fmt::format("{} has no option {}", sub.get_name(), word),
                meant.empty() ? fmt::format("heddle {} --help lists them", sub.get_name()) : meant);
  }
}

// "--seed=": CLI11 names a type, people want to know what is expected.
void name_missing_value(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* sub = &app;
  while (!sub->get_subcommands().empty()) sub = sub->get_subcommands().front();
  const std::string said = e.what(), name = said.substr(0, said.find(':'));
  const CLI::Option* option = sub->get_option_no_throw(name);
  const std::string range = option == nullptr ? "" : range_of(*option);
  if (!range.empty()) throw Error(fmt::format("{}: a value is missing; expected {}", name, range));
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(kAbout, "heddle");
  app.footer(kFooter);
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for every command");
  std::string command = "heddle";
  for (int i = 1; i < argc; ++i) command += " " + shell_word(argv[i]);
  int status = 0;
  std::vector<std::string> program;  // of `exec` and `cluster`: the words that are not for the parser
  add_commands(app, command, program, &status);
  if (starts_program(app, argc, argv)) {
    const int begin = program_begin(*app.get_subcommand(argv[1]), argc, argv);
    const bool marked = begin < argc && argv[begin] == std::string_view("--");
    program.assign(argv + begin + (marked ? 1 : 0), argv + argc);
    argc = begin;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
      name_unknown_option(app, argc, argv);
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) name_missing_value(app, e);
    std::ostringstream said;  // it may repeat what the user typed
    const int code = app.exit(e, std::cout, said);
    std::cerr << visible(said.str(), true);
    return code == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace
}  // namespace heddle::cli

namespace {

int run_and_tell(int argc, char** argv) {
  try {
    return heddle::cli::parse_and_run(argc, argv);
  } catch (const heddle::Error& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "heddle: out of memory; try a smaller --scale\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::cli::StandardOutput output;
  return heddle::cli::finished_output(output, run_and_tell(argc, argv));
}
