#include "apps/cli/commands/study_archive.h"

#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/timing_run.h"
#include "apps/cli/terminal/interrupt.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "study/batch/pool.h"
#include "study/plan/archive_part.h"

namespace heddle::cli {
namespace {

std::string what_of(const study::ArchivedPoint& p) {
  const study::Cell& c = p.cells.front();
  return fmt::format("{} {}{}{}", p.point.workload, c.design, c.perturbation.empty() ? "" : ", ",
                     c.perturbation);
}

std::filesystem::path part_file(const study::StudySource& source, workload::Scale scale) {
  return study::archive_file(source, fmt::format("{}.part", workload::name(scale)));
}

// Compares one point that was simulated again; true: the same.
bool compare(const study::ArchivedPoint& archived, const study::Finished& now) {
  constexpr std::size_t kShown = 5;
  const std::string what = what_of(archived);
  if (!now.error.empty()) {
    std::cout << fmt::format("{}: failed: {}\n", what, now.error);
    return false;
  }
  const auto differs = study::differences(archived.result, study::Result::parse(now.record));
  if (differs.empty()) {
    std::cout << fmt::format("{}: the same\n", what);
    return true;
  }
  std::cout << fmt::format("{}: differs in {}\n", what, counted(differs.size(), "value"));
  for (std::size_t i = 0; i < std::min(kShown, differs.size()); ++i)
    std::cout << fmt::format("  {}\n", differs[i]);
  if (differs.size() > kShown) std::cout << fmt::format("  and {} more\n", differs.size() - kShown);
  return false;
}

}  // namespace

std::filesystem::path store_file(const std::string& given) {
  return given.empty() ? study::default_store() : std::filesystem::path(given);
}

void write_archive(const study::StudySource& source, const study::Archive& archive) {
  const std::filesystem::path file = study::archive_file(source, workload::name(archive.scale));
  std::filesystem::create_directories(file.parent_path());
  const std::string bytes = study::pack(archive);
  write_file(file, bytes);
  std::filesystem::remove(part_file(source, archive.scale));
  std::cerr << fmt::format("heddle: {} archived in {} ({} bytes)\n", counted(archive.points.size(), "point"),
                           file.string(), bytes.size());
}

study::Archive read_part(const study::StudySource& source, workload::Scale scale) {
  study::Archive none;
  none.scale = scale;
  if (source.folder.empty()) return none;
  const std::filesystem::path file = part_file(source, scale);
  return std::filesystem::exists(file) ? study::unpack(read_file(file, 1u << 30), file.string()) : none;
}

void write_part(const study::StudySource& source, const study::Archive& archive) {
  const std::filesystem::path file = part_file(source, archive.scale);
  std::filesystem::create_directories(file.parent_path());
  study::Archive before = read_part(source, archive.scale);
  std::erase_if(before.points, [](const study::ArchivedPoint& p) {
    return p.result.source_hash != build_info().source_hash;
  });
  const study::Archive all = study::merged(before, archive);
  write_file(file, study::pack(all));
  std::cerr << fmt::format("heddle: a part of the study: {} so far in {}\n",
                           counted(all.points.size(), "point"), file.string());
}

study::Archive read_archive(const study::StudySource& source, workload::Scale scale) {
  const std::filesystem::path file = study::archive_file(source, workload::name(scale));
  if (!std::filesystem::exists(file))
    throw Error(
        fmt::format("there is no archive {}", file.string()),
        fmt::format("make it with: heddle study {}{}{} --scale {} --archive", source.name,
                    source.machine.empty() ? "" : " --machine ", source.machine, workload::name(scale)));
  return study::unpack(read_file(file, 1u << 30), file.string());
}

study::KnownCosts archived_costs(study::StudySource source, workload::Scale scale) {
  const auto there = [&] {
    return !source.folder.empty() &&  // a study inside the program has no archive
           std::filesystem::exists(study::archive_file(source, workload::name(scale)));
  };
  if (!there()) source.machine.clear();
  return there() ? study::costs_of(read_archive(source, scale)) : study::KnownCosts();
}

int check_archive(const StudyOptions& o, const study::Archive& archive) {
  const std::vector<std::size_t> chosen = study::sample(archive, o.check_points);
  std::vector<study::Point> points;
  for (const std::size_t i : chosen) points.push_back(archive.points[i].point);
  std::cout << fmt::format("{} of {} archived by source {}, again with source {}\n", points.size(),
                           counted(archive.points.size(), "point"), archive.source_hash().substr(0, 12),
                           build_info().source_hash.substr(0, 12));
  InterruptFlag interrupt;
  study::PoolOptions pool;
  pool.jobs = o.jobs;
  pool.interrupt = &interrupt.raised();
  std::size_t same = 0;
  const bool whole = study::run_points(points, require_workload, pool, [&](const study::Finished& f) {
    same += compare(archive.points[chosen[f.index]], f) ? 1 : 0;
    std::cout.flush();
  });
  if (!whole) {
    std::cerr << "heddle: interrupted\n";
    return kInterruptedStatus;
  }
  std::cout << fmt::format("{} of {} the same, bit for bit\n", same, points.size());
  return same == points.size() ? 0 : 1;
}

}  // namespace heddle::cli
