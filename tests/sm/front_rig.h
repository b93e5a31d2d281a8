// A load front with its load/store unit and an L1 that does what the test says, cycle by cycle.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "sm/load_store_unit.h"

namespace heddle::sm {

class FrontRig : private LsuClient {
 public:
  struct Sent {
    sim::Cycle at = 0;
    mem::Request request;
  };
  struct Completed {
    sim::Cycle at = 0;
    unsigned warp = 0;
  };

  explicit FrontRig(const LoadFrontFactory& make, std::uint32_t warps = 48, std::uint32_t sets = 64)
      : l1(*this) {
    spec_.warps = warps;
    spec_.make_front = make;
    unit_ = std::make_unique<LoadStoreUnit>(spec_, 0, static_cast<LsuClient&>(*this), stats);
    unit_->connect(l1, {128, sets, [sets](std::uint64_t line) {
                          return static_cast<std::uint32_t>(line / 128 % sets);
                        }});
  }

  // By default every request hits, `hit_latency` cycles later.
  std::function<mem::L1Port::Answer(sim::Cycle, const mem::Request&)> behave = [this](sim::Cycle now,
                                                                                      const mem::Request&) {
    return mem::L1Port::Answer{mem::L1Port::Outcome::Hit, now + hit_latency};
  };
  sim::Cycle hit_latency = 1;
  std::vector<Sent> sent;
  std::vector<Completed> completed_loads;
  std::uint32_t acknowledgements = 0;
  SmStats stats;

  LoadFront& front() { return *unit_->front(); }
  LoadStoreUnit& unit() { return *unit_; }
  sim::Cycle now() const { return now_; }

  // Lanes of `warp` access `address(lane)`; in the present cycle, after its step.
  void access(unsigned warp, workload::WarpAccess::Kind kind,
              const std::function<std::uint64_t(unsigned)>& address, std::uint32_t mask = ~0u) {
    for (unsigned l = 0; l < 32; ++l) lanes_[l] = address(l);
    workload::WarpAccess a;
    a.kind = kind;
    a.bytes = 4;
    a.mask = mask;
    a.address = lanes_.data();
    std::uint32_t acks = 0;
    unit_->issue(now_, warp, 0, {}, {&a, 1}, acks);
  }
  void load(unsigned warp, std::uint64_t line) {
    access(warp, workload::WarpAccess::Kind::Load, [&](unsigned l) { return line + 4 * l; });
  }
  // One lane per line: `lines` lines from `first` on.
  void scattered_load(unsigned warp, std::uint64_t first, unsigned lines) {
    access(
        warp, workload::WarpAccess::Kind::Load, [&](unsigned l) { return first + 128 * l; },
        lines == 32 ? ~0u : (1u << lines) - 1);
  }
  void store(unsigned warp, std::uint64_t line) {
    access(warp, workload::WarpAccess::Kind::Store, [&](unsigned l) { return line + 4 * l; });
  }
  void reply(const mem::Request& r) {
    mem::Request answer = r;
    answer.reply = true;
    unit_->reply(now_, answer);
    unit_->unblock();
  }
  // The next cycle: first what `before` does, then a step.
  void step(const std::function<void()>& before = {}) {
    ++now_;
    if (before) before();
    unit_->step(now_);
  }
  void run(sim::Cycle cycles) {
    for (sim::Cycle c = 0; c < cycles; ++c) step();
  }
  void run_until_idle(sim::Cycle limit = 10'000) {
    while (!unit_->idle() && now_ < limit) step();
  }

 private:
  struct L1 final : mem::L1Port {
    explicit L1(FrontRig& r) : rig(r) {}
    Answer access(sim::Cycle now, const mem::Request& r) override {
      const Answer a = rig.behave(now, r);
      if (a.outcome != Outcome::Blocked) rig.sent.push_back({now, r});
      return a;
    }
    sim::Cycle retry_at(sim::Cycle now) const override { return now + 1; }
    void forget_clean(sim::Cycle) override {}
    FrontRig& rig;
  } l1;

  void completed(const InFlight& record, std::uint32_t, sim::Cycle at) override {
    completed_loads.push_back({at, record.warp});
  }
  void acknowledged(unsigned, std::uint32_t, sim::Cycle) override { ++acknowledgements; }

  SmSpec spec_;
  std::unique_ptr<LoadStoreUnit> unit_;
  sim::Cycle now_ = 0;
  std::array<std::uint64_t, 32> lanes_{};
};

}  // namespace heddle::sm
