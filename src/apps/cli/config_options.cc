#include <CLI/CLI.hpp>

#include "apps/cli/commands.h"
#include "config/reader.h"
#include "exec/profile.h"

namespace heddle::cli {
namespace {

// The sections of a configuration file.
struct Everything {
  exec::FunctionalOptions functional;
  void fields(config::Reader& r) { r.section("functional", functional, "Functional execution"); }
};

}  // namespace

void ConfigOptions::add_to(CLI::App& app) {
  app.add_option("--config", file, "A TOML file with parameters")->check(CLI::ExistingFile);
  app.add_option("--set", sets, "Set one parameter: --set functional.recursive_stack=64KiB")
      ->type_name("PATH=VALUE");
}

config::Config ConfigOptions::load() const {
  config::Config c = file.empty()
                         ? config::Config()
                         : config::Config::load(file.find('/') == std::string::npos ? "./" + file : file, {});
  for (const std::string& s : sets) c.set(s);
  return c;
}

config::ParamTable all_params() {
  return config::describe<Everything>();
}

stats::Registry all_stats() {
  stats::Registry r;
  r.declare<exec::FunctionalStats>("");
  return r;
}

void add_config_command(CLI::App& app, int* status) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* sub =
      app.add_subcommand("config", "Print the effective configuration, with the source of every value");
  options->add_to(*sub);
  sub->callback([options, status] {
    config::Config c = options->load();
    config::read<Everything>(c);
    c.check_all_read();
    std::cout << c.dump();
    *status = 0;
  });
}

}  // namespace heddle::cli
