// The options of heddle cluster.
#include <memory>

#include "apps/cli/command_line/options.h"
#include "base/error.h"

namespace heddle::cli {

void add_cluster(CLI::App& app, const std::vector<std::string>& program, int* status) {
  auto o = std::make_shared<ClusterCommandOptions>();
  CLI::App* sub = app.add_subcommand(
      "cluster",
      "Rewrite the kernels of an unmodified CUDA program so that CTAs which share data share an SM");
  sub->add_option("program", o->program,  // for the help; see program_begin()
                  "The program and its arguments, after -- or not: all behind its name is its own");
  sub->add_flag("--on-device", o->on_device,
                "Run it on this machine's own GPU, plain and rewritten in turn; compare the results and the\n"
                "times of its kernels (docs/cta_clustering.md)");
  sub->add_option("--way", o->way,
                  "agents: CTAs that stay on their SM and take tasks; redirection: the grid stays")
      ->check(CLI::IsMember({"agents", "redirection"}))
      ->capture_default_str();
  sub->add_option("--partition", o->partition, "CTAs of a row, of a column or of a tile share an SM")
      ->check(CLI::IsMember({"row", "column", "tile"}))
      ->capture_default_str();
  sub->add_option("--tile", o->tile, "CTAs of a tile, in x and y")->type_name("WxH")->capture_default_str();
  add_number(*sub, "--active", o->active,
             "Agents of an SM that take tasks, the others retire; default: all that fit", 1, 1024);
  sub->add_flag("--bypass", o->bypass, "Global loads that can pass the L1 by do");
  add_number(*sub, "--runs", o->runs, "Runs of the program each way", 1, 100)->capture_default_str();
  sub->callback([o, status, &program] {
    if (program.empty())
      throw Error("cluster: the program is missing",
                  "heddle cluster --on-device [OPTIONS] -- ./program its arguments");
    o->program = program;
    *status = cluster_command(*o);
  });
}

}  // namespace heddle::cli
