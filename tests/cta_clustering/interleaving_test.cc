// Agents whose accesses to memory are interleaved in any order: each runs in a thread of its own, and before
// every access it waits until a scheduler, driven by a seed, lets it go on. And agents in threads that nobody
// holds.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "agents.h"
#include "drawn.h"

namespace heddle::clustering {
namespace {

// Lets one of several threads run at a time.
class Turnstile {
 public:
  // `late[i]`: agent i may start only when so many accesses have been made, as on a card that others use.
  Turnstile(std::vector<std::uint32_t> late, std::uint32_t seed) : late_(std::move(late)), random_(seed) {
    for (std::size_t i = 0; i < late_.size(); ++i) alive_.push_back(i);
    choose();
  }
  void wait(std::size_t me) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (running_ == me) choose();  // gives the turn away (or keeps it)
    changed_.wait(lock, [&] { return running_ == me; });
  }
  void finish(std::size_t me) {
    const std::lock_guard<std::mutex> lock(mutex_);
    alive_.erase(std::find(alive_.begin(), alive_.end(), me));
    choose();
  }

 private:
  void choose() {
    ++accesses_;
    std::vector<std::size_t> ready;
    for (const std::size_t i : alive_) {
      if (late_[i] <= accesses_) ready.push_back(i);
    }
    if (ready.empty()) ready = alive_;
    running_ = ready.empty() ? late_.size() : ready[random_() % ready.size()];
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint32_t> late_;
  std::vector<std::size_t> alive_;
  std::size_t running_ = 0;
  std::uint32_t accesses_ = 0;
  std::mt19937 random_;
};

thread_local Turnstile* turnstile = nullptr;
thread_local std::size_t self = 0;

struct SteppedMemory {
  static std::uint32_t add(std::uint32_t* at, std::uint32_t n) {
    turnstile->wait(self);
    const std::uint32_t old = *at;
    *at += n;
    return old;
  }
  static std::uint32_t compare_and_swap(std::uint32_t* at, std::uint32_t old, std::uint32_t wanted) {
    turnstile->wait(self);
    const std::uint32_t found = *at;
    if (found == old) *at = wanted;
    return found;
  }
  static std::uint32_t load(const std::uint32_t* at) {
    turnstile->wait(self);
    return *at;
  }
  static void store(std::uint32_t* at, std::uint32_t value) {
    turnstile->wait(self);
    *at = value;
  }
  static void fence() {}
  static void pause() {}
};

TEST(Interleaving, EveryTaskOnceInAnyOrderOfAccesses) {
  EXPECT_TRUE(rc::check([] {
    const std::uint32_t agents = between(1, 6);
    Scene scene({between(1, 5), between(1, 4), 1}, between(1, 5), agents, between(0, 2), between(0, 4));
    std::vector<std::uint32_t> sms, late;
    for (std::uint32_t i = 0; i < agents; ++i) {
      sms.push_back(between(0, 3) * between(1, 40));  // with gaps, and some without agents
      late.push_back(between(0, 2) * between(0, 60));
    }
    const std::uint32_t seed = between(0, 1 << 20);
    for (int again = 0; again < 2; ++again) {  // what the first launch leaves is what the second one finds
      std::vector<std::uint32_t> done(scene.clusters.tasks);
      Turnstile gate(late, seed + static_cast<std::uint32_t>(again));
      std::vector<std::thread> threads;
      for (std::uint32_t i = 0; i < agents; ++i) {
        threads.emplace_back([&, i] {
          turnstile = &gate;
          self = i;
          gate.wait(i);
          be_agent<SteppedMemory>(scene, sms[i], RowMajor(),
                                  [&](const Agent&, const Task& task) { ++done[task.number]; });
          gate.finish(i);
        });
      }
      for (std::thread& thread : threads) thread.join();
      RC_ASSERT(done == std::vector<std::uint32_t>(scene.clusters.tasks, 1));
      RC_ASSERT(scene.clean());
    }
  }));
}

struct AtomicMemory {
  static std::uint32_t add(std::uint32_t* at, std::uint32_t n) {
    return __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);
  }
  static std::uint32_t compare_and_swap(std::uint32_t* at, std::uint32_t old, std::uint32_t wanted) {
    __atomic_compare_exchange_n(at, &old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return old;
  }
  static std::uint32_t load(const std::uint32_t* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
  static void store(std::uint32_t* at, std::uint32_t value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
  static void fence() {}  // every access is one
  static void pause() { std::this_thread::yield(); }
};

TEST(Interleaving, FreeThreads) {
  for (const std::uint32_t active : {0u, 1u}) {
    Scene scene({53, 11, 3}, 13, 24, active, 4);
    for (int launch = 0; launch < 20; ++launch) {
      std::vector<std::atomic<std::uint32_t>> done(scene.clusters.tasks);
      std::vector<std::thread> threads;
      for (std::uint32_t i = 0; i < scene.agents; ++i) {
        threads.emplace_back([&, i] {
          be_agent<AtomicMemory>(scene, i % 7 * 5, Tiles(4, 3),
                                 [&](const Agent&, const Task& task) { ++done[task.number]; });
        });
      }
      for (std::thread& thread : threads) thread.join();
      for (const auto& times : done) ASSERT_EQ(times, 1u);
      ASSERT_TRUE(scene.clean());
    }
  }
}

}  // namespace
}  // namespace heddle::clustering
