#include "sim/thread_pool.h"

#include <utility>

namespace heddle::sim {
namespace {

constexpr std::uint32_t kSpins = 4000;

inline void relax() {
#if defined(__aarch64__)
  asm volatile("yield");
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t threads, std::function<void(std::uint32_t)> work)
    : work_(std::move(work)), claims_(threads) {
  for (std::uint32_t t = 1; t < threads; ++t) threads_.emplace_back([this, t] { wait_and_work(t); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void ThreadPool::wait_and_work(std::uint32_t thread) {
  std::uint64_t seen = 0;
  for (;;) {
    for (std::uint32_t i = 0; generation_.load(std::memory_order_acquire) == seen; ++i) {
      if (i < kSpins)
        relax();
      else
        generation_.wait(seen, std::memory_order_acquire);
    }
    seen = generation_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    if (!claim(thread, seen)) continue;
    work_(thread);
    left_.fetch_sub(1, std::memory_order_release);
  }
}

// Whether the caller of this is the first to ask for the part in this run. Before a run ends all its parts
// have been claimed, so that a thread which comes too late gets nothing.
bool ThreadPool::claim(std::uint32_t part, std::uint64_t generation) {
  std::uint64_t last = claims_[part].generation.load(std::memory_order_relaxed);
  return last < generation &&
         claims_[part].generation.compare_exchange_strong(last, generation, std::memory_order_acq_rel);
}

void ThreadPool::run() {
  left_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  const std::uint64_t now = generation_.fetch_add(1, std::memory_order_release) + 1;
  generation_.notify_all();
  work_(0);
  for (std::uint32_t part = 1; part < claims_.size(); ++part)
    if (claim(part, now)) {
      work_(part);
      left_.fetch_sub(1, std::memory_order_relaxed);
    }
  for (std::uint32_t i = 0; left_.load(std::memory_order_acquire) != 0; ++i) {
    if (i < kSpins)
      relax();
    else
      std::this_thread::yield();
  }
}

}  // namespace heddle::sim
