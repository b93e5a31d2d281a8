#include "sim/engine.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::sim {
namespace {

// Fewer runnable units than this are not worth waking another thread for.
constexpr std::uint64_t kParallelUnits = 10;
constexpr std::uint32_t kParallelPatience = 8;  // windows in a row
constexpr std::uint32_t kSpins = 4000;

inline void relax() {
#if defined(__aarch64__)
  asm volatile("yield");
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct Engine::Slot {
  Unit* unit = nullptr;
  std::uint32_t group = 0;
  std::uint32_t thread = 0;
  Cycle next = 0;
};

struct alignas(64) Engine::Worker {
  std::vector<UnitId> units;
  std::vector<ChannelBase*> touched;
  Cycle next = kNever;  // the earliest of its units' next cycles after a window
  std::uint64_t ran = 0;
  UnitId failed = kNoUnit;
  std::exception_ptr error;
};

// Helper threads 1..n-1. A window is a generation: they run it when `generation` moves and count down `left`.
struct Engine::Pool {
  alignas(64) std::atomic<std::uint64_t> generation{0};
  alignas(64) std::atomic<std::uint32_t> left{0};
  std::atomic<bool> stop{false};
  Cycle until = 0;
  std::vector<std::thread> threads;

  void work(Engine& engine, std::uint32_t thread) {
    std::uint64_t seen = 0;
    for (;;) {
      for (std::uint32_t i = 0; generation.load(std::memory_order_acquire) == seen; ++i) {
        if (i < kSpins)
          relax();
        else
          generation.wait(seen, std::memory_order_acquire);
      }
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_relaxed)) return;
      engine.run_units(thread, until);
      left.fetch_sub(1, std::memory_order_release);
    }
  }
  void start(Cycle window_end) {
    until = window_end;
    left.store(static_cast<std::uint32_t>(threads.size()), std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
  }
  void finish() {
    for (std::uint32_t i = 0; left.load(std::memory_order_acquire) != 0; ++i)
      if (i < kSpins)
        relax();
      else
        std::this_thread::yield();
  }
  ~Pool() {
    stop.store(true, std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    for (std::thread& t : threads) t.join();
  }
};

Engine::Engine(const EngineOptions& options) : options_(options) {
  if (options_.window == 0) throw Error("the engine's window must be at least one cycle");
  options_.threads = std::max(1u, options_.threads);
  for (std::uint32_t t = 0; t < options_.threads; ++t) workers_.push_back(std::make_unique<Worker>());
}

Engine::~Engine() = default;

UnitId Engine::add(Unit& unit, std::uint32_t group) {
  const auto id = static_cast<UnitId>(slots_.size());
  const std::uint32_t n = options_.threads;
  const std::uint32_t thread = options_.thread_map == 0   ? group % n
                               : options_.thread_map == 1 ? group / 3 % n
                                                          : (n - 1 - group * 7 / 5 % n);
  slots_.push_back({&unit, group, thread, 0});
  workers_[thread]->units.push_back(id);
  return id;
}

void Engine::connect(ChannelBase& channel, UnitId writer, UnitId reader) {
  if (channel.latency() < options_.window)
    throw Error(fmt::format("a channel from {} to {} has a latency of {} cycles, less than the window of {}",
                            slots_[writer].unit->name(), slots_[reader].unit->name(), channel.latency(),
                            options_.window));
  channel.writer = writer;
  channel.reader = reader;
  channel.writer_list = &workers_[slots_[writer].thread]->touched;
  channel.reader_list = &workers_[slots_[reader].thread]->touched;
  channels_.push_back(&channel);
}

void Engine::at_window_end(WindowEnd& end) {
  ends_.push_back(&end);
}

void Engine::wake(UnitId unit, Cycle cycle) {
  slots_[unit].next = std::min(slots_[unit].next, cycle);
  wake_ = std::min(wake_, cycle);
}

void Engine::run_units(std::uint32_t thread, Cycle until) {
  Worker& w = *workers_[thread];
  w.next = kNever;
  w.ran = 0;
  for (const UnitId id : w.units) {
    Slot& s = slots_[id];
    if (s.next < until) {
      ++w.ran;
      try {
        s.next = std::max(until, s.unit->run(std::max(s.next, now_), until));
      } catch (...) {
        s.next = kNever;
        if (w.failed == kNoUnit) {
          w.failed = id;
          w.error = std::current_exception();
        }
      }
    }
    w.next = std::min(w.next, s.next);
  }
}

// Makes what was sent and taken in the window visible, and wakes who can go on because of it.
Cycle Engine::publish(Cycle until) {
  Cycle next = kNever;
  for (const auto& w : workers_) {
    next = std::min(next, w->next);
    for (ChannelBase* c : w->touched) {
      const ChannelBase::Published p = c->publish();
      if (p.reader_from != kNever) {
        slots_[c->reader].next = std::min(slots_[c->reader].next, p.reader_from);
        next = std::min(next, p.reader_from);
      }
      if (p.writer_may_go) {
        slots_[c->writer].next = until;
        next = until;
      }
    }
    messages_ += w->touched.size();
    w->touched.clear();
  }
  return next;
}

// All units have run their window, so the error that counts is the same for every number of threads.
void Engine::raise_first_error() {
  Worker* first = nullptr;
  for (const auto& w : workers_)
    if (w->failed != kNoUnit && (first == nullptr || w->failed < first->failed)) first = w.get();
  if (first == nullptr) return;
  std::exception_ptr error = first->error;
  for (const auto& w : workers_) {
    w->failed = kNoUnit;
    w->error = nullptr;
  }
  std::rethrow_exception(error);
}

std::uint64_t Engine::run_window(Cycle until) {
  const bool parallel = options_.threads > 1 && busy_windows_ >= kParallelPatience;
  if (parallel) {
    if (pool_ == nullptr) {
      pool_ = std::make_unique<Pool>();
      for (std::uint32_t t = 1; t < options_.threads; ++t)
        pool_->threads.emplace_back([this, t] { pool_->work(*this, t); });
    }
    pool_->start(until);
    run_units(0, until);
    pool_->finish();
  } else {
    for (std::uint32_t t = 0; t < options_.threads; ++t) run_units(t, until);
  }
  std::uint64_t ran = 0;
  for (const auto& w : workers_) ran += w->ran;
  busy_windows_ = ran >= kParallelUnits ? busy_windows_ + 1 : 0;
  return ran;
}

EndReason Engine::run(const std::function<bool()>& done, const Limits& limits) {
  Cycle next_look = now_ + limits.look_every;
  Cycle next = now_;
  for (const Slot& s : slots_) next = std::min(next, std::max(now_, s.next));
  while (!done()) {
    if (next == kNever) return EndReason::Stuck;
    if (now_ >= limits.until) return EndReason::CycleLimit;
    if (next >= limits.until) {  // nobody does anything before: time ends at the limit, not at the next event
      now_ = (limits.until + options_.window - 1) / options_.window * options_.window;
      return EndReason::CycleLimit;
    }
    if (limits.interrupt != nullptr && limits.interrupt->load(std::memory_order_relaxed))
      return EndReason::Interrupted;
    now_ = std::max(now_, next / options_.window * options_.window);
    const Cycle until = now_ + options_.window;
    unit_windows_ += run_window(until);
    ++windows_;
    raise_first_error();
    now_ = until;
    next = publish(until);
    wake_ = kNever;
    for (WindowEnd* end : ends_) next = std::min(next, end->window_end(until));
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
  for (const Slot& s : slots_) {
    const std::string waits = s.unit->waits();
    if (waits.empty()) continue;
    out += fmt::format("  {}{}\n    {}\n", s.unit->name(),
                       s.next == kNever ? " (asleep)" : fmt::format(" (next at cycle {})", s.next), waits);
  }
  for (const ChannelBase* c : channels_)
    if (!c->empty())
      out += fmt::format("  {} -> {}: {} messages under way\n", slots_[c->writer].unit->name(),
                         slots_[c->reader].unit->name(), c->sent() - c->taken());
  return out;
}

}  // namespace heddle::sim
