#include "sim/engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <stdexcept>

namespace heddle::sim {
namespace {

using Wire = Channel<std::uint64_t>;

// Takes numbers from its inputs in turn, at most one per cycle, and passes them on to outputs that they
// choose; what it does depends on what arrives when, and on when there is room.
class Node final : public Unit {
 public:
  explicit Node(std::uint32_t id) : id_(id) {}
  Cycle run(Cycle from, Cycle until) override {
    Cycle now = from;
    while (now < until) {
      step(now);
      now = following(now);
    }
    return now;
  }
  std::string name() const override { return "node " + std::to_string(id_); }
  std::string waits() const override { return held_ ? "holds a number" : ""; }

  std::vector<Wire*> in, out;
  std::uint64_t hash = 0, received = 0;

 private:
  Wire& target() const { return *out[number_ % out.size()]; }
  void step(Cycle now) {
    if (held_ && target().can_send(now)) {
      target().send(now, number_);
      hash = hash * 31 + now;
      held_ = false;
    }
    if (!started_) {
      started_ = held_ = true;
      number_ = id_ * 977 + 1;
    }
    for (std::size_t k = 0; k < in.size() && !held_; ++k) {
      Wire& w = *in[(turn_ + k) % in.size()];
      if (!w.ready(now)) continue;
      number_ = w.front() * 6364136223846793005ull + now + received++;
      number_ ^= number_ >> 31;
      hash = hash * 1099511628211ull + number_;
      w.pop(now);
      turn_ = static_cast<std::uint32_t>(turn_ + k + 1);
      held_ = received % 97 != 0;  // some are lost, others doubled
    }
    if (!held_ && received % 97 == 0 && received != 0 && received != doubled_) {
      doubled_ = received;
      held_ = true;
    }
  }
  Cycle following(Cycle now) const {
    if (held_) return std::max(now + 1, target().room_at());
    Cycle next = kNever;
    for (const Wire* w : in) next = std::min(next, w->next_arrival());
    return next == kNever ? kNever : std::max(now + 1, next);
  }
  std::uint32_t id_, turn_ = 0;
  std::uint64_t number_ = 0, doubled_ = 0;
  bool held_ = false, started_ = false;
};

// Nodes in a ring, and as many wires between any two of them; latencies and buffers as `draw` says.
struct Net {
  using Draw = std::function<std::pair<Cycle, std::uint32_t>(std::mt19937&)>;
  Net(std::uint32_t n, std::uint32_t seed, const Draw& draw, const EngineOptions& options) : engine(options) {
    std::mt19937 random(seed);
    for (std::uint32_t i = 0; i < n; ++i) engine.add(*nodes.emplace_back(std::make_unique<Node>(i)));
    for (std::uint32_t i = 0; i < 2 * n; ++i) {
      const std::uint32_t from = i < n ? i : random() % n;
      const std::uint32_t to = i < n ? (i + 1) % n : random() % n;
      const auto [latency, places] = draw(random);
      Wire& w = *wires.emplace_back(std::make_unique<Wire>(latency, places));
      nodes[from]->out.push_back(&w);
      nodes[to]->in.push_back(&w);
      engine.connect(w, from, to);
    }
  }
  std::vector<std::uint64_t> run(Cycle cycles) {
    engine.run([] { return false; }, {.until = cycles});
    std::vector<std::uint64_t> hashes;
    for (const auto& n : nodes) {
      hashes.push_back(n->hash);
      total += n->received;
    }
    return hashes;
  }
  Engine engine;
  std::vector<std::unique_ptr<Wire>> wires;
  std::vector<std::unique_ptr<Node>> nodes;
  std::uint64_t total = 0;
};

std::pair<Cycle, std::uint32_t> any_wire(std::mt19937& random) {
  const Cycle latency = random() % 3 == 0 ? 1 + random() % 200 : 1 + random() % 8;
  return {latency, 1 + random() % 64};
}

// Threads, maps, and stepping everybody in every cycle: all the same, also where buffers are full most of the
// time.
TEST(Engine, SameResultsHoweverItIsRun) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    Net one(24, seed, any_wire, {});
    const auto expected = one.run(6'000);
    EXPECT_GT(one.total, 100u);
    EXPECT_EQ(Net(24, seed, any_wire, {.every_cycle = true}).run(6'000), expected)
        << "every cycle, seed " << seed;
    for (std::uint32_t threads : {2u, 3u})
      for (std::uint32_t map : {0u, 1u, 2u})
        EXPECT_EQ(Net(24, seed, any_wire, {.threads = threads, .thread_map = map}).run(6'000), expected)
            << threads << " threads, map " << map << ", seed " << seed;
  }
}

// A part of close units has windows of its own; the others do not notice.
TEST(Engine, AShortWireMakesAPartOfItsEnds) {
  const auto far = [](std::mt19937&) { return std::pair<Cycle, std::uint32_t>{40, 16}; };
  Net all_far(24, 3, far, {});
  all_far.engine.arrange();
  EXPECT_EQ(all_far.engine.window(), 40u);
  EXPECT_EQ(all_far.engine.parts(), 24u);
  std::uint32_t wires = 0;
  const auto one_near = [&](std::mt19937&) {
    return std::pair<Cycle, std::uint32_t>{wires++ == 5 ? 1 : 40, 16};
  };
  Net near(24, 3, one_near, {});
  near.engine.arrange();
  EXPECT_EQ(near.engine.window(), 40u);
  EXPECT_EQ(near.engine.parts(), 23u);
  wires = 0;
  const auto expected = near.run(20'000);
  EXPECT_EQ(Net(24, 3, one_near, {.every_cycle = true}).run(20'000), expected);
}

TEST(Engine, RefusesAChannelThatTakesNoTime) {
  const auto none = [](std::mt19937&) { return std::pair<Cycle, std::uint32_t>{0, 16}; };
  EXPECT_THROW(Net(4, 1, none, {}), std::exception);
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
  e.add(s);
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
  e.add(b);
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
  e.add(b);
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
    Engine e({.threads = threads, .window = 8});
    std::vector<std::unique_ptr<Unit>> units;
    for (int i = 0; i < 12; ++i) units.push_back(std::make_unique<Busy>());
    units.push_back(std::make_unique<Failing>("first"));
    units.push_back(std::make_unique<Failing>("second"));
    for (const auto& u : units) e.add(*u);
    try {
      e.run([] { return false; }, {.until = 1000});
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
}

class Waker final : public Between {
 public:
  explicit Waker(std::function<Cycle(Cycle)> f) : f_(std::move(f)) {}
  Cycle window_end(Cycle now) override { return f_(now); }

 private:
  std::function<Cycle(Cycle)> f_;
};

TEST(Engine, WorkBetweenWindowsWakesUnits) {
  Engine e({.window = 8});
  Sleeper s;
  const UnitId id = e.add(s);
  Waker w([&](Cycle now) {
    if (now == 8) e.wake(id, 50);
    return kNever;
  });
  e.between(w);
  e.run([&] { return s.woken.size() == 2; }, {});
  EXPECT_EQ(s.woken, (std::vector<Cycle>{0, 50}));
}

// Workers that ask for the next of a list of jobs when they have done one: who is first in time gets it, not
// who is first on the host.
class JobList final : public Between {
 public:
  struct Worker final : Unit {
    explicit Worker(std::uint32_t id) : next(id % 5) {}
    Cycle run(Cycle, Cycle until) override {
      if (done == kNever && next < until) done = next;
      return done == kNever ? next : done + kReply;
    }
    std::string name() const override { return "worker"; }
    std::string waits() const override { return {}; }
    Cycle next, done = kNever;  // when its job ends; when the last one did, as long as it has no other
    std::vector<std::uint64_t> jobs;
  };
  static constexpr Cycle kReply = 3;

  JobList(std::uint32_t n, const EngineOptions& options) : engine(options) {
    for (std::uint32_t i = 0; i < n; ++i) engine.add(*workers.emplace_back(std::make_unique<Worker>(i)));
    engine.between(*this);
  }
  void give(Cycle before) {
    for (;;) {
      Worker* first = nullptr;
      for (const auto& w : workers)
        if (w->done < before && (first == nullptr || w->done < first->done)) first = w.get();
      if (first == nullptr) return;
      first->jobs.push_back(jobs_);
      first->next = first->done + kReply + 1 + (jobs_ * 7 + 3) % 23;
      ++jobs_;
      first->done = kNever;
    }
  }
  Cycle window_end(Cycle) override {
    give(kNever);
    Cycle next = kNever;
    for (std::uint32_t i = 0; i < workers.size(); ++i) {
      next = std::min(next, workers[i]->next);
      engine.wake(i, workers[i]->next);
    }
    return next;
  }
  Cycle decide(Cycle at, Cycle) override {
    give(at);
    return at + kReply;
  }
  std::vector<std::vector<std::uint64_t>> run() {
    engine.run([this] { return jobs_ > 3000; }, {});
    std::vector<std::vector<std::uint64_t>> all;
    for (const auto& w : workers) all.push_back(w->jobs);
    for (auto& jobs : all) std::erase_if(jobs, [](std::uint64_t j) { return j > 2900; });
    return all;
  }
  Engine engine;
  std::vector<std::unique_ptr<Worker>> workers;

 private:
  std::uint64_t jobs_ = 0;
};

TEST(Engine, UnitsThatStopGetWhatTimeSays) {
  const auto expected = JobList(20, {.every_cycle = true, .window = 1}).run();
  for (const Cycle window : {1u, 2u, 7u, 64u})
    for (const std::uint32_t threads : {1u, 3u})
      EXPECT_EQ(JobList(20, {.threads = threads, .window = window}).run(), expected)
          << window << " " << threads;
  EXPECT_EQ(JobList(20, {.every_cycle = true, .window = 64}).run(), expected);
}

}  // namespace
}  // namespace heddle::sim
