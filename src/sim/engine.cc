#include "sim/engine.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "sim/thread_pool.h"

namespace heddle::sim {
namespace {

// Fewer runnable parts than this are not worth waking another thread for.
constexpr std::uint64_t kParallelParts = 10;
constexpr std::uint32_t kParallelPatience = 8;  // windows in a row
constexpr std::uint64_t kMeasureEvery = 256;    // windows between two looks at what parts cost

std::uint64_t host_time() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

struct Engine::UnitState {
  Unit* unit = nullptr;
  Part* part = nullptr;
  Cycle next = 0;
  bool stopped = false;  // at `next`, until it is decided what happens there
};

// Units that are closer to each other than a window.
struct alignas(64) Engine::Part {
  std::vector<UnitId> units;
  Cycle inner = kNever;                              // the shortest latency inside
  Cycle next = 0;                                    // of its units
  Cycle end = 0;                                     // of the inner window under way
  bool open = false;                                 // there is one
  Cycle stop = kNever;                               // the earliest of its units that stopped
  std::vector<ChannelBase*> touched, inner_touched;  // channels to other parts, and inside
  std::uint64_t cost = 1;                            // host time of a window, when last measured
  UnitId failed = kNoUnit;
  std::exception_ptr error;
};

// What a thread runs first, the most expensive at the front. Who has nothing left takes from the others.
struct Engine::Worker {
  std::vector<Part*> parts;
  alignas(64) std::atomic<std::size_t> next{0};
};

Engine::Engine(const EngineOptions& options) : options_(options) {
  options_.threads = std::max(1u, options_.threads);
  for (std::uint32_t t = 0; t < options_.threads; ++t) workers_.push_back(std::make_unique<Worker>());
}

Engine::~Engine() = default;

// ---- the machine's parts ----------------------------------------------------------------------------------

UnitId Engine::add(Unit& unit) {
  units_.push_back({&unit, nullptr, now_, false});
  return static_cast<UnitId>(units_.size() - 1);
}

void Engine::connect(ChannelBase& channel, UnitId writer, UnitId reader) {
  if (channel.latency() == 0)
    throw Error(fmt::format("a channel from {} to {} takes no time; it needs a cycle at least",
                            units_[writer].unit->name(), units_[reader].unit->name()));
  channel.writer = writer;
  channel.reader = reader;
  channels_.push_back(&channel);
}

void Engine::between(Between& work) {
  between_.push_back(&work);
}

// By unit, the number of its part when channels shorter than `window` join their ends.
std::vector<UnitId> Engine::parts_at(Cycle window) const {
  std::vector<UnitId> part(units_.size());
  std::iota(part.begin(), part.end(), 0u);
  const auto root = [&](UnitId u) {
    while (part[u] != u) u = part[u] = part[part[u]];
    return u;
  };
  for (const ChannelBase* c : channels_) {
    const UnitId a = root(c->writer), b = root(c->reader);
    if (c->latency() < window && a != b) part[std::max(a, b)] = std::min(a, b);
  }
  for (UnitId u = 0; u < part.size(); ++u) part[u] = root(u);
  return part;
}

Cycle Engine::chosen_window() const {
  std::vector<Cycle> latencies;
  for (const ChannelBase* c : channels_) latencies.push_back(c->latency());
  std::sort(latencies.begin(), latencies.end());
  latencies.erase(std::unique(latencies.begin(), latencies.end()), latencies.end());
  if (latencies.empty()) return std::max<Cycle>(1, options_.window);
  Cycle chosen = latencies.front();
  for (const Cycle window : latencies) {
    const std::vector<UnitId> part = parts_at(window);
    std::vector<std::uint64_t> weights(units_.size());
    for (UnitId u = 0; u < units_.size(); ++u) weights[part[u]] += units_[u].unit->weight();
    const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    if (2 * *std::max_element(weights.begin(), weights.end()) > all) break;
    chosen = window;
  }
  return chosen;
}

void Engine::arrange() {
  window_ = chosen_window();
  const std::vector<UnitId> part_of = parts_at(window_);
  parts_.clear();
  std::vector<Part*> by_root(units_.size());
  for (UnitId u = 0; u < units_.size(); ++u) {
    Part*& p = by_root[part_of[u]];
    if (p == nullptr) p = parts_.emplace_back(std::make_unique<Part>()).get();
    p->units.push_back(u);
    units_[u].part = p;
  }
  for (ChannelBase* c : channels_) {
    Part& from = *units_[c->writer].part;
    Part& to = *units_[c->reader].part;
    const bool inner = &from == &to;
    if (inner) from.inner = std::min(from.inner, c->latency());
    c->writer_list = inner ? &from.inner_touched : &from.touched;
    c->reader_list = inner ? &to.inner_touched : &to.touched;
  }
  assign_threads();
}

// Parts go to threads by what they cost, the most expensive first, each to the thread that has least.
void Engine::assign_threads() {
  const std::uint32_t n = options_.threads;
  std::vector<Part*> order;
  for (const auto& p : parts_) order.push_back(p.get());
  std::stable_sort(order.begin(), order.end(),
                   [](const Part* a, const Part* b) { return a->cost > b->cost; });
  if (options_.thread_map == 2) std::reverse(order.begin(), order.end());
  std::vector<std::uint64_t> load(n);
  for (const auto& w : workers_) w->parts.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    const std::size_t t = options_.thread_map == 0 ? least : (i / 3 + options_.thread_map) % n;
    load[t] += order[i]->cost;
    workers_[t]->parts.push_back(order[i]);
  }
}

void Engine::wake(UnitId unit, Cycle cycle) {
  UnitState& s = units_[unit];
  s.next = std::min(s.next, cycle);
  if (s.part != nullptr) s.part->next = std::min(s.part->next, cycle);
  wake_ = std::min(wake_, cycle);
}

// ---- a window ---------------------------------------------------------------------------------------------

void Engine::run_unit(Part& part, UnitId id, Cycle until) {
  UnitState& s = units_[id];
  try {
    s.next = s.unit->run(std::max(s.next, now_), until);
    s.stopped = s.next < until;
  } catch (...) {
    s.next = kNever;
    part.failed = id;
    part.error = std::current_exception();
  }
}

// Makes what was sent and taken inside a part visible there, and wakes who can go on because of it.
void Engine::publish_inner(Part& part) {
  for (ChannelBase* c : part.inner_touched) {
    const ChannelBase::Published p = c->publish();
    units_[c->reader].next = std::min(units_[c->reader].next, p.reader_from);
    units_[c->writer].next = std::min(units_[c->writer].next, std::max(p.writer_from, part.end));
  }
  part.inner_touched.clear();
}

// Runs a part up to the window's end, or until one of its units stops and all others have come to where they
// must wait for it.
void Engine::run_part(Part& part, Cycle until) {
  part.stop = kNever;
  if (part.inner == kNever) {  // a single unit, with no channel to itself
    const UnitState& s = units_[part.units.front()];
    if (s.next < until && !s.stopped && part.failed == kNoUnit) run_unit(part, part.units.front(), until);
    part.open = s.stopped;
    (s.stopped ? part.stop : part.next) = s.next;
    return;
  }
  while (part.failed == kNoUnit) {
    if (!part.open) {
      if (part.next >= until) return;
      part.end = part.inner >= until - part.next ? until : part.next + part.inner;
      part.open = true;
    }
    for (const UnitId id : part.units)
      if (units_[id].next < part.end && !units_[id].stopped && part.failed == kNoUnit)
        run_unit(part, id, part.end);
    for (const UnitId id : part.units)
      if (units_[id].stopped) part.stop = std::min(part.stop, units_[id].next);
    if (part.stop != kNever) return;
    part.open = false;
    publish_inner(part);
    part.next = kNever;
    for (const UnitId id : part.units) part.next = std::min(part.next, units_[id].next);
  }
}

void Engine::run_parts(std::uint32_t thread) {
  for (std::uint32_t i = 0; i < options_.threads; ++i) {
    Worker& w = *workers_[(thread + i) % options_.threads];
    for (;;) {
      const std::size_t at = w.next.fetch_add(1, std::memory_order_relaxed);
      if (at >= w.parts.size()) break;
      if (!runnable(*w.parts[at])) continue;
      const std::uint64_t began = measuring_ ? host_time() : 0;
      run_part(*w.parts[at], until_);
      if (measuring_) w.parts[at]->cost = host_time() - began + 1;
    }
  }
}

bool Engine::runnable(const Part& p) const {
  return p.next < until_ || p.open;
}

void Engine::run_runnable(bool share) {
  if (!share || options_.threads == 1) {
    for (const auto& p : parts_)
      if (runnable(*p)) run_part(*p, until_);
    return;
  }
  for (const auto& w : workers_) w->next.store(0, std::memory_order_relaxed);
  if (pool_ == nullptr)
    pool_ = std::make_unique<ThreadPool>(options_.threads, [this](std::uint32_t t) { run_parts(t); });
  pool_->run();
}

// Lets those go on that stopped, as far as it is decided. Returns how many parts can; 0 when none has
// stopped.
std::uint64_t Engine::decide() {
  Cycle at = kNever;
  for (const auto& p : parts_)
    if (p->failed == kNoUnit) at = std::min(at, p->stop);
  if (at == kNever) return 0;
  Cycle before = kNever;
  for (Between* b : between_) before = std::min(before, b->decide(at, until_));
  std::uint64_t going = 0;
  for (const auto& p : parts_) {
    if (p->stop >= before) continue;
    ++going;
    for (const UnitId id : p->units) units_[id].stopped &= units_[id].next >= before;
  }
  return going;
}

void Engine::run_window() {
  std::uint64_t runnable = 0;
  for (const auto& p : parts_) runnable += p->next < until_ ? 1 : 0;
  busy_windows_ = runnable >= kParallelParts ? busy_windows_ + 1 : 0;
  measuring_ = busy_windows_ >= kParallelPatience && options_.threads > 1 &&
               (std::has_single_bit(windows_) || windows_ % kMeasureEvery == 0);
  bool share = busy_windows_ >= kParallelPatience;
  do {
    run_runnable(share);
    if (measuring_) assign_threads();
    measuring_ = false;
    runnable = decide();
    share &= runnable >= kParallelParts;
  } while (runnable != 0);
}

// Everybody in every cycle, whatever they say about their next one.
void Engine::run_every_cycle() {
  for (Cycle now = now_; now < until_; ++now) {
    for (Between* b : between_) b->decide(now, until_);
    for (UnitState& s : units_) s.next = now;
    for (UnitId id = 0; id < units_.size(); ++id) {
      Part& part = *units_[id].part;
      if (part.failed == kNoUnit) run_unit(part, id, now + 1);
    }
    for (ChannelBase* c : channels_) {
      const ChannelBase::Published p = c->publish();
      units_[c->reader].next = std::min(units_[c->reader].next, p.reader_from);
      units_[c->writer].next = std::min(units_[c->writer].next, p.writer_from);
    }
  }
  for (const auto& p : parts_) {
    p->next = kNever;
    for (const UnitId id : p->units) p->next = std::min(p->next, units_[id].next);
    p->inner_touched.clear();
  }
}

// Makes what was sent and taken between parts in the window visible, and wakes who can go on because of it.
Cycle Engine::publish() {
  Cycle next = kNever;
  for (const auto& part : parts_) {
    messages_ += part->touched.size();
    for (ChannelBase* c : part->touched) {
      const ChannelBase::Published p = c->publish();
      for (const auto& [id, at] :
           {std::pair(c->reader, p.reader_from), std::pair(c->writer, std::max(p.writer_from, until_))}) {
        if (at == kNever) continue;
        UnitState& s = units_[id];
        s.next = std::min(s.next, at);
        s.part->next = std::min(s.part->next, at);
      }
    }
    part->touched.clear();
  }
  for (const auto& part : parts_) next = std::min(next, part->next);
  return next;
}

// All parts have run their window, so the error that counts is the same for every number of threads.
void Engine::raise_first_error() {
  Part* first = nullptr;
  for (const auto& p : parts_)
    if (p->failed != kNoUnit && (first == nullptr || p->failed < first->failed)) first = p.get();
  if (first == nullptr) return;
  std::exception_ptr error = first->error;
  for (const auto& p : parts_) {
    p->failed = kNoUnit;
    p->error = nullptr;
    p->open = false;
  }
  std::rethrow_exception(error);
}

EndReason Engine::run(const std::function<bool()>& done, const Limits& limits) {
  if (parts_.empty()) arrange();
  Cycle next_look = now_ + limits.look_every;
  Cycle next = now_;
  while (!done()) {
    if (next == kNever) return EndReason::Stuck;
    if (options_.every_cycle) next = now_;  // no cycle is jumped over
    if (now_ >= limits.until) return EndReason::CycleLimit;
    if (next >= limits.until) {  // nobody does anything before: time ends at the limit, not at the next event
      now_ = (limits.until + window_ - 1) / window_ * window_;
      return EndReason::CycleLimit;
    }
    if (limits.interrupt != nullptr && limits.interrupt->load(std::memory_order_relaxed))
      return EndReason::Interrupted;
    now_ = std::max(now_, next / window_ * window_);
    until_ = now_ + window_;
    if (options_.every_cycle)
      run_every_cycle();
    else
      run_window();
    ++windows_;
    raise_first_error();
    now_ = until_;
    wake_ = kNever;
    next = publish();
    for (Between* b : between_) next = std::min(next, b->window_end(until_));
    next = std::min(next, wake_);
    if (limits.look && now_ >= next_look) {
      if (const EndReason found = limits.look(now_); found != EndReason::Done) return found;
      next_look = now_ + limits.look_every;
    }
  }
  return EndReason::Done;
}

std::string Engine::report() const {
  std::string out;
  for (const UnitState& s : units_) {
    const std::string waits = s.unit->waits();
    if (waits.empty()) continue;
    out += fmt::format("  {}{}\n    {}\n", s.unit->name(),
                       s.next == kNever ? " (asleep)" : fmt::format(" (next at cycle {})", s.next), waits);
  }
  for (const ChannelBase* c : channels_)
    if (!c->empty())
      out += fmt::format("  {} -> {}: {} messages under way\n", units_[c->writer].unit->name(),
                         units_[c->reader].unit->name(), c->sent() - c->taken());
  return out;
}

}  // namespace heddle::sim
