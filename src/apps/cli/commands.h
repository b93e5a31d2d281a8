// The commands of the heddle program. Each fills its part of the command line and returns the exit status:
// 0 done, 1 the result is wrong, 2 bad input or usage.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/compile_cu.h"
#include "config/config.h"
#include "config/params.h"
#include "stats/registry.h"
#include "workload/workload.h"

namespace CLI {
class App;
}

namespace heddle::cli {

// Options that several commands share.
struct ConfigOptions {
  std::string file;               // --config
  std::vector<std::string> sets;  // --set path=value

  void add_to(CLI::App& app);
  config::Config load() const;
};

// How a user's .cu file is compiled.
void add_compile_options(CLI::App& app, CompileOptions& options);

// Everything that can be configured or measured, for `explain`, `list` and the docs.
config::ParamTable all_params();
stats::Registry all_stats();

// The bundled workload of this name; throws Error with the nearest one.
const workload::Workload& require_workload(const std::string& name);

// Each adds its subcommand to `app`; when it was chosen, `*status` receives the exit status.
void add_run_command(CLI::App& app, int* status);
void add_list_command(CLI::App& app, int* status);
void add_explain_command(CLI::App& app, int* status);
void add_config_command(CLI::App& app, int* status);
void add_ptx_command(CLI::App& app, int* status);

}  // namespace heddle::cli
