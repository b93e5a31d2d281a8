// Where points are simulated: the options of study, compare and exec, and the worker that they start.
#include <memory>

#include "apps/cli/command_line/options.h"

namespace heddle::cli {

void add_place_options(CLI::App& app, PlaceOptions& o) {
  constexpr const char* kGroup = "On a cluster (docs/cluster.md)";
  CLI::Option* on =
      app.add_option("--on", o.on, "slurm: simulate in jobs of a Slurm cluster")->type_name("PLACE");
  on->group(kGroup);
  const auto belongs = [&](CLI::Option* option) { option->needs(on)->group(kGroup); };
  belongs(app.add_option("--partition", o.partition, "Where the jobs go; default: the cluster's usual one")
              ->type_name("NAME"));
  belongs(app.add_option("--sbatch-option", o.sbatch,
                         "A further option of sbatch; may be repeated: --sbatch-option=--account=lab")
              ->type_name("OPTION")
              ->allow_extra_args(false));
  belongs(app.add_option("--spool", o.spool,
                         "The folder that nodes find work in and write results to; default: beside the\n"
                         "store, FILE.spool")
              ->type_name("DIR"));
  belongs(app.add_option("--heddle", o.program, "The program on the nodes; default: this one's path")
              ->type_name("FILE"));
  constexpr std::uint64_t kMostMinutes = 60 * 24 * 365, kMostMebibytes = 1u << 30;
  belongs(add_number(app, "--task-minutes", o.task_minutes,
                     "Short points share tasks that take so long; default: 1 to 60, by how many there are", 1,
                     kMostMinutes));
  belongs(add_number(app, "--point-minutes", o.point_minutes,
                     "Time limit of tasks whose points never ran before", 1, kMostMinutes)
              ->capture_default_str());
  belongs(add_number(app, "--point-mebibytes", o.point_mebibytes,
                     "Memory of tasks whose points never ran before", 1, kMostMebibytes)
              ->capture_default_str());
  CLI::Option* dry = app.get_option_no_throw("--dry-run");
  if (dry == nullptr)
    belongs(dry = app.add_flag("--dry-run", o.dry_run, "Show what would be submitted, and the scripts"));
  belongs(
      app.add_flag("--cancel", o.cancel, "End the jobs that are under way for these points")->excludes(dry));
}

void add_worker(CLI::App& app, int* status) {
  auto o = std::make_shared<WorkerOptions>();
  CLI::App* sub = app.add_subcommand(
      "worker", "Work on one task of a plan: what the jobs of --on slurm call (docs/cluster.md)");
  sub->group("");  // nobody needs to call it
  sub->add_option("plan", o->plan, "The plan's folder")->required()->check(CLI::ExistingDirectory);
  add_number(*sub, "task", o->task, "Its number in the plan, from 0")->required();
  add_number(*sub, "--submission", o->submission, "The submission that it belongs to");
  sub->callback([o, status] { *status = worker_command(*o); });
}

}  // namespace heddle::cli
