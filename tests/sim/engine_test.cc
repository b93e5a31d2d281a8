#include "sim/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace heddle::sim {
namespace {

// Passes numbers round a ring; what it does depends on what arrives when.
class Node final : public Unit {
 public:
  Node(std::uint32_t id, Channel<std::uint64_t>& in, Channel<std::uint64_t>& out)
      : id_(id), in_(in), out_(out) {}
  Cycle run(Cycle from, Cycle until) override {
    for (Cycle now = from; now < until;) {
      if (start_ && out_.can_send()) {
        out_.send(now, id_);
        start_ = false;
      }
      while (in_.ready(now) && out_.can_send()) {
        const std::uint64_t v = in_.front();
        in_.pop();
        hash = hash * 1099511628211ull + v * 31 + now;
        ++received;
        if (v % 7 != id_ % 7 || received < 50) out_.send(now, v + hash % 5);
      }
      now = std::max(now + 1, in_.next_arrival());
    }
    return in_.next_arrival();
  }
  std::string name() const override { return "node " + std::to_string(id_); }
  std::string waits() const override { return received < 50 ? "waits for numbers" : ""; }
  std::uint64_t hash = 0, received = 0;

 private:
  std::uint32_t id_;
  Channel<std::uint64_t>& in_;
  Channel<std::uint64_t>& out_;
  bool start_ = true;
};

struct Ring {
  static constexpr std::uint32_t kNodes = 24;
  explicit Ring(const EngineOptions& options) : engine(options) {
    for (std::uint32_t i = 0; i < kNodes; ++i)
      channels.push_back(std::make_unique<Channel<std::uint64_t>>(4 + i % 5, 64));
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      nodes.push_back(std::make_unique<Node>(i, *channels[i], *channels[(i + 1) % kNodes]));
      engine.add(*nodes.back(), i);
    }
    for (std::uint32_t i = 0; i < kNodes; ++i) engine.connect(*channels[i], (i + kNodes - 1) % kNodes, i);
  }
  std::vector<std::uint64_t> run(Cycle cycles) {
    engine.run([] { return false; }, {.until = cycles});
    std::vector<std::uint64_t> hashes;
    for (const auto& n : nodes) hashes.push_back(n->hash);
    return hashes;
  }
  Engine engine;
  std::vector<std::unique_ptr<Channel<std::uint64_t>>> channels;
  std::vector<std::unique_ptr<Node>> nodes;
};

TEST(Engine, SameResultsForAnyNumberOfThreadsAndAnyMap) {
  const auto expected = Ring({.window = 4, .threads = 1}).run(20'000);
  for (std::uint32_t threads : {2u, 3u})
    for (std::uint32_t map : {0u, 1u, 2u})
      EXPECT_EQ(Ring({.window = 4, .threads = threads, .thread_map = map}).run(20'000), expected)
          << threads << " threads, map " << map;
}

// Units only meet through channels whose latency covers the window, so its length is invisible.
TEST(Engine, SameResultsForAnyWindowThatChannelsAllow) {
  const auto expected = Ring({.window = 1, .threads = 1}).run(4'000);
  for (Cycle window : {2u, 4u}) EXPECT_EQ(Ring({.window = window, .threads = 1}).run(4'000), expected);
}

TEST(Engine, RefusesAChannelShorterThanTheWindow) {
  EXPECT_THROW(Ring({.window = 5, .threads = 1}), std::exception);
}

class Sleeper final : public Unit {
 public:
  Cycle run(Cycle from, Cycle) override {
    woken.push_back(from);
    if (fail) throw std::runtime_error("broken");
    return woken.size() < 5 ? from + 100'000 : kNever;
  }
  std::string name() const override { return "sleeper"; }
  std::string waits() const override { return "waits for a message that nobody sends"; }
  std::vector<Cycle> woken;
  bool fail = false;
};

TEST(Engine, JumpsOverIdleTime) {
  Engine e({.window = 8});
  Sleeper s;
  e.add(s, 0);
  EXPECT_EQ(e.run([] { return false; }, {}), EndReason::Stuck);
  EXPECT_EQ(s.woken, (std::vector<Cycle>{0, 100'000, 200'000, 300'000, 400'000}));
  EXPECT_EQ(e.windows(), 5u);
  EXPECT_NE(e.report().find("waits for a message that nobody sends"), std::string::npos);
}

class Busy final : public Unit {
 public:
  Cycle run(Cycle, Cycle until) override { return until; }
  std::string name() const override { return "busy"; }
  std::string waits() const override { return "spins"; }
};

TEST(Engine, WhoLooksNowAndThenMayEndARun) {
  Engine e({.window = 8});
  Busy b;
  e.add(b, 0);
  std::vector<Cycle> looks;
  const auto look = [&](Cycle now) {
    looks.push_back(now);
    return looks.size() < 3 ? EndReason::Done : EndReason::NoProgress;
  };
  EXPECT_EQ(e.run([] { return false; }, {.look_every = 1000, .look = look}), EndReason::NoProgress);
  EXPECT_EQ(looks, (std::vector<Cycle>{1000, 2000, 3000}));
}

TEST(Engine, InterruptAndCycleLimitEndARun) {
  Engine e({.window = 8});
  Busy b;
  e.add(b, 0);
  std::atomic<bool> stop{true};
  EXPECT_EQ(e.run([] { return false; }, {.interrupt = &stop}), EndReason::Interrupted);
  EXPECT_EQ(e.run([] { return false; }, {.until = 800}), EndReason::CycleLimit);
  EXPECT_EQ(e.now(), 800u);
}

// Two units fail in one window: the one that was added first is reported, whatever thread ran it.
TEST(Engine, TheFirstUnitsErrorCounts) {
  class Failing final : public Unit {
   public:
    explicit Failing(std::string what) : what_(std::move(what)) {}
    Cycle run(Cycle from, Cycle until) override {
      if (from >= 400) throw std::runtime_error(what_);
      return until;
    }
    std::string name() const override { return what_; }
    std::string waits() const override { return {}; }

   private:
    std::string what_;
  };
  for (std::uint32_t threads : {1u, 2u, 3u}) {
    Engine e({.window = 8, .threads = threads});
    std::vector<std::unique_ptr<Unit>> units;
    for (int i = 0; i < 12; ++i) units.push_back(std::make_unique<Busy>());
    units.push_back(std::make_unique<Failing>("first"));
    units.push_back(std::make_unique<Failing>("second"));
    for (std::uint32_t i = 0; i < units.size(); ++i) e.add(*units[i], i);
    try {
      e.run([] { return false; }, {.until = 1000});
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
}

class Waker final : public WindowEnd {
 public:
  explicit Waker(std::function<Cycle(Cycle)> f) : f_(std::move(f)) {}
  Cycle window_end(Cycle now) override { return f_(now); }

 private:
  std::function<Cycle(Cycle)> f_;
};

TEST(Engine, WindowEndWakesUnits) {
  Engine e({.window = 8});
  Sleeper s;
  const UnitId id = e.add(s, 0);
  Waker w([&](Cycle now) {
    if (now == 8) e.wake(id, 50);
    return kNever;
  });
  e.at_window_end(w);
  e.run([&] { return s.woken.size() == 2; }, {});
  EXPECT_EQ(s.woken, (std::vector<Cycle>{0, 50}));
}

}  // namespace
}  // namespace heddle::sim
