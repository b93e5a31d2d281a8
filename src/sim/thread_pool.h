// Host threads that do the same work together again and again, with very little time between: they wait by
// spinning for a while, then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace heddle::sim {

class ThreadPool {
 public:
  // `work(n)` is called on thread n of `threads`; the caller of run() is thread 0.
  ThreadPool(std::uint32_t threads, std::function<void(std::uint32_t)> work);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Once on every thread; returns when all are done. What was written before is seen by all, and what they
  // wrote by the caller.
  void run();

 private:
  void wait_and_work(std::uint32_t thread);

  std::function<void(std::uint32_t)> work_;
  alignas(64) std::atomic<std::uint64_t> generation_{0};  // counts runs
  alignas(64) std::atomic<std::uint32_t> left_{0};        // threads that have not finished this one
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace heddle::sim
