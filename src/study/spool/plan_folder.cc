#include "study/spool/plan_folder.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "study/run/json_text.h"
#include "study/spool/sealed_file.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;
using FolderJson = nlohmann::ordered_json;

constexpr const char* kPlan = "plan";
constexpr const char* kTold = "told";

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(SourcePlace{folder.string(), 0, 0, {}},
                fmt::format("cannot make the folder: {}", error.message()),
                "choose a place that all nodes can write to with --spool");
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Submission parse_submission(std::uint32_t number, const std::string& text, std::size_t tasks) {
  try {
    const auto json = parse_json<FolderJson>(text);
    Submission s;
    s.number = number;
    s.tasks = json.at("tasks").get<std::vector<std::size_t>>();
    s.offset = json.at("offset");
    s.limits = {json.at("memory_mib"), json.at("minutes")};
    for (const std::size_t t : s.tasks)
      if (t >= tasks || t < s.offset) throw Error(fmt::format("there is no task {}", t));
    return s;
  } catch (const FolderJson::exception& e) {
    throw Error(fmt::format("not a submission of heddle: {}", e.what()));
  }
}

}  // namespace

PlanFolder::PlanFolder(fs::path folder, SpoolPlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {
  read_told();
  look_for_submissions();
}

void PlanFolder::read_told() {
  std::error_code none;
  if (!fs::exists(folder_ / kTold, none)) return;
  const std::string told = read_sealed(folder_ / kTold, kTold);
  for (const std::string_view key : split(told, '\n'))
    if (!key.empty()) told_.emplace(key);
}

PlanFolder::PlanFolder(fs::path folder)
    : PlanFolder(folder, parse_plan(read_sealed(folder / kPlan, kPlan))) {}

std::optional<PlanFolder> PlanFolder::make(const fs::path& spool, const SpoolPlan& plan) {
  make_folder(spool);
  const std::string identity = plan.identity();
  // The same points may have been asked for before, and have failed; or a folder could not be removed whole.
  for (int again = 0;; ++again) {
    const fs::path folder = spool / (again == 0 ? identity : fmt::format("{}-{}", identity, again));
    std::error_code none;
    if (fs::exists(folder / kPlan, none)) {
      const PlanFolder before(folder);
      const bool done = std::all_of(plan.keys.begin(), plan.keys.end(),
                                    [&](const std::string& key) { return before.told(key); });
      if (!done) return std::nullopt;
      continue;
    }
    if (fs::exists(folder, none) && !fs::is_empty(folder, none)) continue;
    // Nobody sees it before it is whole: made under another name.
    const fs::path beside = spool / fmt::format(".{}.{}", folder.filename().string(), ::getpid());
    fs::remove_all(beside, none);
    for (const char* part : {"submissions", "results", "logs"}) make_folder(beside / part);
    write_sealed(beside / kPlan, kPlan, to_text(plan));
    std::error_code taken;
    fs::rename(beside, folder, taken);
    if (taken) {
      fs::remove_all(beside, none);
      if (taken == std::errc::directory_not_empty || taken == std::errc::file_exists) return std::nullopt;
      throw Error(SourcePlace{folder.string(), 0, 0, {}},
                  fmt::format("cannot make the folder of a plan: {}", taken.message()));
    }
    sync_folder(spool);
    return PlanFolder(folder, plan);
  }
}

std::vector<PlanFolder> PlanFolder::all(const fs::path& spool, std::vector<std::string>& problems) {
  std::vector<PlanFolder> found;
  for (const std::string& name : names_in(spool)) {
    std::error_code none;
    if (name.starts_with('.') || !fs::exists(spool / name / kPlan, none)) continue;
    try {
      PlanFolder f(spool / name);
      if (f.plan().source_hash == build_info().source_hash) found.push_back(std::move(f));
    } catch (const Error& e) {
      problems.emplace_back(e.what());
    }
  }
  return found;
}

bool PlanFolder::is_there() const {
  std::error_code none;
  return fs::exists(folder_ / kPlan, none);
}

std::string PlanFolder::name() const {
  return "heddle-" + folder_.filename().string();
}

fs::path PlanFolder::submission_file(std::uint32_t number) const {
  return folder_ / "submissions" / std::to_string(number);
}

std::optional<Submission> PlanFolder::read_submission(std::uint32_t number) const {
  const fs::path file = submission_file(number);
  try {
    Submission s = parse_submission(number, read_sealed(file, "submission"), plan_.tasks.size());
    s.name = fmt::format("{}-{}", name(), number);
    return s;
  } catch (const Error&) {
    std::error_code none;
    if (!fs::exists(file, none)) return std::nullopt;
    throw;
  }
}

void PlanFolder::look_for_submissions() {
  for (const std::string& name : names_in(folder_ / "submissions")) {
    const std::uint64_t number = whole_number(name).value_or(0);  // there are others: scripts, jobs
    if (number == 0 || number > std::numeric_limits<std::uint32_t>::max() ||
        std::any_of(submissions_.begin(), submissions_.end(),
                    [&](const Submission& s) { return s.number == number; }))
      continue;
    if (std::optional<Submission> s = read_submission(static_cast<std::uint32_t>(number)))
      submissions_.push_back(std::move(*s));
  }
  std::sort(submissions_.begin(), submissions_.end(),
            [](const Submission& a, const Submission& b) { return a.number < b.number; });
  for (Submission& s : submissions_) {
    const fs::path job = submission_file(s.number).string() + ".job";
    std::error_code none;
    if (s.job.empty() && fs::exists(job, none)) s.job = trim(read_file(job));
  }
}

Submission& PlanFolder::add_submission(std::vector<std::size_t> tasks, std::size_t offset,
                                       const TaskLimits& limits) {
  Submission s;
  s.tasks = std::move(tasks);
  s.offset = offset;
  s.limits = limits;
  const FolderJson json = {{"tasks", s.tasks},
                           {"offset", s.offset},
                           {"memory_mib", limits.memory_mib},
                           {"minutes", limits.minutes}};
  do {  // another program may add one at the same time
    look_for_submissions();
    s.number = submissions_.empty() ? 1 : submissions_.back().number + 1;
  } while (!write_new_sealed(submission_file(s.number), "submission", json.dump()));
  s.name = fmt::format("{}-{}", name(), s.number);
  return submissions_.emplace_back(std::move(s));
}

void PlanFolder::set_job(Submission& s, const std::string& job) {
  s.job = job;
  write_file(submission_file(s.number).string() + ".job", job + "\n");
}

void PlanFolder::withdraw(const Submission& s) {
  std::error_code none;
  fs::remove(submission_file(s.number), none);
  std::erase_if(submissions_, [n = s.number](const Submission& other) { return other.number == n; });
}

std::chrono::seconds PlanFolder::age(const Submission& s) const {
  std::error_code gone;
  const auto written = fs::last_write_time(submission_file(s.number), gone);
  if (gone) return std::chrono::seconds::max();
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - written);
}

fs::path PlanFolder::script(const Submission& s) const {
  return submission_file(s.number).string() + ".sh";
}

fs::path PlanFolder::log(const std::string& job, std::size_t number_in_array) const {
  return folder_ / "logs" / fmt::format("{}_{}.log", job, number_in_array);
}

std::size_t PlanFolder::poll(const std::function<void(News&)>& take, std::optional<std::size_t> task) {
  const std::string begin = task ? fmt::format("{}-", *task) : "";
  for (const std::string& name : names_in(folder_ / "results"))
    if (name.starts_with(begin)) readers_.try_emplace(name, folder_ / "results" / name);
  std::size_t damaged = 0;
  for (auto& [name, reader] : readers_) {
    if (!name.starts_with(begin)) continue;
    const std::size_t before = reader.damaged();
    for (std::vector<SpoolEntry> some = reader.poll(); !some.empty(); some = reader.poll())
      for (SpoolEntry& e : some) {
        News news{std::move(e), reader.attempt(), reader.file()};
        take(news);
      }
    damaged += reader.damaged() - before;
  }
  return damaged;
}

std::vector<PlanFolder::News> PlanFolder::poll() {
  std::vector<News> all;
  poll([&](News& n) { all.push_back(std::move(n)); });
  return all;
}

void PlanFolder::tell(const std::set<std::string>& keys) {
  read_told();  // another program may have told others
  told_.insert(keys.begin(), keys.end());
  std::string text;
  for (const std::string& key : told_) text += key + "\n";
  write_sealed(folder_ / kTold, kTold, text);
}

}  // namespace heddle::study
