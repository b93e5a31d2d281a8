#include "study/slurm/slurm_runner.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "study/run/record.h"

namespace heddle::study {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using EntryKind = SpoolEntry::Kind;

constexpr milliseconds kNotice{100};  // after which an interrupt is noticed at the latest
constexpr milliseconds kTick{500};
constexpr std::size_t kKeptTogether = 256;
constexpr std::chrono::seconds kBetweenRefusals{60};

std::map<std::string, std::size_t> by_key(std::span<const Point> points) {
  std::map<std::string, std::size_t> all;
  for (std::size_t i = 0; i < points.size(); ++i) all.emplace(points[i].key(), i);
  return all;
}

bool has_any(const PlanFolder& f, const std::map<std::string, std::size_t>& wanted) {
  return std::any_of(f.plan().keys.begin(), f.plan().keys.end(),
                     [&](const std::string& key) { return wanted.contains(key); });
}

std::vector<SpoolTask> tasks_of(std::span<const Point> points, const SlurmOptions& o) {
  std::vector<std::optional<Cost>> costs;
  for (const Point& p : points) costs.push_back(o.cost ? o.cost(p) : std::nullopt);
  return pack(costs, o.packing);
}

std::string last_line(const std::filesystem::path& log) {
  try {
    const std::string text = read_file(log, 1u << 20);
    const std::string_view all = trim(text);
    return std::string(trim(all.substr(all.find_last_of('\n') + 1)));
  } catch (const Error&) {
    return {};
  }
}

// The record says which source made it: its first lines do.
bool of_this_source(const std::string& record) {
  return record.substr(0, 1000).find(build_info().source_hash) != std::string::npos;
}

JobDescription description(const SlurmOptions& o, const PlanFolder& folder, const Submission& s) {
  JobDescription j;
  j.name = s.name;
  j.program = o.program;
  j.plan = folder.folder();
  for (const std::size_t t : s.tasks) j.numbers.push_back(t - s.offset);
  j.offset = s.offset;
  j.submission = s.number;
  j.limits = s.limits;
  j.partition = o.partition;
  j.further = o.further;
  return j;
}

}  // namespace

bool SlurmRunner::run(std::span<const Point> points, const Listener& listener) {
  listener_ = &listener;
  points_ = points;
  wanted_ = by_key(points);
  ended_.assign(points.size(), false);
  begun_.assign(points.size(), false);
  left_ = points.size();
  std::vector<std::string> problems;
  watch(PlanFolder::all(options_.spool, problems));
  for (const std::string& p : problems) listener.warn(p);
  collect();
  submit_new();
  const auto began = Clock::now();
  auto next = began, ticked = began - kTick;
  while (left_ > 0) {
    if (options_.interrupt != nullptr && options_.interrupt->load()) return false;
    if (const auto now = Clock::now(); now >= next) {
      ask();
      collect();  // after: what a task that is over has written is there
      look_after_tasks();
      const auto seldom = std::chrono::duration_cast<milliseconds>((now - began) / 20);
      next = Clock::now() + std::clamp(seldom, options_.poll, std::max(options_.poll, options_.poll_most));
    }
    if (Clock::now() - ticked >= std::min(kTick, options_.poll)) {
      ticked = Clock::now();
      tick();
    }
    if (left_ > 0) std::this_thread::sleep_for(std::min(kNotice, options_.poll));
  }
  return true;
}

void SlurmRunner::watch(std::vector<PlanFolder> folders) {
  for (PlanFolder& f : folders)
    if (has_any(f, wanted_)) watched_.emplace_back(std::move(f));
}

void SlurmRunner::submit_new() {
  for (int i = 0; i < 3; ++i) {
    std::set<std::string> covered;
    for (const WatchedPlan& w : watched_)
      for (const std::string& key : w.folder.plan().keys)
        if (!w.folder.told(key)) covered.insert(key);
    std::vector<Point> fresh;
    for (const auto& [key, at] : wanted_)
      if (!ended_[at] && !covered.contains(key)) fresh.push_back(points_[at]);
    if (fresh.empty()) return;
    SpoolPlan plan = SpoolPlan::of(fresh, tasks_of(fresh, options_));
    for (const Point& p : fresh)
      if (const auto at = options_.workloads.find(p.workload); at != options_.workloads.end())
        plan.workloads.insert(*at);
    if (std::optional<PlanFolder> made = PlanFolder::make(options_.spool, plan)) {
      watched_.emplace_back(std::move(*made));
      return;
    }
    // Another program asks for the same: its plan is looked after, too.
    std::vector<std::string> problems;
    watched_.clear();
    watch(PlanFolder::all(options_.spool, problems));
  }
  throw Error(
      fmt::format("{}: other programs make and remove plans of the same points", options_.spool.string()),
      "give the command again when they have ended, or choose another place with --spool");
}

void SlurmRunner::hand_out(std::vector<Finished>& finished) {
  if (!finished.empty()) listener_->done(finished);
  finished.clear();
}

void SlurmRunner::collect() {
  for (WatchedPlan& w : watched_) {
    std::vector<Finished> out;
    std::set<std::string> failed;
    const std::size_t damaged = w.folder.poll([&](PlanFolder::News& n) {
      const std::size_t before = out.size();
      take(w, n, out);
      for (std::size_t i = before; i < out.size(); ++i)
        if (!out[i].error.empty()) failed.insert(points_[out[i].index].key());
      if (out.size() >= kKeptTogether) hand_out(out);
    });
    hand_out(out);
    if (!failed.empty()) w.folder.tell(failed);
    if (damaged != 0)
      listener_->warn(fmt::format("{}: {} damaged; such points are simulated again",
                                  w.folder.folder().string(),
                                  damaged == 1 ? "1 entry is" : fmt::format("{} entries are", damaged)));
  }
}

void SlurmRunner::take(WatchedPlan& w, PlanFolder::News& n, std::vector<Finished>& out) {
  SpoolEntry& e = n.entry;
  const std::pair run(n.attempt.submission, n.attempt.task);
  if (!n.attempt.node.empty()) w.nodes[run] = n.attempt.node;
  if (e.kind == EntryKind::Refused) {
    fail(w, n.attempt.task, e.error, out);
    return;
  }
  if (e.kind == EntryKind::Lost) w.lost.insert(run);
  if (e.kind == EntryKind::Record || e.kind == EntryKind::Failed) w.fruitful.insert(run);
  const auto at = wanted_.find(e.key);
  if (at == wanted_.end()) return;
  const std::size_t point = at->second;
  if (e.kind == EntryKind::Begun) begun_[point] = true;
  if (e.kind == EntryKind::Record && !of_this_source(e.record)) {
    listener_->warn(fmt::format("{}: the record of {} is of another source; passed over", n.file.string(),
                                e.key.substr(0, 12)));
    return;
  }
  if (ended_[point]) {
    if (e.kind == EntryKind::Record && result_.contains(point)) require_same(point, n);
    return;
  }
  if (e.kind != EntryKind::Record && (e.kind != EntryKind::Failed || w.folder.told(e.key))) return;
  ended_[point] = true;
  --left_;
  if (e.kind == EntryKind::Record) result_[point] = n.file;
  Finished f;
  f.index = point;
  f.record = std::move(e.record);
  f.detail = std::move(e.detail);
  f.error = std::move(e.error);
  f.seconds = e.seconds;
  out.push_back(std::move(f));
}

// A point that was simulated twice has given the same twice.
void SlurmRunner::require_same(std::size_t point, const PlanFolder::News& n) const {
  const std::filesystem::path& first = result_.at(point);
  ResultsReader reader(first);
  for (std::vector<SpoolEntry> some = reader.poll(); !some.empty(); some = reader.poll())
    for (const SpoolEntry& e : some) {
      if (e.kind != EntryKind::Record || e.key != n.entry.key) continue;
      if (e.record == n.entry.record || decisive(e.record) == decisive(n.entry.record)) return;
      throw Error(fmt::format("{}, simulated twice, has two results: in {} and in {}",
                              points_[point].workload, first.string(), n.file.string()),
                  "one of the nodes computes wrongly; the first result was kept: heddle results forget " +
                      e.key.substr(0, 12));
    }
}

void SlurmRunner::fail(WatchedPlan& w, std::size_t task, const std::string& why, std::vector<Finished>& out) {
  if (task >= w.folder.plan().tasks.size()) return;
  for (const std::size_t p : w.folder.plan().tasks[task].points) {
    const auto at = wanted_.find(w.folder.plan().keys[p]);
    if (at == wanted_.end() || ended_[at->second] || w.folder.told(at->first)) continue;
    ended_[at->second] = true;
    --left_;
    Finished f;
    f.index = at->second;
    f.error = why;
    out.push_back(std::move(f));
  }
}

void SlurmRunner::ask() {
  std::vector<std::string> names;
  for (WatchedPlan& w : watched_) {
    w.folder.look_for_submissions();
    for (const Submission& s : w.folder.submissions()) names.push_back(s.name);
  }
  std::string problem;
  queue_ = squeue(names, problem);
  if (!queue_ && silent_.empty())
    listener_->warn(fmt::format("{}; asking again, jobs go on meanwhile", problem));
  silent_ = problem;
  accepted_ = false;
  in_queue_.clear();
  if (queue_)
    for (const QueuedTask& t : *queue_) in_queue_[{t.name, t.number}] = &t;
}

// A task that is over and has not done all that is asked for is submitted again, or given up.
void SlurmRunner::look_after_tasks() {
  if (!queue_ || Clock::now() < no_submission_before_) return;
  std::vector<Finished> failed;
  for (WatchedPlan& w : watched_) {
    if (!w.folder.is_there())
      throw Error(fmt::format("{} is gone", w.folder.folder().string()),
                  "another command has collected its results, or somebody has removed it; the same command "
                  "goes on with what the store has");
    std::map<TaskLimits, std::vector<std::size_t>> again;
    for (std::size_t t = 0; t < w.folder.plan().tasks.size(); ++t) {
      const auto& points = w.folder.plan().tasks[t].points;
      const bool open = std::any_of(points.begin(), points.end(), [&](std::size_t p) {
        const auto at = wanted_.find(w.folder.plan().keys[p]);
        return at != wanted_.end() && !ended_[at->second] && !w.folder.told(at->first);
      });
      if (!open) continue;
      if (const std::optional<TaskLimits> limits = next_try(w, t, failed)) again[*limits].push_back(t);
    }
    std::set<std::string> keys;
    for (const Finished& f : failed) keys.insert(points_[f.index].key());
    hand_out(failed);
    if (!keys.empty()) w.folder.tell(keys);
    // The longest first, as the plan has them.
    for (auto it = again.rbegin(); it != again.rend(); ++it)
      if (!submit(w, it->second, it->first)) return;
  }
}

// The limits to submit a task with; nothing: it is under way, or given up.
std::optional<TaskLimits> SlurmRunner::next_try(WatchedPlan& w, std::size_t task,
                                                std::vector<Finished>& failed) {
  const std::vector<const Submission*> before = w.submissions_of(task);
  if (before.empty()) return w.folder.plan().tasks[task].limits;
  const Submission& last = *before.back();
  const WatchedTask now = w.state(task, in_queue_);
  if (now.under_way) {
    w.over_since.erase(task);
    return std::nullopt;
  }
  const auto since = w.over_since.emplace(task, Clock::now()).first->second;
  if (Clock::now() - since < (now.state == "COMPLETED" ? options_.settle_done : options_.settle))
    return std::nullopt;
  w.over_since.erase(task);
  std::string state = now.state;
  if (state.empty() && !last.job.empty()) state = sacct_state(last.job, task - last.offset);
  if (state == "CANCELLED" || w.fruitless(task) > options_.retries) {
    fail(w, task, why_lost(w, task, last, state), failed);
    return std::nullopt;
  }
  const std::pair run(last.number, task);
  TaskLimits limits = last.limits;
  if (state == "OUT_OF_MEMORY" || w.lost.contains(run)) limits.memory_mib *= 2;
  if (state == "TIMEOUT" && !w.fruitful.contains(run)) limits.minutes *= 2;
  listener_->warn(
      fmt::format("task {} of {} ended without all of its results ({}); submitted again with {} "
                  "MiB and {}",
                  task, w.folder.name(), state.empty() ? "nobody knows why" : state, limits.memory_mib,
                  time_text(limits.minutes)));
  return limits;
}

std::string SlurmRunner::why_lost(const WatchedPlan& w, std::size_t task, const Submission& last,
                                  const std::string& state) const {
  const std::size_t number = task - last.offset;
  const auto node = w.nodes.find({last.number, task});
  const std::filesystem::path log = w.folder.log(last.job, number);
  std::string text = fmt::format("task {}_{} ended without a result: {}{}, with {} MiB and {}", last.job,
                                 number, state.empty() ? "Slurm knows no more" : state,
                                 node == w.nodes.end() ? "" : " on " + node->second, last.limits.memory_mib,
                                 time_text(last.limits.minutes));
  if (const std::size_t times = w.fruitless(task); times > 1)
    text += fmt::format(", {} times in a row", times);
  const std::string line = last_line(log);
  return text + fmt::format("; its log, {}, {}", log.string(),
                            line.empty() ? "says nothing" : fmt::format("ends with: {}", printable(line)));
}

// Nobody waits for what was never submitted: the next command makes a plan of its own, with its own limits.
void SlurmRunner::give_up(WatchedPlan& w) {
  if (w.folder.submissions().empty()) {
    std::error_code none;
    std::filesystem::remove_all(w.folder.folder(), none);
    return;
  }
  std::set<std::string> keys;
  for (std::size_t t = 0; t < w.folder.plan().tasks.size(); ++t)
    if (w.submissions_of(t).empty())
      for (const std::size_t p : w.folder.plan().tasks[t].points) keys.insert(w.folder.plan().keys[p]);
  w.folder.tell(keys);
}

// False: Slurm takes no more now.
bool SlurmRunner::submit(WatchedPlan& w, const std::vector<std::size_t>& tasks, const TaskLimits& limits) {
  if (!most_in_array_) most_in_array_ = max_array_size();
  for (std::size_t i = 0; i < tasks.size();) {
    const std::size_t offset = tasks[i] / *most_in_array_ * *most_in_array_;
    std::vector<std::size_t> part;
    while (i < tasks.size() && tasks[i] - offset < *most_in_array_) part.push_back(tasks[i++]);
    Submission& s = w.folder.add_submission(std::move(part), offset, limits);
    const std::filesystem::path script = w.folder.script(s);
    write_file(script, job_script(description(options_, w.folder, s)));
    try {
      w.folder.set_job(s, sbatch(script));
      accepted_ = true;
    } catch (const JobRefused& e) {
      w.folder.withdraw(s);
      const bool others = accepted_ || std::any_of(queue_->begin(), queue_->end(),
                                                   [](const QueuedTask& t) { return !t.over(); });
      if (!others) {
        give_up(w);
        throw;
      }
      listener_->warn(fmt::format("{}; trying again while other tasks run", e.message()));
      no_submission_before_ = Clock::now() + kBetweenRefusals;
      return false;
    }
  }
  return true;
}

void SlurmRunner::tick() {
  Activity a;
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (begun_[i] && !ended_[i]) a.points.push_back(i);
  if (!queue_) {
    a.places.emplace_back("Slurm does not answer");
  } else {
    std::map<std::string, std::size_t> nodes, waiting;
    for (const QueuedTask& t : *queue_)
      if (t.running())
        ++nodes[t.node];
      else if (!t.over())
        ++waiting[t.reason];
    for (const auto& [node, n] : nodes) a.places.push_back(fmt::format("{}: {}", node, counted(n, "task")));
    for (const auto& [reason, n] : waiting)
      a.places.push_back(fmt::format("waiting{}: {}",
                                     reason.empty() || reason == "None" ? "" : " (" + reason + ")",
                                     counted(n, "task")));
    if (a.places.empty()) a.places.emplace_back("no task is in Slurm's queue");
  }
  listener_->tick(a);
}

std::size_t SlurmRunner::at_once() const {
  if (!queue_) return 0;
  return static_cast<std::size_t>(
      std::count_if(queue_->begin(), queue_->end(), [](const QueuedTask& t) { return t.running(); }));
}

void SlurmRunner::tidy(const Store& store) {
  if (store.gone()) return;
  for (const WatchedPlan& w : watched_) {
    const auto& keys = w.folder.plan().keys;
    if (!std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return store.has(key); }))
      continue;
    std::error_code busy;
    std::filesystem::remove_all(w.folder.folder(), busy);
  }
  std::error_code none;
  std::filesystem::remove(options_.spool, none);  // if it is empty
}

SlurmPreview preview(std::span<const Point> points, const SlurmOptions& o) {
  std::vector<std::string> problems;
  std::set<std::string> covered;
  for (const PlanFolder& f : PlanFolder::all(o.spool, problems))
    for (const std::string& key : f.plan().keys)
      if (!f.told(key)) covered.insert(key);
  SlurmPreview out;
  std::vector<Point> fresh;
  for (const Point& p : points)
    if (covered.contains(p.key()))
      ++out.under_way;
    else
      fresh.push_back(p);
  const std::vector<SpoolTask> tasks = tasks_of(fresh, o);
  out.classes = classes(tasks);
  const std::string identity = SpoolPlan::of(fresh, {}).identity();
  std::size_t first = 0;
  for (const TaskClass& c : out.classes) {
    JobDescription j;
    j.submission = static_cast<std::uint32_t>(out.scripts.size() + 1);
    j.name = fmt::format("heddle-{}-{}", identity, j.submission);
    j.program = o.program;
    j.plan = o.spool / identity;
    for (std::size_t i = 0; i < c.tasks; ++i) j.numbers.push_back(first++);
    j.limits = c.limits;
    j.partition = o.partition;
    j.further = o.further;
    out.scripts.push_back(job_script(j));
  }
  return out;
}

std::size_t cancel(std::span<const Point> points, const SlurmOptions& o) {
  const std::map<std::string, std::size_t> wanted = by_key(points);
  std::vector<std::string> problems, names;
  std::vector<PlanFolder> plans;
  for (PlanFolder& f : PlanFolder::all(o.spool, problems))
    if (has_any(f, wanted)) plans.push_back(std::move(f));
  for (const PlanFolder& f : plans)
    for (const Submission& s : f.submissions()) names.push_back(s.name);
  std::string problem;
  const auto queue = squeue(names, problem);
  if (!queue) throw Error(problem, "nothing was cancelled; try again when Slurm answers");
  std::set<std::string> jobs;
  for (const QueuedTask& t : *queue)
    if (!t.over()) jobs.insert(t.job);
  const std::vector<std::string> list(jobs.begin(), jobs.end());
  scancel(list);
  for (PlanFolder& f : plans) f.tell({f.plan().keys.begin(), f.plan().keys.end()});
  return list.size();
}

}  // namespace heddle::study
