#include "study/slurm/watched_plan.h"

#include <algorithm>

namespace heddle::study {
namespace {

// Between the file of a submission and its jobs; longer, and whoever wrote it is gone.
constexpr std::chrono::seconds kHandingOver{60};

}  // namespace

std::vector<const Submission*> WatchedPlan::submissions_of(std::size_t task) const {
  std::vector<const Submission*> all;
  for (const Submission& s : folder.submissions())
    if (std::binary_search(s.tasks.begin(), s.tasks.end(), task)) all.push_back(&s);
  return all;
}

WatchedTask WatchedPlan::state(std::size_t task, const QueueIndex& queue) const {
  WatchedTask now;
  for (const Submission* s : submissions_of(task)) {
    const auto at = queue.find({s->name, task - s->offset});
    now.state = at == queue.end() ? "" : at->second->state;
    if (at == queue.end() ? s->job.empty() && folder.age(*s) < kHandingOver : !at->second->over())
      now.under_way = true;
  }
  return now;
}

std::size_t WatchedPlan::fruitless(std::size_t task) const {
  std::size_t n = 0;
  const std::vector<const Submission*> all = submissions_of(task);
  for (auto s = all.rbegin(); s != all.rend() && !fruitful.contains({(*s)->number, task}); ++s) ++n;
  return n;
}

}  // namespace heddle::study
