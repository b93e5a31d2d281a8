#include <iostream>

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

int config_command(const ConfigOptions& options) {
  config::Config c = options.load();
  config::read<Everything>(c);
  c.check_all_read();
  std::cout << c.dump();
  return 0;
}

}  // namespace heddle::cli
