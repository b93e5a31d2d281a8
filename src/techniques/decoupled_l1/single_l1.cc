#include "techniques/decoupled_l1/single_l1.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/ring_queue.h"
#include "mem/probe_index.h"

namespace heddle::decoupled_l1 {
namespace {

using hierarchy::Core;
using hierarchy::L1Layout;
using hierarchy::L1Level;
using hierarchy::L1Organization;
using hierarchy::L1Setting;
using sim::Cycle;
using Requests = L1Level::Requests;

// What `n` L1s have together.
cache::L1Spec together(cache::L1Spec l1, std::uint32_t n) {
  constexpr std::uint32_t kMost = 1u << 16, kMostMerges = 1u << 14;
  l1.tags.sets *= n;
  l1.mshr_entries = std::min(kMost, l1.mshr_entries * n);
  l1.mshr_merges = std::min(kMostMerges, l1.mshr_merges * n);
  l1.miss_queue = std::min(kMost, l1.miss_queue * n);
  l1.passing = std::min(kMost, l1.passing * n);
  l1.misses_per_cycle *= n;
  l1.replies_per_cycle *= n;
  l1.ports = n;
  return l1;
}

// An SM of the unit below, which runs it cycle by cycle and has handed over answers before.
class TiedCore final : public Core {
 public:
  using Core::Core;
  using Core::decided_until;
};

// All SMs and their L1. In a cycle: answers from all lanes, then the SMs, the first of them another one in
// every cycle, then the cache's requests into their lanes, one out of each.
class SingleL1Unit final : public sim::Unit, private mem::L1Client {
 public:
  SingleL1Unit(const L1Setting& setting, const L1Organization::Surroundings& around) : map_(setting.map) {
    for (std::uint32_t s = 0; s < setting.sms(); ++s)
      lanes_.push_back(
          {around.to_port[s], around.from_port[s], RingQueue<mem::Request>(setting.l1.miss_queue)});
  }
  void add(TiedCore& core) { cores_.push_back(&core); }
  // A new, empty cache of so many private ones; all SMs are there.
  void configure(const cache::L1Spec& of_one);
  void measure(Cycle window) {
    misses_ = std::make_unique<mem::PotentialMeter>(window);
    l1_->measure(misses_.get());
  }
  void watch(mem::ReplicaLog& log) {
    replicas_ = &log;
    l1_->watch(replicas_);
  }

  Cycle run(Cycle from, Cycle until) override;
  std::uint32_t weight() const override { return 4 * static_cast<std::uint32_t>(cores_.size()); }
  std::string name() const override { return "the SMs and their L1"; }
  std::string waits() const override;

  cache::L1Cache& l1() { return *l1_; }
  bool idle() const {
    return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.queue.empty(); });
  }

 private:
  struct Lane {
    Requests *out, *in;
    RingQueue<mem::Request> queue;
  };
  void reply(Cycle at, const mem::Request& request) override {
    cores_[request.sm]->sm().client().reply(at, request);
    answered_ = std::max(answered_, at);
  }
  bool takes_replies() const override {
    return std::all_of(cores_.begin(), cores_.end(), [](TiedCore* c) { return c->sm().takes_replies(); });
  }
  // The upper half of the hash is the good one.
  std::size_t lane_of(std::uint64_t line) const {
    return ((mem::MixHash{}(line) >> 32) * lanes_.size()) >> 32;
  }
  void step(TiedCore& core, Cycle now) { next_step_ = std::min(next_step_, core.run(now, now + 1)); }
  bool take_answers(Cycle now);
  void send(Cycle now);
  Cycle following(Cycle now) const;
  Cycle decided_until() const {
    Cycle first = sim::kNever;
    for (const TiedCore* c : cores_) first = std::min(first, c->decided_until());
    return first;
  }

  const mem::AddressMap& map_;
  std::vector<TiedCore*> cores_;
  std::vector<Lane> lanes_;
  std::optional<cache::L1Cache> l1_;
  std::unique_ptr<mem::PotentialMeter> misses_;
  mem::ReplicaLog* replicas_ = nullptr;
  Cycle next_step_ = sim::kNever;  // when the first of the SMs has something to do
  Cycle answered_ = 0;             // from when on the last answer counts
};

void SingleL1Unit::configure(const cache::L1Spec& of_one) {
  const cache::L1Spec spec = together(of_one, static_cast<std::uint32_t>(cores_.size()));
  mem::L1Client& client = *this;
  l1_.emplace(spec, std::uint16_t{0}, map_, client, *lanes_.front().out);  // send() is not used
  for (TiedCore* c : cores_)
    c->sm().connect(*l1_, {static_cast<std::uint32_t>(spec.tags.line.count()), spec.tags.sets,
                           [this](std::uint64_t line) { return l1_->tags().set_of(line); }});
  if (misses_ != nullptr) l1_->measure(misses_.get());
  if (replicas_ == nullptr) return;
  replicas_->add(mem::ReplicaLog::What::AllGone);
  l1_->watch(replicas_);
}

Cycle SingleL1Unit::run(Cycle from, Cycle until) {
  Cycle now = from;
  while (now < until) {
    if (const Cycle decided = decided_until(); now >= decided) return decided;
    for (TiedCore* c : cores_) c->sm().begin(now);
    if (take_answers(now))
      for (TiedCore* c : cores_) c->sm().unblock();
    const std::size_t first = now % cores_.size();
    next_step_ = sim::kNever;
    for (std::size_t k = first; k < cores_.size(); ++k) step(*cores_[k], now);
    for (std::size_t k = 0; k < first; ++k) step(*cores_[k], now);
    l1_->settle(now);
    send(now);
    now = following(now);
  }
  return std::min(now, decided_until());
}

bool SingleL1Unit::take_answers(Cycle now) {
  bool any = false;
  for (Lane& lane : lanes_)
    while (lane.in->ready(now) && takes_replies()) {
      l1_->reply(now, lane.in->front());
      lane.in->pop(now);
      any = true;
    }
  return any;
}

void SingleL1Unit::send(Cycle now) {
  while (const mem::Request* r = l1_->waiting()) {
    const std::size_t number = lane_of(r->line);
    Lane& lane = lanes_[number];
    if (lane.queue.full()) break;
    mem::Request& q = lane.queue.push();
    q = *r;
    q.sm = static_cast<std::uint16_t>(number);
    l1_->sent();
  }
  for (Lane& lane : lanes_)
    if (!lane.queue.empty() && lane.out->can_send(now)) {
      lane.out->send(now, lane.queue.front());
      lane.queue.pop();
    }
}

Cycle SingleL1Unit::following(Cycle now) const {
  // What waited for its lane goes on in the cycle after that one has sent.
  if (const mem::Request* r = l1_->waiting(); r != nullptr && !lanes_[lane_of(r->line)].queue.full())
    return now + 1;
  Cycle next = l1_->next_settle(now);
  next = std::min(next, answered_ > now ? now + 1 : next_step_);
  for (const Lane& lane : lanes_) {
    next = std::min(next, lane.in->next_arrival());
    if (!lane.queue.empty()) next = std::min(next, lane.out->room_at());
  }
  return std::max(now + 1, next);
}

std::string SingleL1Unit::waits() const {
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : "\n    ") + text;
  };
  for (const TiedCore* c : cores_)
    if (const std::string text = c->waits(); !text.empty()) add(c->name() + ": " + text);
  add(l1_->waits());
  std::size_t queued = 0;
  for (const Lane& lane : lanes_) queued += lane.queue.size();
  if (queued != 0) add(fmt::format("{} requests in lanes to clusters", queued));
  return out;
}

class SingleLevel final : public L1Level {
 public:
  SingleLevel(const L1Setting& setting, const L1Organization::Surroundings& around, sim::Engine& engine)
      : unit_(setting, around) {
    core_units_.assign(setting.sms(), engine.add(unit_));
    for (std::uint32_t s = 0; s < setting.sms(); ++s) {
      auto core = std::make_unique<TiedCore>(around.sm, s, setting.sms(), setting.core);
      core->sm().observe(around.observer);
      unit_.add(*core);
      cores_.push_back(std::move(core));
    }
    unit_.configure(setting.l1);
  }
  sim::UnitId lane_unit(std::uint32_t) const override { return core_units_.front(); }
  cache::L1Cache& l1(std::uint32_t) override { return unit_.l1(); }
  void configure(const cache::L1Spec& l1) override {
    if (unit_.l1().spec().tags.ways != l1.tags.ways) unit_.configure(l1);
  }
  void watch(std::uint32_t, mem::ReplicaLog& log) override { unit_.watch(log); }
  void measure(Cycle window) override {
    for (const auto& core : cores_) core->measure(window);
    unit_.measure(window);
  }
  bool idle() const override { return unit_.idle(); }

 private:
  SingleL1Unit unit_;
};

class SingleL1 final : public L1Organization {
 public:
  std::optional<Obstacle> obstacle(const L1Setting& setting) const override {
    using cache::IndexHash;
    const IndexHash index = setting.l1.tags.index;
    const std::uint32_t sets = l1(setting).tags.sets;
    if ((index == IndexHash::Fermi && sets != 32 && sets != 64) ||
        (index == IndexHash::Polynomial && !std::has_single_bit(sets)))
      return Obstacle{"l1.index",
                      fmt::format("the L1's index cannot make {} sets, which those of all SMs are", sets),
                      "choose l1.index = \"linear\""};
    return {};
  }
  // One cache; its lanes are those of private L1s.
  L1Layout layout(const L1Setting& setting) const override {
    L1Layout l;
    l.l1s = 1;
    l.ports.resize(setting.clusters());
    for (std::uint32_t c = 0; c < setting.clusters(); ++c)
      for (std::uint32_t s = setting.first_sm[c]; s < setting.first_sm[c + 1]; ++s) l.ports[c].push_back(s);
    return l;
  }
  cache::L1Spec l1(const L1Setting& setting) const override { return together(setting.l1, setting.sms()); }
  std::string place(const L1Setting& setting) const override {
    return fmt::format("one of all {} SMs, with a port each; no network between:", setting.sms());
  }
  std::unique_ptr<L1Level> build(const L1Setting& setting, const Surroundings& around,
                                 sim::Engine& engine) const override {
    return std::make_unique<SingleLevel>(setting, around, engine);
  }
};

std::shared_ptr<const L1Organization> read_single(config::Reader&) {
  return std::make_shared<SingleL1>();
}

}  // namespace

const hierarchy::OrganizationKind kSingle{
    "single", "one that all SMs use, with the size and bandwidth of all, and no network between: a limit",
    read_single};

}  // namespace heddle::decoupled_l1
