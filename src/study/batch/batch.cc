#include "study/batch/batch.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::study {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTellEvery{2};  // others, through the store

// Jobs that ask for the same point.
struct Unique {
  std::string key;
  std::vector<std::size_t> jobs;
};

std::vector<Unique> unique_points(std::span<const Job> jobs) {
  std::vector<Unique> all;
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::string key = jobs[i].point.key();
    const auto [at, is_new] = by_key.emplace(key, all.size());
    if (is_new) all.push_back({std::move(key), {}});
    all[at->second].jobs.push_back(i);
  }
  return all;
}

class BatchRun {
 public:
  BatchRun(std::span<const Job> jobs, PointRunner& runner, Store& store, BatchProgress& progress,
           const KnownCosts& told)
      : jobs_(jobs), runner_(runner), store_(store), progress_(progress), costs_(store, told) {}

  Batch run() {
    batch_.results.resize(jobs_.size());
    for (Result& r : batch_.results) r.complete = false;  // until there is one
    const std::vector<Unique> all = unique_points(jobs_);
    for (const Unique& u : all)
      if (!take_from_store(u)) missing_.push_back(u);
    require_writable();
    points_ = all.size();
    batch_.from_store = done_ = points_ - missing_.size();
    progress_.start(points_, batch_.from_store);
    longest_first();
    if (!missing_.empty()) {
      const Announced announced(*this);
      simulate_missing();
    }
    look_for_store();
    progress_.end();
    std::sort(batch_.failures.begin(), batch_.failures.end(),
              [](const Failure& a, const Failure& b) { return a.job < b.job; });
    return std::move(batch_);
  }

 private:
  // Others can see in the store that the batch runs, as long as this lives.
  class Announced {
   public:
    explicit Announced(BatchRun& run) : run_(run) {
      run_.live_.name = run_.jobs_.front().label.study;
      run_.tell_onlookers([&] { run_.number_ = run_.store_.announce(run_.live_); });
    }
    ~Announced() {
      if (run_.number_ != 0) run_.tell_onlookers([&] { run_.store_.retire(run_.number_); });
    }
    Announced(const Announced&) = delete;
    Announced& operator=(const Announced&) = delete;

   private:
    BatchRun& run_;
  };

  // A batch does not end because nobody can look on.
  template <class F>
  void tell_onlookers(F&& tell) {
    live_.done = done_;
    live_.of = points_;
    told_ = Clock::now();
    try {
      tell();
    } catch (const Error&) {
    }
  }

  const Job& first(const Unique& u) const { return jobs_[u.jobs.front()]; }

  bool take_from_store(const Unique& u) {
    try {
      const std::optional<std::string> record = store_.record(u.key);
      if (!record) return false;
      take(u, *record);
      label(u);
      return true;
    } catch (const Damaged& e) {
      progress_.warn(fmt::format("{}: {} {}: {}; simulated again", store_.file().string(),
                                 first(u).point.workload, first(u).label.design, e.message()));
      if (!store_.read_only()) store_.forget(u.key);
      return false;
    } catch (const Error&) {
      require_gone();
      return false;
    }
  }

  // Told before hours of work that could not be kept.
  void require_writable() const {
    if (missing_.empty() || !store_.read_only()) return;
    throw Error(
        SourcePlace{store_.file().string(), 0, 0, {}},
        fmt::format("{} not in the store, and it cannot be written",
                    missing_.size() == 1 ? "1 point is" : fmt::format("{} points are", missing_.size())),
        "the permissions of the file or its folder do not allow it; choose another store");
  }

  // A file that was removed goes on working for who has it open, and for nobody else.
  void look_for_store() {
    if (batch_.store_gone || !store_.gone()) return;
    batch_.store_gone = true;
    progress_.warn(fmt::format(
        "{}: the store was removed or replaced while it was in use; what is simulated now is not kept",
        store_.file().string()));
  }

  // Called where the store has failed: goes on without it if it is gone, else passes the error on.
  void require_gone() {
    look_for_store();
    if (!batch_.store_gone) throw;
  }

  void take(const Unique& u, const std::string& record) {
    const Result result = Result::parse(record);
    for (const std::size_t job : u.jobs) batch_.results[job] = result;
  }

  void label(const Unique& u) {
    for (const std::size_t job : u.jobs)
      if (!jobs_[job].label.study.empty()) store_.label(u.key, jobs_[job].label);
  }

  void keep(const Unique& u, const Finished& f) {
    try {
      store_.keep(first(u).point, f.record, f.detail);
      label(u);
    } catch (const Error&) {
      require_gone();
    }
  }

  // So that no long one starts last and runs alone. What nobody has run yet may be long.
  void longest_first() {
    std::vector<std::pair<double, Unique>> order;
    for (Unique& u : missing_) {
      const std::optional<Cost> cost = costs_.of(first(u).point);
      order.emplace_back(cost ? cost->cpu_seconds : std::numeric_limits<double>::infinity(), std::move(u));
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    missing_.clear();
    for (auto& [cost, u] : order) missing_.push_back(std::move(u));
  }

  void simulate_missing() {
    std::vector<Point> points;
    for (const Unique& u : missing_) points.push_back(first(u).point);
    ended_.assign(missing_.size(), false);
    seen_.assign(missing_.size(), std::nullopt);
    PointRunner::Listener listener;
    listener.done = [this](std::span<const Finished> ended) { finish(ended); };
    listener.tick = [this](const Activity& activity) { tick(activity); };
    listener.warn = [this](const std::string& what) { progress_.warn(what); };
    batch_.interrupted = !runner_.run(points, listener);
  }

  // Those that end together are kept together: the disk is waited for once.
  void finish(std::span<const Finished> ended) {
    std::optional<Store::Together> together;
    try {
      if (ended.size() > 1 && !batch_.store_gone) together.emplace(store_);
    } catch (const Error&) {
      require_gone();
    }
    for (const Finished& f : ended) finish(f);
    try {
      if (together) together->commit();
    } catch (const Error&) {
      require_gone();
    }
    look_for_store();
  }

  void finish(const Finished& f) {
    const Unique& u = missing_[f.index];
    if (f.error.empty()) {
      take(u, f.record);
      keep(u, f);
      ++batch_.simulated;
    } else {
      for (const std::size_t job : u.jobs) batch_.failures.push_back({job, f.error});
    }
    costs_.learn(first(u).point, f.seconds);
    spent_seconds_ += f.seconds;
    ++spent_on_;
    ended_[f.index] = true;
    ++done_;
    progress_.finished(first(u), f.error);
  }

  void tick(const Activity& activity) {
    const auto now = Clock::now();
    std::vector<std::string> names = activity.places;
    for (const std::size_t i : activity.points) {
      if (!seen_[i]) seen_[i] = now;
      if (!activity.places.empty()) continue;
      const Job& job = first(missing_[i]);
      std::string name = job.point.workload;
      for (const std::string& part : {job.label.design, job.label.perturbation})
        if (!part.empty()) name += " " + part;
      names.push_back(std::move(name));
    }
    progress_.tick(done_, points_, left_seconds(now), names);
    if (number_ == 0 || now - told_ < kTellEvery) return;
    live_.left_seconds = left_seconds(now);
    live_.running = std::move(names);
    tell_onlookers([&] { store_.tell(number_, live_); });
  }

  // Work that is left, spread over the processes, but no less than the longest point alone.
  double left_seconds(Clock::time_point now) {
    double work = 0, longest = 0, known = 0;
    std::size_t unknown = 0, counted = 0;
    for (std::size_t i = 0; i < missing_.size(); ++i) {
      if (ended_[i]) continue;
      const std::optional<Cost> cost = costs_.of(first(missing_[i]).point);
      if (!cost) {
        ++unknown;
        continue;
      }
      known += cost->cpu_seconds;
      ++counted;
      const double spent = seen_[i] ? std::chrono::duration<double>(now - *seen_[i]).count() : 0;
      const double left = std::max(0.0, cost->cpu_seconds - spent);
      work += left;
      longest = std::max(longest, left);
    }
    // The unknown are taken for average ones.
    counted += spent_on_;
    if (counted == 0 || runner_.at_once() == 0) return -1;
    work += static_cast<double>(unknown) * (known + spent_seconds_) / static_cast<double>(counted);
    return std::max(longest, work / static_cast<double>(runner_.at_once()));
  }

  std::span<const Job> jobs_;
  PointRunner& runner_;
  Store& store_;
  BatchProgress& progress_;
  Costs costs_;
  Batch batch_;
  std::size_t points_ = 0, done_ = 0;
  double spent_seconds_ = 0;  // on the points that have ended
  std::size_t spent_on_ = 0;
  LiveBatch live_;
  std::int64_t number_ = 0;  // of live_ in the store; 0: not there
  Clock::time_point told_;
  std::vector<Unique> missing_;                         // in the order of starting
  std::vector<bool> ended_;                             // by index in missing_
  std::vector<std::optional<Clock::time_point>> seen_;  // first under way
};

}  // namespace

Estimate estimate(std::span<const Job> jobs, const Store& store, std::uint32_t jobs_at_once,
                  const KnownCosts& told) {
  Estimate e;
  Costs costs(store, told);
  std::vector<double> memory;
  for (const Unique& u : unique_points(jobs)) {
    ++e.points;
    if (store.has(u.key)) {
      ++e.in_store;
      continue;
    }
    const std::optional<Cost> cost = costs.of(jobs[u.jobs.front()].point);
    if (!cost) {
      ++e.unknown;
      continue;
    }
    e.cpu_seconds += cost->cpu_seconds;
    memory.push_back(cost->memory_bytes);
  }
  std::sort(memory.rbegin(), memory.rend());
  memory.resize(std::min<std::size_t>(memory.size(), processes({jobs_at_once, nullptr})));
  for (const double m : memory) e.memory_bytes += m;
  return e;
}

std::vector<Point> missing_points(std::span<const Job> jobs, const Store& store) {
  std::vector<Point> points;
  for (const Unique& u : unique_points(jobs))
    if (!store.has(u.key)) points.push_back(jobs[u.jobs.front()].point);
  return points;
}

Batch run_batch(std::span<const Job> jobs, PointRunner& runner, Store& store, BatchProgress& progress,
                const KnownCosts& told) {
  return BatchRun(jobs, runner, store, progress, told).run();
}

Batch run_batch(std::span<const Job> jobs, const FindWorkload& find, Store& store, const PoolOptions& options,
                BatchProgress& progress, const KnownCosts& told) {
  LocalRunner here(find, options);
  return run_batch(jobs, here, store, progress, told);
}

}  // namespace heddle::study
