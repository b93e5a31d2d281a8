#include "gpu/dispatcher.h"

#include <algorithm>
#include <utility>

#include "sm/static_waits.h"

namespace heddle::gpu {

using sim::Cycle;

Dispatcher::Dispatcher(sim::Engine& engine, const sm::SmSpec& sm, const CtaSpec& cta,
                       const cta::SmLayout& layout, std::vector<Place> places, const Pace& pace)
    : engine_(engine),
      spec_(sm),
      cta_(cta),
      layout_(layout),
      places_(std::move(places)),
      pace_(pace),
      used_(places_.size()),
      cluster_next_(layout.clusters),
      here_(places_.size()) {}

std::uint32_t Dispatcher::submit(workload::GridStream& grid, std::uint32_t stream, Cycle now,
                                 Cycle last_start) {
  auto kernel = std::make_unique<Kernel>();
  kernel->grid = &grid;
  kernel->number = static_cast<std::uint32_t>(kernels_.size());
  kernel->stream = stream;
  kernel->launch = submitted_++;
  kernel->times.occupancy = sm::occupancy(spec_, grid.needs());
  if (cta_.cap_small_grids) cap(kernel->times.occupancy, grid.ctas());
  if (spec_.static_waits) kernel->waits = sm::static_waits(grid.code(), spec_);
  kernel->code = {code_number(grid.kernel()) >> 32, spec_.static_waits ? kernel->waits.data() : nullptr};
  kernel->last_start = last_start;
  if (last_start != sim::kNever) kernel->given.resize(grid.ctas());
  ctas_ += grid.ctas();
  if (waiting_.size() <= stream) waiting_.resize(stream + 1);
  const bool busy =
      std::any_of(active_.begin(), active_.end(), [&](const Kernel* k) { return k->stream == stream; });
  Kernel& k = *kernel;
  kernels_.push_back(std::move(kernel));
  if (busy || !waiting_[stream].empty())
    waiting_[stream].push_back(&k);
  else
    start(k, now);
  return k.number;
}

std::vector<std::uint64_t> Dispatcher::not_started(std::uint32_t kernel) const {
  const std::vector<bool>& given = kernels_[kernel]->given;
  std::vector<std::uint64_t> left;
  for (std::uint64_t c = 0; c < given.size(); ++c)
    if (!given[c]) left.push_back(c);
  return left;
}

void Dispatcher::clear() {
  kernels_.clear();
  active_.clear();
  waiting_.clear();
  used_.assign(places_.size(), {});
  next_kernels_.clear();
  ctas_ = started_ = ended_ = 0;
  more_ = false;
}

void Dispatcher::start(Kernel& k, Cycle now) {
  k.times.submitted = now;
  if (k.last_start != sim::kNever) k.last_start += now;
  k.from = now + pace_.overhead;
  k.scheduler = cta_.make_scheduler();
  const workload::Dim3 shape = k.grid->shape();
  k.mapper = cta_.make_mapper({shape.x, shape.y, shape.z});
  k.scheduler->start(k.grid->ctas(), k.times.occupancy.ctas, layout_);
  k.free.resize(places_.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) k.free[i] = room(k, i);
  active_.push_back(&k);
  launch({now, now});
}

// So many that all of the grid's CTAs have a place when every SM has as many.
void Dispatcher::cap(sm::Occupancy& o, std::uint64_t ctas) const {
  const auto sms = static_cast<std::uint64_t>(
      std::count_if(places_.begin(), places_.end(), [](const Place& p) { return p.sm != nullptr; }));
  const std::uint64_t each = std::max<std::uint64_t>(1, (ctas + sms - 1) / sms);
  if (each >= o.ctas) return;
  o.ctas = static_cast<std::uint32_t>(each);
  o.limited_by = "CTAs of the grid";
}

// How many more CTAs of the kernel fit beside what the SM holds.
std::uint32_t Dispatcher::room(const Kernel& k, std::uint32_t sm) const {
  if (places_[sm].sm == nullptr) return 0;
  const Used& u = used_[sm];
  const sm::Occupancy& o = k.times.occupancy;
  std::uint64_t n = spec_.ctas - u.ctas;
  n = std::min<std::uint64_t>(n, (std::min(spec_.warps, spec_.threads / 32) - u.warps) / o.warps_per_cta);
  if (o.registers_per_cta != 0)
    n = std::min(
        n, (std::max<std::uint64_t>(o.registers_usable, u.registers) - u.registers) / o.registers_per_cta);
  if (o.shared_per_cta != 0) n = std::min(n, (spec_.shared_memory.count() - u.shared) / o.shared_per_cta);
  if (cta_.cap_small_grids) n = std::min<std::uint64_t>(n, std::max(o.ctas, u.ctas) - u.ctas);
  return static_cast<std::uint32_t>(n);
}

void Dispatcher::account(std::uint32_t sm, const sm::Occupancy& o, bool take) {
  Used& u = used_[sm];
  const auto change = [take](auto& used, auto by) { used = take ? used + by : used - by; };
  change(u.ctas, 1u);
  change(u.warps, o.warps_per_cta);
  change(u.registers, std::uint64_t{o.registers_per_cta});
  change(u.shared, std::uint64_t{o.shared_per_cta});
}

Cycle Dispatcher::window_end(Cycle now) {
  process_ended(sim::kNever, now);
  for (Kernel* k : std::exchange(next_kernels_, {})) start(*k, now);
  return sim::kNever;
}

Cycle Dispatcher::decide(Cycle at, Cycle window_end) {
  process_ended(at, window_end);
  return at + pace_.turnaround;  // all that ended before `at` is known, and has been decided
}

// In the order of their ends, whichever SM was asked first.
void Dispatcher::take_ended(Cycle before) {
  batch_.clear();
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].sm == nullptr) continue;
    std::vector<sm::Retired>& retired = places_[i].sm->retired();
    const auto last =
        std::find_if(retired.begin(), retired.end(), [&](const sm::Retired& r) { return r.at >= before; });
    for (auto r = retired.begin(); r != last; ++r) batch_.push_back({r->at, i, r->cta, r->kernel});
    retired.erase(retired.begin(), last);
  }
  std::stable_sort(batch_.begin(), batch_.end(), [](const Ended& a, const Ended& b) { return a.at < b.at; });
}

void Dispatcher::process_ended(Cycle before, Cycle window_end) {
  take_ended(before);
  for (std::size_t first = 0, last = 0; first < batch_.size(); first = last) {
    const Cycle at = batch_[first].at;
    for (; last < batch_.size() && batch_[last].at == at; ++last) {
      here_[batch_[last].sm] = true;
      end(batch_[last]);
    }
    launch({at + pace_.turnaround, window_end});
    for (std::size_t i = first; i < last; ++i) here_[batch_[i].sm] = false;
  }
}

void Dispatcher::end(const Ended& e) {
  Kernel& k = *kernels_[e.kernel];
  account(e.sm, k.times.occupancy, false);
  ++k.ended;
  ++ended_;
  for (Kernel* other : active_) {
    const std::uint32_t free = room(*other, e.sm);
    if (free > other->free[e.sm]) {
      other->free[e.sm] = free;
      other->scheduler->ended(e.sm, e.cta);
    }
  }
  const bool all = k.closed(e.at + pace_.turnaround) ? k.ended == k.started : k.ended == k.grid->ctas();
  if (!all) return;
  k.times.ended = e.at + 1;
  k.times.done = true;
  std::erase(active_, &k);
  std::deque<Kernel*>& queue = waiting_[k.stream];
  if (queue.empty()) return;
  next_kernels_.push_back(queue.front());
  queue.pop_front();
}

void Dispatcher::launch(const When& when) {
  more_ = false;
  for (Kernel* k : active_) {
    if (k->closed(when.here)) continue;  // what the others get is not left over by it
    launch_from(*k, when);
    more_ = k->scheduler->left() != 0;
    if (more_) return;  // the next gets only what is left over
  }
}

// One CTA per cluster and interval, and no more than the GPU's rate.
Cycle Dispatcher::launch_time(const Kernel& k, std::uint32_t cluster, Cycle now) {
  Cycle at = std::max({now, k.from, cluster_next_[cluster]});
  if (pace_.rate != 0) {
    next_launch_ = std::max(next_launch_, std::max(now, k.from) * pace_.rate);
    at = std::max(at, (next_launch_ + pace_.rate - 1) / pace_.rate);
    next_launch_ += 1000;
  }
  cluster_next_[cluster] = at + pace_.interval;
  return at;
}

void Dispatcher::launch_from(Kernel& k, const When& when) {
  if (k.scheduler->left() == 0) return;
  while (const auto d = k.scheduler->next(k.free)) {
    const Place& p = places_[d->sm];
    for (std::uint32_t i = 0; i < d->count; ++i) {
      const Cycle from = here_[d->sm] ? when.here : std::max(when.here, when.elsewhere);
      const Cycle at = launch_time(k, p.cluster, from) + pace_.perturb.start_delay(k.launch, d->first + i);
      account(d->sm, k.times.occupancy, true);
      const std::uint64_t cta = k.mapper->cta(d->first + i);
      p.sm->launch(*k.grid, k.number, cta, at, k.code);
      engine_.wake(p.unit, at);
      if (!k.given.empty()) k.given[cta] = true;
      ++k.started;
      ++started_;
    }
    for (Kernel* other : active_) other->free[d->sm] = room(*other, d->sm);
  }
}

}  // namespace heddle::gpu
