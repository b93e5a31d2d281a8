// Options that several commands share, and the commands that main.cc leaves to options_results.cc and
// options_exec.cc.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "apps/cli/commands.h"

namespace heddle::cli {

void add_store_option(CLI::App& app, std::string& store);
// `command`: the whole command line, for the page to tell.
void add_page_options(CLI::App& app, const std::string& command, PageOptions& options);

// `heddle exec ...`: the place in `argv` of `--` or of the first word that is neither an option of `exec` nor
// the value of one; `argc` without either. From there on nothing is an option of heddle, whatever it looks
// like.
int program_begin(const CLI::App& exec, int argc, char** argv);

void add_results(CLI::App& app, int* status);
void add_report(CLI::App& app, const std::string& command, int* status);
void add_serve(CLI::App& app, int* status);

}  // namespace heddle::cli
