// The options of heddle cluster.
#include <memory>

#include "apps/cli/command_line/options.h"
#include "base/error.h"

namespace heddle::cli {
namespace {

constexpr const char* kSimulated = "In the simulator";
constexpr const char* kOnDevice = "On this machine's own GPU";
constexpr const char* kPrograms = "A program on this machine's own GPU";
constexpr const char* kOnCard = "Workloads on this machine's own GPU";

constexpr const char* kOfPrograms[] = {"--way", "--partition", "--tile", "--active", "--bypass", "--runs"};
constexpr const char* kOfWorkloads[] = {"--design", "--repeat", "--timed"};

void add_simulated(CLI::App& sub, ClusterCommandOptions& o) {
  add_workload(sub, o.workload);
  add_options(sub, o.config);
  sub.add_flag("--text", o.text_only, "Only what the kernels' text tells; nothing is simulated");
  sub.add_option("--write", o.write, "Rewritten PTX and launch code of what is worth it to this folder")
      ->type_name("DIR");
  add_number(sub, "--jobs", o.jobs, "Simulations at once; default: one per core", 1, 4096);
  add_store_option(sub, o.store);
  sub.add_flag("--markdown", o.markdown, "Tables as Markdown");
  sub.add_option("--csv", o.csv, "Write a line for each workload, kernel and design to this file")
      ->type_name("FILE");
}

void add_on_device(CLI::App& sub, ClusterCommandOptions& o) {
  sub.add_flag("--on-device", o.on_device,
               "On this machine's own GPU: a CUDA program, plain and rewritten in turn, its results and the\n"
               "times of its kernels compared; or workloads with every design (docs/cta_clustering.md)");
  sub.add_option("--way", o.way,
                 "agents: CTAs that stay on their SM and take tasks; redirection: the grid stays")
      ->check(CLI::IsMember({"agents", "redirection"}))
      ->capture_default_str();
  sub.add_option("--partition", o.partition, "CTAs of a row, of a column or of a tile share an SM")
      ->check(CLI::IsMember({"row", "column", "tile"}))
      ->capture_default_str();
  sub.add_option("--tile", o.tile, "CTAs of a tile, in x and y")->type_name("WxH")->capture_default_str();
  add_number(sub, "--active", o.active,
             "Agents of an SM that take tasks, the others retire; default: all that fit", 1, 1024);
  sub.add_flag("--bypass", o.bypass, "Global loads that can pass the L1 by do");
  add_number(sub, "--runs", o.runs, "Runs of the program each way", 1, 100)->capture_default_str();
}

void add_on_card(CLI::App& sub, ClusterCommandOptions& o) {
  sub.add_option("--design", o.designs,
                 "Only designs that are called so, or whose names begin so; several times: several")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  add_number(sub, "--repeat", o.repeat,
             "How often a launch is timed, each time with the memory as before; 1: every launch is made\n"
             "once, as the program makes it, which profilers want",
             1, 1000)
      ->capture_default_str();
  add_number(sub, "--timed", o.timed_launches, "Launches of each kernel that are timed, the first ones", 1,
             100000)
      ->capture_default_str();
}

template <std::size_t n>
void refuse(const CLI::App& sub, const char* const (&options)[n], const std::string& belongs) {
  for (const char* option : options)
    if (sub.get_option(option)->count() != 0) throw Error(std::string("cluster: ") + option + belongs);
}

void check(const CLI::App& sub, const ClusterCommandOptions& o) {
  if (o.on_device && o.program.empty() && o.what.empty())
    throw Error("cluster: the program is missing",
                "heddle cluster --on-device [OPTIONS] -- ./program its arguments, or heddle cluster syrk "
                "--on-device");
  if (!o.on_device && o.program.empty() && o.what.empty())
    throw Error("cluster: what is to be looked at is missing",
                "heddle cluster syrk --gpu gtx570, or heddle cluster --on-device -- ./program");
  if (o.on_device && o.program.empty())
    refuse(sub, kOfPrograms, " is for programs; for workloads there is --design");
  else
    refuse(sub, kOfWorkloads, " is for workloads with --on-device");
  if (!o.program.empty() && !o.csv.empty()) throw Error("cluster: --csv is for workloads");
}

}  // namespace

void add_cluster(CLI::App& app, const std::vector<std::string>& program, int* status) {
  auto o = std::make_shared<ClusterCommandOptions>();
  CLI::App* sub = app.add_subcommand(
      "cluster",
      "CTAs that share data on one SM: what it brings a program's kernels, and kernels rewritten for it");
  sub->add_option(
      "what", o->what,
      "A workload (heddle list), a .ptx or .cu file with --launch; a .ptx file alone: what its text\n"
      "tells. With --on-device: one workload or several; or the program and its arguments, after --\n"
      "or not");
  add_simulated(*sub, *o);
  add_on_device(*sub, *o);
  add_on_card(*sub, *o);
  for (const char* name : {"--gpu", "--config", "--set", "--text", "--write", "--jobs", "--store"})
    sub->get_option(name)->group(kSimulated);
  sub->get_option("--on-device")->group(kOnDevice);
  for (const char* name : kOfPrograms) sub->get_option(name)->group(kPrograms);
  for (const char* name : kOfWorkloads) sub->get_option(name)->group(kOnCard);
  sub->callback([o, sub, status, &program] {
    o->program = program;
    check(*sub, *o);
    *status = cluster_command(*o);
  });
}

}  // namespace heddle::cli
