// The heddle command.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

#include "apps/cli/commands.h"
#include "base/error.h"
#include "base/version.h"

namespace {

constexpr const char* kAbout =
    "Heddle: a fast, execution-driven GPU simulator, and a workbench for removing redundant memory requests.";

constexpr const char* kFooter =
    "Examples:\n"
    "  heddle run hotspot --functional             run a bundled workload and verify its result\n"
    "  heddle run saxpy.cu --launch saxpy.toml     run your own kernel (.cu or .ptx)\n"
    "  heddle ptx kernel.ptx                       what is in a PTX file, and what is unsupported\n"
    "  heddle list                                 the bundled workloads\n"
    "  heddle explain global_load.lines            what a statistic or a parameter means\n"
    "Exit status: 0 done, 1 a result is wrong, 2 bad input or usage.";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kAbout, "heddle");
  app.footer(kFooter);
  app.set_version_flag("--version", heddle::version_line());
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for every command");
  int status = 0;
  heddle::cli::add_run_command(app, &status);
  heddle::cli::add_list_command(app, &status);
  heddle::cli::add_explain_command(app, &status);
  heddle::cli::add_ptx_command(app, &status);
  heddle::cli::add_config_command(app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  } catch (const heddle::Error& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "heddle: out of memory; try a smaller --scale\n");
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
    return 3;
  }
  return status;
}
