#include "gpu/dispatcher.h"

#include <algorithm>

namespace heddle::gpu {

Dispatcher::Dispatcher(sim::Engine& engine, std::unique_ptr<cta::CtaScheduler> scheduler,
                       const cta::Machine& machine, std::vector<Place> places, std::uint32_t launch_rate)
    : engine_(engine),
      scheduler_(std::move(scheduler)),
      machine_(machine),
      places_(std::move(places)),
      free_(places_.size()),
      cluster_next_(machine.clusters),
      rate_(launch_rate) {}

void Dispatcher::start(workload::GridStream& grid, std::uint32_t contexts, sim::Cycle at) {
  grid_ = &grid;
  ended_ = launched_ = 0;
  last_end_ = at;
  for (std::size_t i = 0; i < places_.size(); ++i) free_[i] = places_[i].sm != nullptr ? contexts : 0;
  std::fill(cluster_next_.begin(), cluster_next_.end(), at);
  scheduler_->start(grid.ctas(), contexts, machine_);
  launch(at);
}

sim::Cycle Dispatcher::window_end(sim::Cycle now) {
  take_ended();
  if (!batch_.empty()) launch(now);
  return sim::kNever;
}

// In the order of their ends, whichever SM was asked first.
void Dispatcher::take_ended() {
  batch_.clear();
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].sm == nullptr || places_[i].sm->retired().empty()) continue;
    for (const sm::Retired& r : places_[i].sm->retired()) batch_.push_back({r.at, i, r.cta});
    places_[i].sm->retired().clear();
  }
  std::stable_sort(batch_.begin(), batch_.end(), [](const Ended& a, const Ended& b) { return a.at < b.at; });
  for (const Ended& e : batch_) {
    ++free_[e.sm];
    ++ended_;
    last_end_ = std::max(last_end_, e.at);
    scheduler_->ended(e.sm, e.cta);
  }
}

void Dispatcher::launch(sim::Cycle now) {
  if (scheduler_->left() == 0) return;
  while (const auto d = scheduler_->next(free_)) {
    free_[d->sm] -= d->count;
    const Place& p = places_[d->sm];
    for (std::uint32_t i = 0; i < d->count; ++i) {
      sim::Cycle at = std::max(now, cluster_next_[p.cluster]);
      if (rate_ != 0) {
        next_ = std::max(next_, now * rate_);
        at = std::max(at, (next_ + rate_ - 1) / rate_);
        next_ += 1000;
      }
      cluster_next_[p.cluster] = at + 1;
      p.sm->launch(*grid_, 0, d->first + i, at);
      engine_.wake(p.unit, at);
      ++launched_;
    }
  }
}

}  // namespace heddle::gpu
