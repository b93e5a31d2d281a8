// A first level without limits that never merges, sound or with one fault. For tests of the checks.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "tests/contract/check_l1.h"
#include "tests/contract/versions.h"

namespace heddle::contract {

enum class L1Fault {
  None,
  IgnoresStores,        // a store leaves what is held, and does not update it
  KeepsOverwritten,     // data that were under way when the SM wrote are stored when they come
  ServesVolatileLoads,  // loads that should pass by are hits
  SurvivesKernels,      // nothing happens at a kernel's end
  SurvivesFences,       // nor at a fence
  KeepsOlderThanFence,  // what is under way at a fence is stored when it comes
  AnswersTwice
};

// Stores drop what is held: StorePolicy{Keeps::Nothing, Keeps::Nothing, false}.
class SimpleL1 final : public L1UnderCheck {
 public:
  SimpleL1(L1Fault fault, mem::L1Client& client, sim::Channel<mem::Request>& out)
      : fault_(fault), client_(client), out_(out) {}

  mem::L1Port::Answer access(sim::Cycle now, const mem::Request& r) override {
    const bool looks_up = !r.no_l1 || fault_ == L1Fault::ServesVolatileLoads;
    if (r.op == mem::Op::Read && looks_up && holds(r)) return {mem::L1Port::Outcome::Hit, now + 10};
    if (r.op != mem::Op::Read) wrote(r);
    queue_.push_back(r);
    under_way_[r.token] = {r, {}};
    return {mem::L1Port::Outcome::Pending, 0};
  }
  void send(sim::Cycle now) override {
    if (queue_.empty() || !out_.can_send(now)) return;
    out_.send(now, queue_.front());
    queue_.pop_front();
  }
  void reply(sim::Cycle now, const mem::Request& r) override {
    const Fetch f = under_way_.at(r.token);
    under_way_.erase(r.token);
    if (r.op == mem::Op::Read && !r.no_l1)
      for_each_sector(r, [&](Sector s) {
        if (!f.overwritten.contains(s)) held_.insert(s);
      });
    client_.reply(now, r);
    if (fault_ == L1Fault::AnswersTwice && ++replies_ == 5) client_.reply(now, r);
  }
  void kernel_end() override {
    if (fault_ != L1Fault::SurvivesKernels) held_.clear();
  }
  void forget_clean(sim::Cycle) override {
    if (fault_ == L1Fault::SurvivesFences) return;
    held_.clear();
    if (fault_ == L1Fault::KeepsOlderThanFence) return;
    for (auto& [token, fetch] : under_way_)
      for_each_sector(fetch.request, [&](Sector s) { fetch.overwritten.insert(s); });
  }
  bool idle() const override { return under_way_.empty(); }
  std::uint64_t stale_merges() const override { return 0; }

 private:
  struct Fetch {
    mem::Request request;
    std::set<Sector> overwritten;
  };
  bool holds(const mem::Request& r) const {
    bool all = true;
    for_each_sector(r, [&](Sector s) { all &= held_.contains(s); });
    return all;
  }
  void wrote(const mem::Request& r) {
    for_each_sector(r, [&](Sector s) {
      if (fault_ != L1Fault::IgnoresStores) held_.erase(s);
      if (fault_ == L1Fault::KeepsOverwritten) return;
      for (auto& [token, fetch] : under_way_) fetch.overwritten.insert(s);
    });
  }

  L1Fault fault_;
  mem::L1Client& client_;
  sim::Channel<mem::Request>& out_;
  std::deque<mem::Request> queue_;
  std::map<std::uint32_t, Fetch> under_way_;
  std::set<Sector> held_;
  int replies_ = 0;
};

}  // namespace heddle::contract
