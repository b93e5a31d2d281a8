#include <iostream>

#include <CLI/CLI.hpp>

#include "apps/cli/commands.h"
#include "apps/cli/ptx_report.h"

namespace heddle::cli {

void add_compile_options(CLI::App& app, CompileOptions& options) {
  app.add_option("--cuda-arch", options.arch, "Architecture a .cu file is compiled for")
      ->capture_default_str();
  app.add_option("-D", options.defines, "Define a macro for a .cu file: -D N=4")->type_name("NAME[=VALUE]");
  app.add_option("-I", options.includes, "Folder with headers of a .cu file")->type_name("DIR");
}

void add_ptx_command(CLI::App& app, int* status) {
  struct Options {
    std::string file;
    bool json = false;
    CompileOptions compile;
  };
  auto o = std::make_shared<Options>();
  CLI::App* sub =
      app.add_subcommand("ptx", "What is in a PTX file, and what of it is unsupported (exit status 3)");
  sub->add_option("file", o->file, "A .ptx file, or a .cu file to compile")->required();
  sub->add_flag("--json", o->json, "As JSON");
  add_compile_options(*sub, o->compile);
  sub->callback([o, status] { *status = report_ptx(o->file, o->json, std::cout, o->compile); });
}

}  // namespace heddle::cli
