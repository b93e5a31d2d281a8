// A machine of stand-ins: SMs that compute in every cycle, two of them at a node, nodes at L2 slices far
// away. How far SMs are from their node is the question: at a cycle's distance a pair and its node are one
// part with windows of one cycle, inside a machine whose windows are as long as its other links.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/engine.h"

namespace heddle::sim {

struct PairsOptions {
  Cycle near = 1;   // from an SM to its node
  Cycle far = 119;  // from a node to its L2 slice
  std::uint32_t pairs = 60, slices = 20;
  std::uint32_t work = 50;  // of an SM in a cycle: dependent multiplications
  EngineOptions engine = {};
};

class Pairs {
 public:
  using Wire = Channel<std::uint64_t>;

  explicit Pairs(const PairsOptions& o) : engine(o.engine) {
    std::vector<Slice*> all;
    for (std::uint32_t i = 0; i < o.slices; ++i)
      all.push_back(slices.emplace_back(std::make_unique<Slice>()).get());
    for (std::uint32_t i = 0; i < o.pairs; ++i) {
      Node& node = *nodes.emplace_back(std::make_unique<Node>());
      Slice& slice = *all[i % o.slices];
      const UnitId id = add(node);
      for (std::uint32_t k = 0; k < 2; ++k) {
        Sm& sm = *sms.emplace_back(std::make_unique<Sm>(2 * i + k, o.work));
        const UnitId sm_id = add(sm);
        sm.out = node.from_sm[k] = &wire(o.near, sm_id, id);
        sm.in = node.to_sm[k] = &wire(o.near, id, sm_id);
      }
      if (slice.id == kNoUnit) slice.id = add(slice);
      slice.in.push_back(node.to_slice = &wire(o.far, id, slice.id));
      slice.out.push_back(node.from_slice = &wire(o.far, slice.id, id));
    }
  }
  void run(Cycle cycles) {
    engine.run([] { return false; }, {.until = cycles});
  }

  struct Counted : Unit {
    std::string name() const override { return "stand-in"; }
    std::string waits() const override { return {}; }
    std::uint64_t calls = 0, messages = 0;  // of run(); taken
  };

  // Computes, sends a message now and then, and takes what comes.
  struct Sm final : Counted {
    Sm(std::uint32_t id, std::uint32_t work_) : number(id), work(work_) {}
    Cycle run(Cycle from, Cycle until) override {
      ++calls;
      if (const auto here = std::this_thread::get_id(); here != last_ran_on)
        ran_on.insert(last_ran_on = here);
      for (Cycle now = from; now < until; ++now) {
        for (std::uint32_t i = 0; i < work; ++i) state = state * 6364136223846793005u + now;
        for (; in->ready(now); in->pop(now)) {
          state += in->front();
          ++messages;
        }
        if (now % 8 == number % 8 && out->can_send(now)) out->send(now, state);
      }
      return until;
    }
    std::uint32_t number, work;
    std::uint64_t state = 1;
    std::thread::id last_ran_on;
    std::set<std::thread::id> ran_on;  // host threads
    Wire *in = nullptr, *out = nullptr;
  };
  // Passes messages on, one a cycle in each direction.
  struct Node final : Counted {
    Cycle run(Cycle from, Cycle until) override {
      ++calls;
      for (Cycle now = from; now < until;) {
        for (std::uint32_t k = 0; k < 2; ++k) {
          Wire& w = *from_sm[(turn + k) % 2];
          if (!w.ready(now) || !to_slice->can_send(now)) continue;
          to_slice->send(now, w.front() << 1 | (turn + k) % 2);
          w.pop(now);
          turn = (turn + k + 1) % 2;
          ++messages;
          break;
        }
        if (from_slice->ready(now) && to_sm[from_slice->front() & 1]->can_send(now)) {
          to_sm[from_slice->front() & 1]->send(now, from_slice->front() >> 1);
          from_slice->pop(now);
        }
        now = std::max(now + 1, std::min({from_sm[0]->next_arrival(), from_sm[1]->next_arrival(),
                                          from_slice->next_arrival()}));
      }
      const Cycle next =
          std::min({from_sm[0]->next_arrival(), from_sm[1]->next_arrival(), from_slice->next_arrival()});
      return std::max(next, until);
    }
    std::uint32_t turn = 0;
    Wire *from_sm[2] = {}, *to_sm[2] = {}, *to_slice = nullptr, *from_slice = nullptr;
  };
  // Takes a message a cycle and sends it back 30 cycles later.
  struct Slice final : Counted {
    Cycle run(Cycle from, Cycle until) override {
      ++calls;
      for (Cycle now = from; now < until;) {
        while (!due.empty() && due.front().first <= now && out[due.front().second.first]->can_send(now)) {
          out[due.front().second.first]->send(now, due.front().second.second);
          due.pop_front();
        }
        for (std::uint32_t k = 0; k < in.size(); ++k) {
          const auto i = static_cast<std::uint32_t>((turn + k) % in.size());
          if (!in[i]->ready(now)) continue;
          due.push_back({now + 30, {i, in[i]->front()}});
          in[i]->pop(now);
          turn = i + 1;
          ++messages;
          break;
        }
        now = std::max(now + 1, next());
      }
      return std::max(next(), until);
    }
    Cycle next() const {
      Cycle next = due.empty() ? kNever : due.front().first;
      for (const Wire* w : in) next = std::min(next, w->next_arrival());
      return next;
    }
    UnitId id = kNoUnit;
    std::uint32_t turn = 0;
    std::vector<Wire*> in, out;
    std::deque<std::pair<Cycle, std::pair<std::uint32_t, std::uint64_t>>> due;
  };

  Engine engine;
  std::vector<std::unique_ptr<Sm>> sms;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Slice>> slices;

 private:
  UnitId add(Unit& unit) { return engine.add(unit); }
  // With room for a message in every cycle.
  Wire& wire(Cycle latency, UnitId from, UnitId to) {
    Wire& w =
        *wires_.emplace_back(std::make_unique<Wire>(latency, static_cast<std::uint32_t>(2 * latency + 1)));
    engine.connect(w, from, to);
    return w;
  }
  std::vector<std::unique_ptr<Wire>> wires_;
};

}  // namespace heddle::sim
