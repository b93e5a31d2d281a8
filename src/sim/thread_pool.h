// Host threads that do the same work together again and again, with very little time between: they wait by
// spinning for a while, then sleep. A thread that has not begun when the caller is done with its own part,
// because it sleeps or the host runs something else in its place, is not waited for: the caller does its part
// as well. So more threads than free cores cost little.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace heddle::sim {

class ThreadPool {
 public:
  // Part n of `threads` is `work(n)`: on the same thread mostly, but any may do it.
  ThreadPool(std::uint32_t threads, std::function<void(std::uint32_t)> work);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Every part once; returns when all are done. What was written before is seen by all, and what they wrote
  // by the caller.
  void run();

 private:
  void wait_and_work(std::uint32_t thread);
  bool claim(std::uint32_t part, std::uint64_t generation);

  std::function<void(std::uint32_t)> work_;
  alignas(64) std::atomic<std::uint64_t> generation_{0};  // counts runs
  alignas(64) std::atomic<std::uint32_t> left_{0};        // parts of others that are not finished
  struct alignas(64) Claim {
    std::atomic<std::uint64_t> generation{0};  // the last run in which somebody began the part
  };
  std::vector<Claim> claims_;  // by part
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace heddle::sim
