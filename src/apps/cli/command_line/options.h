// What the command line is made of: main.cc parses it, options_*.cc know the options.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/cli/commands/commands.h"

namespace heddle::cli {

// All commands. `command`: the whole command line, for pages to tell; `status` is set by the one that runs.
// `program`: of `exec` and `cluster`, filled before the parser calls it back.
void add_commands(CLI::App& app, const std::string& command, const std::vector<std::string>& program,
                  int* status);

// Takes decimal digits only, and says in words what is expected: "a whole number from 1 to 256".
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
std::string range_of(const CLI::Option& option);  // those words; empty: no number is expected

// Every number among the options comes from here.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& to, const std::string& description,
                        std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<T>::max()) {
  return app.add_option(name, to, description)->type_name("N")->transform(whole_number(least, most));
}

void add_options(CLI::App& app, ConfigOptions& options);
// How a workload is launched, or how large it is.
void add_workload(CLI::App& app, WorkloadOptions& options);
void add_store_option(CLI::App& app, std::string& store);
// `command`: the whole command line, for the page to tell.
void add_page_options(CLI::App& app, const std::string& command, PageOptions& options);

// `heddle exec ...` and `heddle cluster ...`: the place in `argv` of `--` or of the first word that is
// neither an option of the command nor the value of one; `argc` without either. From there on nothing is an
// option of heddle, whatever it looks like. A workload behind `heddle cluster --on-device` is no program.
bool starts_program(const CLI::App& app, int argc, char** argv);
int program_begin(const CLI::App& command, int argc, char** argv);

// --on and what goes with it. `--dry-run` where the command has none of its own.
void add_place_options(CLI::App& app, PlaceOptions& options);
void add_worker(CLI::App& app, int* status);
void add_cluster(CLI::App& app, const std::vector<std::string>& program, int* status);
void add_results(CLI::App& app, int* status);
void add_report(CLI::App& app, const std::string& command, int* status);
void add_serve(CLI::App& app, int* status);
void add_new(CLI::App& app, int* status);
void add_noc(CLI::App& app, const std::string& command, int* status);

}  // namespace heddle::cli
