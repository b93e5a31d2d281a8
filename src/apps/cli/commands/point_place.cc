#include "apps/cli/commands/point_place.h"

#include <unistd.h>

#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/study_archive.h"
#include "apps/cli/terminal/batch_progress.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/text.h"
#include "study/slurm/slurm_runner.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordings = "recordings";  // a folder of the spool

fs::path spool_of(const PlaceOptions& o, const fs::path& store) {
  return fs::absolute(o.spool.empty() ? fs::path(store.string() + ".spool") : fs::path(o.spool))
      .lexically_normal();
}

fs::path own_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

study::SlurmOptions slurm_options(const PlaceOptions& o, const WorkloadSources& sources,
                                  const study::Store& store, study::Costs& costs) {
  study::SlurmOptions s;
  s.spool = spool_of(o, store.file());
  s.program = o.program.empty() ? own_program() : fs::path(o.program);
  s.partition = o.partition;
  s.further = o.sbatch;
  s.packing.task_seconds = 60.0 * o.task_minutes;
  s.packing.unknown = {o.point_mebibytes, o.point_minutes};
  s.workloads = sources;
  s.cost = [&costs](const study::Point& p) { return costs.of(p); };
  return s;
}

std::string each_of(const study::TaskClass& c) {
  if (c.longest == 0) return "nobody knows how long";
  return fmt::format("about {} each, {} together", duration(c.seconds / static_cast<double>(c.tasks)),
                     duration(c.seconds));
}

}  // namespace

void check_place(const PlaceOptions& o) {
  if (o.elsewhere() && o.on != "slurm")
    throw Error(fmt::format("--on {}: there is no such place", printable(o.on)), "expected slurm");
}

PointPlace::PointPlace(const PlaceOptions& place, const study::PoolOptions& pool, study::FindWorkload find,
                       WorkloadSources sources, study::Store& store, study::KnownCosts told)
    : place_(place),
      pool_(pool),
      find_(std::move(find)),
      sources_(std::move(sources)),
      store_(store),
      told_(std::move(told)) {}

study::Batch PointPlace::run(std::span<const study::Job> jobs, study::BatchProgress& progress) {
  if (!place_.elsewhere()) return study::run_batch(jobs, find_, store_, pool_, progress, told_);
  study::Costs costs(store_, told_);
  study::SlurmOptions options = slurm_options(place_, sources_, store_, costs);
  options.interrupt = pool_.interrupt;
  study::SlurmRunner slurm(std::move(options));
  study::Batch batch = study::run_batch(jobs, slurm, store_, progress, told_);
  if (!batch.store_gone) slurm.tidy(store_);
  return batch;
}

void print_submission(const PlaceOptions& place, std::span<const study::Job> jobs,
                      const WorkloadSources& sources, const study::Store& store,
                      const study::KnownCosts& told) {
  check_place(place);
  study::Costs costs(store, told);
  const study::SlurmOptions options = slurm_options(place, sources, store, costs);
  const std::vector<study::Point> points = study::missing_points(jobs, store);
  const study::SlurmPreview p = study::preview(points, options);
  std::cout << fmt::format("{} to simulate, {} of them under way in {}\n", counted(points.size(), "point"),
                           p.under_way, options.spool.string());
  for (std::size_t i = 0; i < p.classes.size(); ++i) {
    const study::TaskClass& c = p.classes[i];
    std::cout << fmt::format("{} with {}, {}: at most {} and {} MiB each\n", counted(c.tasks, "task"),
                             counted(c.points, "point"), each_of(c), study::time_text(c.limits.minutes),
                             c.limits.memory_mib);
  }
  for (const std::string& script : p.scripts) std::cout << "\n" << script;
}

int cancel_submission(const PlaceOptions& place, std::span<const study::Job> jobs,
                      const study::Store& store) {
  check_place(place);
  if (!place.elsewhere()) throw Error("--cancel ends jobs of a cluster", "give it with --on slurm");
  study::Costs costs(store);
  const std::size_t ended =
      study::cancel(study::missing_points(jobs, store), slurm_options(place, {}, store, costs));
  std::cout << (ended == 0 ? "nothing was under way\n"
                           : fmt::format("cancelled {}; what they had finished is kept when the command is "
                                         "given again\n",
                                         counted(ended, "job")));
  return 0;
}

SharedRecording::SharedRecording(const PlaceOptions& place) : spool_(spool_of(place, store_file(""))) {
  const fs::path folder = spool_ / kRecordings;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(SourcePlace{folder.string(), 0, 0, {}},
                fmt::format("cannot make the folder: {}", error.message()),
                "choose a place that all nodes see with --spool");
  file_ = (folder / fmt::format(".{}.part", ::getpid())).string();
}

SharedRecording::~SharedRecording() {
  std::error_code none;
  bool plans = false;
  for (fs::directory_iterator at(spool_, none), end; !none && at != end; at.increment(none))
    plans |= at->path().filename() != kRecordings;
  if (!named_ || !plans) fs::remove(file_, none);
  fs::remove(spool_ / kRecordings, none);  // if it is empty, as the spool
  fs::remove(spool_, none);
}

void SharedRecording::name_by_contents() {
  const fs::path whole = fs::path(file_).parent_path() / (sha256_of_file(file_).substr(0, 32) + ".hdl");
  std::error_code error;
  fs::rename(file_, whole, error);
  if (error)
    throw Error(SourcePlace{whole.string(), 0, 0, {}},
                fmt::format("cannot keep the recording here: {}", error.message()));
  file_ = whole.string();
  named_ = true;
}

}  // namespace heddle::cli
