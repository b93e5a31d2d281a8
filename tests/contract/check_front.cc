#include "tests/contract/check_front.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "sm/load_store_unit.h"

namespace heddle::contract {
namespace {

using sim::Cycle;
using workload::WarpAccess;
using Outcome = mem::L1Port::Outcome;

constexpr std::uint32_t kWarps = 12;
constexpr std::uint32_t kSteps = 60;  // of each warp
constexpr Cycle kLimit = 400'000;

// What a warp does: an access, or a point that it passes when all before it has reached the L1.
struct Step {
  enum class Kind : std::uint8_t { Load, VolatileLoad, Store, Atomic, Barrier } kind = Kind::Load;
  std::array<std::uint64_t, 32> address{};
  std::uint32_t mask = ~0u;
};

// An L1 that takes, refuses and answers at random, but always the same for a request and a cycle: so that two
// runs that offer the same see the same.
class RandomL1 final : public mem::L1Port {
 public:
  struct Taken {
    Cycle at = 0;
    mem::Request request;
    friend bool operator==(const Taken& a, const Taken& b) {
      return a.at == b.at && a.request.line == b.request.line && a.request.op == b.request.op &&
             a.request.sectors == b.request.sectors && a.request.no_l1 == b.request.no_l1;
    }
  };
  explicit RandomL1(std::uint64_t seed) : seed_(seed) {}

  Answer access(Cycle now, const mem::Request& r) override {
    // For some time it refuses everything until an answer comes; else now and then for a cycle.
    if (pending_ >= 6) {
      retry_ = sim::kNever;
      return {};
    }
    const std::uint64_t h = hash(r.line * 31 + now);
    if (h % 5 == 0) {
      retry_ = now + 1 + h / 5 % 4;
      refused_until_ = std::max(refused_until_, retry_);
    }
    if (refused_until_ > now) {
      retry_ = refused_until_;
      return {};
    }
    taken.push_back({now, r});
    if (r.op == mem::Op::Read && h / 7 % 2 == 0) return {Outcome::Hit, now + 3};
    ++pending_;
    due.emplace(now + 1 + h / 13 % 90, taken.size() - 1);
    return {Outcome::Pending, 0, h / 3 % 2 == 0};
  }
  void forget_clean(Cycle) override {}
  Cycle retry_at(Cycle now) const override {
    return retry_ == sim::kNever ? retry_ : std::max(retry_, now + 1);
  }
  void answered() { --pending_; }

  std::vector<Taken> taken;
  std::multimap<Cycle, std::size_t> due;

 private:
  std::uint64_t hash(std::uint64_t x) const {
    x = (x ^ seed_) * 0x9e37'79b9'7f4a'7c15u;
    x = (x ^ x >> 29) * 0xbf58'476d'1ce4'e5b9u;
    return x ^ x >> 32;
  }
  std::uint64_t seed_;
  std::uint32_t pending_ = 0;
  Cycle retry_ = 0, refused_until_ = 0;
};

struct Access {  // that a warp has issued
  unsigned warp = 0;
  std::uint32_t step = 0;
  Cycle issued = 0, completed = 0;
  std::vector<std::uint64_t> lines;
  std::uint32_t answers = 0;  // of stores
};

class Run final : private sm::LsuClient {
 public:
  Run(const sm::LoadFrontFactory& make, std::uint64_t seed, bool every_cycle, Notes& notes)
      : every_cycle_(every_cycle), notes_(notes), l1_(seed) {
    spec_.warps = kWarps;
    spec_.lsu_queue = 3;
    spec_.in_flight = 64;
    spec_.make_front = make;
    unit_ = std::make_unique<sm::LoadStoreUnit>(spec_, 0, static_cast<sm::LsuClient&>(*this), stats_);
    unit_->connect(l1_,
                   {128, 8, [](std::uint64_t line) { return static_cast<std::uint32_t>(line / 128 % 8); }});
    make_steps(seed);
  }

  void run() {
    Cycle now = 0;
    for (; now < kLimit && !done(); now = following(now)) {
      answer(now);
      unit_->step(now);
      issue(now);
    }
    notes_.expect(done(), "after {} cycles {} accesses are not over", now, open_);
  }

  void check() const {
    check_once();
    for (const Access& a : accesses_) check_order(a);
    check_counts();
  }
  const std::vector<RandomL1::Taken>& taken() const { return l1_.taken; }
  std::uint64_t merged() const { return unit_->front() == nullptr ? 0 : unit_->front()->statistics().merged; }
  std::uint64_t loads() const {
    return static_cast<std::uint64_t>(std::count_if(
        accesses_.begin(), accesses_.end(), [this](const Access& a) { return is_load(step(a).kind); }));
  }

 private:
  static bool is_load(Step::Kind k) { return k == Step::Kind::Load || k == Step::Kind::VolatileLoad; }
  const Step& step(const Access& a) const { return steps_[a.warp][a.step]; }

  void make_steps(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    for (unsigned w = 0; w < kWarps; ++w) {
      for (std::uint32_t s = 0; s < kSteps; ++s) {
        Step step;
        const std::uint64_t k = below(16);
        step.kind = k < 9    ? Step::Kind::Load
                    : k < 11 ? Step::Kind::VolatileLoad
                    : k < 14 ? Step::Kind::Store
                    : k < 15 ? Step::Kind::Atomic
                             : Step::Kind::Barrier;
        // Few lines, so that warps meet; some accesses scatter, some are one word for all.
        const std::uint64_t shape = below(4), start = 0x1'0000 + 128 * below(24);
        for (std::uint64_t l = 0; l < 32; ++l)
          step.address[l] = shape == 0   ? start + 4 * l
                            : shape == 1 ? start
                            : shape == 2 ? start + 128 * (l % 3) + 4 * (31 - l)
                                         : start + 128 * below(8) + 4 * below(32);
        step.mask = below(3) == 0 ? static_cast<std::uint32_t>(random()) | 1 : ~0u;
        steps_[w].push_back(step);
      }
    }
  }

  bool done() const {
    return open_ == 0 && std::all_of(next_.begin(), next_.end(), [](std::uint32_t n) { return n == kSteps; });
  }

  Cycle following(Cycle now) const {
    if (every_cycle_) return now + 1;
    // Somebody may issue as soon as the unit has moved; and the unit says when it will.
    Cycle at = issued_ ? now + 1 : std::max(now + 1, unit_->next(now));
    if (!l1_.due.empty()) at = std::min(at, std::max(now + 1, l1_.due.begin()->first));
    for (unsigned w = 0; w < kWarps; ++w)
      if (next_[w] < kSteps && may_issue(w)) at = now + 1;
    return std::min(at, kLimit);
  }

  void answer(Cycle now) {
    bool any = false;
    while (!l1_.due.empty() && l1_.due.begin()->first <= now && unit_->takes_replies()) {
      const RandomL1::Taken& taken = l1_.taken[l1_.due.begin()->second];
      l1_.due.erase(l1_.due.begin());
      l1_.answered();
      mem::Request r = taken.request;
      r.reply = true;
      unit_->reply(now, r);
      any = true;
    }
    if (any) unit_->unblock();
  }

  bool may_issue(unsigned w) const {
    const Step& s = steps_[w][next_[w]];
    if (!unit_->can_accept()) return false;
    if (unit_->front() == nullptr) return true;
    const sm::LoadFront::Holds& h = unit_->front()->holds();
    const sm::WarpMask held = s.kind == Step::Kind::Barrier ? h.drain : is_load(s.kind) ? h.loads : h.stores;
    return (held & sm::bit(w)) == 0;
  }

  // One warp per cycle, in turn, as a scheduler would.
  void issue(Cycle now) {
    issued_ = false;
    for (unsigned n = 0; n < kWarps && !issued_; ++n) {
      const unsigned w = (static_cast<unsigned>(now) + n) % kWarps;
      if (next_[w] == kSteps || !may_issue(w)) continue;
      issued_ = true;
      const std::uint32_t s = next_[w]++;
      if (steps_[w][s].kind == Step::Kind::Barrier) {
        check_drained(w, now);
        continue;
      }
      issue_access(now, w, s);
    }
  }

  void issue_access(Cycle now, unsigned w, std::uint32_t s) {
    const Step& step = steps_[w][s];
    WarpAccess access;
    access.kind = is_load(step.kind)               ? WarpAccess::Kind::Load
                  : step.kind == Step::Kind::Store ? WarpAccess::Kind::Store
                                                   : WarpAccess::Kind::Atomic;
    access.cache = step.kind == Step::Kind::VolatileLoad ? WarpAccess::Cache::L2Only : WarpAccess::Cache::All;
    access.bytes = 4;
    access.mask = step.mask;
    access.address = step.address.data();
    Access a{w, s, now, 0, {}, 0};
    for (std::uint32_t l = 0; l < 32; ++l)
      if ((step.mask >> l & 1) != 0) a.lines.push_back(step.address[l] / 128 * 128);
    std::sort(a.lines.begin(), a.lines.end());
    a.lines.erase(std::unique(a.lines.begin(), a.lines.end()), a.lines.end());
    ++open_;
    std::uint32_t acknowledgements = 0;
    const std::uint32_t launch = s;  // tells a warp's stores apart
    const std::uint32_t record = unit_->issue(now, w, launch, {}, {&access, 1}, acknowledgements);
    notes_.expect(record != sm::LoadStoreUnit::kNone || acknowledgements == a.lines.size(),
                  "a store of {} lines will have {} acknowledgements", a.lines.size(), acknowledgements);
    if (record != sm::LoadStoreUnit::kNone) by_record_[record] = accesses_.size();
    by_step_[{w, s}] = accesses_.size();
    accesses_.push_back(std::move(a));
  }

  void completed(const sm::InFlight& record, std::uint32_t index, Cycle at) override {
    const auto found = by_record_.find(index);
    notes_.expect(found != by_record_.end(), "an access completed that nobody had issued, or once more");
    if (found == by_record_.end()) return;
    Access& a = accesses_[found->second];
    notes_.expect(a.warp == record.warp, "an answer for warp {} went to warp {}", a.warp, record.warp);
    a.completed = std::max<Cycle>(at, 1);
    by_record_.erase(found);
    --open_;
  }

  void acknowledged(unsigned warp, std::uint32_t launch, Cycle now) override {
    const auto found = by_step_.find({warp, launch});
    notes_.expect(found != by_step_.end(), "an acknowledgement for warp {} without a store", warp);
    if (found == by_step_.end()) return;
    Access& a = accesses_[found->second];
    notes_.expect(++a.answers <= a.lines.size(), "a store of warp {} has too many acknowledgements", warp);
    if (a.answers != a.lines.size()) return;
    a.completed = std::max<Cycle>(now, 1);
    --open_;
  }

  // Whether a request that could stand for the access's line was taken after `from`, up to `until`.
  bool taken_between(const Access& a, std::uint64_t line, Cycle from, Cycle until) const {
    const Step::Kind kind = step(a).kind;
    return std::any_of(l1_.taken.begin(), l1_.taken.end(), [&](const RandomL1::Taken& t) {
      if (t.at <= from || t.at > until || t.request.line != line) return false;
      switch (kind) {
        case Step::Kind::Load:
          return t.request.op == mem::Op::Read && !t.request.no_l1;
        case Step::Kind::VolatileLoad:
          return t.request.op == mem::Op::Read && t.request.no_l1;
        case Step::Kind::Store:
          return t.request.op == mem::Op::Write && sm::Waiter::is_store(t.request.token) &&
                 sm::Waiter::warp(t.request.token) == a.warp && sm::Waiter::launch(t.request.token) == a.step;
        default:
          return t.request.op == mem::Op::Atomic;
      }
    });
  }

  void check_drained(unsigned w, Cycle now) const {
    for (const Access& a : accesses_) {
      if (a.warp != w || (a.completed != 0 && a.completed <= now)) continue;
      if (unit_->front() == nullptr) return;  // in order: what comes later in the SM comes later to the L1
      for (const std::uint64_t line : a.lines)
        notes_.expect(taken_between(a, line, a.issued, now),
                      "warp {} passed a barrier at {} before its access of cycle {} reached the L1", w, now,
                      a.issued);
    }
  }

  // Stores and atomics: every line once. Loads: at least one request, not more than one per load.
  void check_once() const {
    std::map<std::pair<unsigned, std::uint32_t>, std::size_t> stores;
    std::size_t reads = 0, load_lines = 0, atomics = 0, atomic_lines = 0;
    for (const RandomL1::Taken& t : l1_.taken) {
      if (t.request.op == mem::Op::Write)
        ++stores[{sm::Waiter::warp(t.request.token), sm::Waiter::launch(t.request.token)}];
      reads += t.request.op == mem::Op::Read;
      atomics += t.request.op == mem::Op::Atomic;
    }
    for (const Access& a : accesses_) {
      if (step(a).kind == Step::Kind::Store)
        notes_.expect(stores[{a.warp, a.step}] == a.lines.size(),
                      "a store of {} lines came to the L1 as {} requests", a.lines.size(),
                      stores[{a.warp, a.step}]);
      if (is_load(step(a).kind)) load_lines += a.lines.size();
      if (step(a).kind == Step::Kind::Atomic) atomic_lines += a.lines.size();
    }
    notes_.expect(reads <= load_lines, "{} reads for {} lines of loads", reads, load_lines);
    notes_.expect(atomics == atomic_lines, "{} requests for {} lines of atomics", atomics, atomic_lines);
  }

  // What the warp issued before a store has reached the L1 before it; what it issued after one, later.
  void check_order(const Access& a) const {
    Cycle after = a.issued, until = a.completed;
    if (a.completed == 0) return;  // told already
    for (const Access& other : accesses_) {
      if (other.warp != a.warp || &other == &a || is_load(step(other).kind)) continue;
      for (const RandomL1::Taken& t : l1_.taken) {
        const bool its = t.request.op == mem::Op::Write && sm::Waiter::is_store(t.request.token) &&
                         sm::Waiter::warp(t.request.token) == other.warp &&
                         sm::Waiter::launch(t.request.token) == other.step;
        if (!its) continue;
        if (other.step < a.step)
          after = std::max(after, t.at);
        else
          until = std::min(until, t.at);
      }
    }
    // Two requests may be taken in one cycle only where nothing orders them.
    for (const std::uint64_t line : a.lines)
      notes_.expect(
          taken_between(a, line, after == a.issued ? after : after - 1, until),
          "an access of warp {} at cycle {} to line {:#x} reached the L1 at none of cycles {} to {}, "
          "as its order among the warp's stores asks",
          a.warp, a.issued, line, after, until);
  }

  void check_counts() const {
    std::size_t lines = 0;
    for (const Access& a : accesses_)
      if (is_load(step(a).kind)) lines += a.lines.size();
    if (unit_->front() == nullptr) return;
    const sm::FrontStats& s = unit_->front()->statistics();
    notes_.expect(s.offered == lines, "{} line requests offered, {} counted", lines, s.offered);
    notes_.expect(s.offered == s.sent + s.merged, "{} offered, {} sent and {} merged", s.offered, s.sent,
                  s.merged);
    notes_.expect(unit_->idle(), "nothing is under way, but the unit says: {}", unit_->waits());
  }

  bool every_cycle_;
  Notes& notes_;
  RandomL1 l1_;
  sm::SmSpec spec_;
  sm::SmStats stats_;
  std::unique_ptr<sm::LoadStoreUnit> unit_;
  std::array<std::vector<Step>, kWarps> steps_;
  std::array<std::uint32_t, kWarps> next_{};
  std::vector<Access> accesses_;
  std::map<std::uint32_t, std::size_t> by_record_;
  std::map<std::pair<unsigned, std::uint32_t>, std::size_t> by_step_;
  std::size_t open_ = 0;
  bool issued_ = false;
};

}  // namespace

FrontReport check_front(const sm::LoadFrontFactory& make, std::uint64_t seeds) {
  Notes notes;
  FrontReport report;
  for (std::uint64_t seed = 1; seed <= seeds && !notes.full(); ++seed) {
    Run exact(make, seed, true, notes), skipping(make, seed, false, notes);
    exact.run();
    exact.check();
    skipping.run();
    const auto [one, other] = std::mismatch(exact.taken().begin(), exact.taken().end(),
                                            skipping.taken().begin(), skipping.taken().end());
    const auto when = [](const auto& at, const auto& all) { return at == all.end() ? sim::kNever : at->at; };
    notes.expect(
        one == exact.taken().end() && other == skipping.taken().end(),
        "looked at in every cycle it sends a request at {}, looked at when it asks to be, another at {} "
        "(seed {})",
        when(one, exact.taken()), when(other, skipping.taken()), seed);
    report.merged += exact.merged();
    report.requests += exact.taken().size();
    report.loads += exact.loads();
  }
  report.findings = notes.found;
  return report;
}

}  // namespace heddle::contract
