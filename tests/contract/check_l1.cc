#include "tests/contract/check_l1.h"

#include <algorithm>

#include "tests/contract/versions.h"

namespace heddle::contract {
namespace {

using mem::Op;
using mem::Request;
using mem::Space;
using Outcome = mem::L1Port::Outcome;

constexpr std::uint32_t kLinesRead = 6;
constexpr std::uint64_t kLocal = 0x100000;  // spaces do not share lines

// An L1, the SM above and memory below.
class SmStream final : public mem::L1Client {
 public:
  SmStream(const L1Factory& make, const StorePolicy& policy, std::uint64_t seed)
      : policy_(policy), dice_(seed), out_(1, 64), l1_(make(*this, out_)) {
    forget();
  }
  void run(std::uint32_t requests, std::uint32_t most_under_way, std::uint32_t kernel_every);
  void reply(sim::Cycle now, const Request& request) override;

  Notes notes;
  std::uint64_t hits = 0;

 private:
  struct Asked {
    Request request;
    sim::Cycle at = 0;
    std::map<Sector, Version> written;  // by this SM, when it was accepted
    bool pending = true;
  };
  struct Sent {
    Request request;
    sim::Cycle at = 0;
    std::map<Sector, Version> brings;
  };
  struct Held {
    Version newest = 0;        // that the L1 could have
    sim::Cycle came = 0;       // the last time
    sim::Cycle asked_for = 0;  // the youngest read that brought it was sent then
  };

  Request random_request();
  void offer();
  void stored(const Request& r);
  void take_sent();
  void answer_one();
  void fence();
  void kernel_end();
  void forget();
  bool passes_by(const Request& r) const {
    return r.no_l1 && !(r.space == Space::Local && policy_.local_always);
  }
  static std::string what(const Request& r, Sector s) {
    return fmt::format("a{} read of line {:#x}, sector {}", passing_name(r), s.first, s.second);
  }
  static const char* passing_name(const Request& r) { return r.no_l1 ? " volatile" : ""; }

  StorePolicy policy_;
  Dice dice_;
  sim::Channel<Request> out_;
  std::unique_ptr<L1UnderCheck> l1_;
  Versions versions_;
  std::map<Sector, Version> below_;  // what left the L1 has written
  std::map<Sector, Held> held_;
  std::vector<Asked> asked_;
  std::vector<Sent> under_way_;
  std::optional<Request> blocked_;
  std::uint64_t older_ = 0;  // reads that were answered by a fetch older than a store
  sim::Cycle now_ = 100;
};

void for_each_sector_of(std::uint64_t space, auto&& f) {
  for (std::uint32_t l = 0; l < kLinesRead; ++l)
    for (std::uint32_t s = 0; s < 4; ++s) f(Sector{space + 128 * l, s});
}

// Nothing is held, and memory has all that was written.
void SmStream::forget() {
  held_.clear();
  for (const std::uint64_t space : {std::uint64_t{0}, kLocal})
    for_each_sector_of(space, [&](Sector s) { below_[s] = versions_.of(s); });
}

// Others have written all of global memory.
void SmStream::fence() {
  l1_->forget_clean(now_);
  for_each_sector_of(0, [&](Sector s) {
    versions_.wrote(s);
    below_[s] = versions_.of(s);
  });
}

Request SmStream::random_request() {
  Request r;
  r.space = dice_.below(4) == 0 ? Space::Local : Space::Global;
  r.line = (r.space == Space::Local ? kLocal : 0) + 128 * dice_.below(kLinesRead);
  const std::uint32_t kind = dice_.below(12);
  r.op = kind < 9 ? Op::Read : kind < 11 || r.space == Space::Local ? Op::Write : Op::Atomic;
  r.sectors = static_cast<mem::SectorMask>(dice_.below(2) == 0 ? 15 : 1 + dice_.below(15));
  r.partial_write = r.op == Op::Write && dice_.below(2) == 0;
  r.no_l1 = dice_.below(8) == 0;
  r.born = now_;
  return r;
}

void SmStream::offer() {
  Request r = blocked_ ? *blocked_ : random_request();
  r.token = static_cast<std::uint32_t>(asked_.size());
  // A hit is known at once, an answer may come at once as well.
  asked_.push_back({r, now_, versions_.of(r)});
  const mem::L1Port::Answer a = l1_->access(now_, r);
  if (a.outcome == Outcome::Blocked) {
    asked_.pop_back();
    blocked_ = r;
    return;
  }
  blocked_.reset();
  if (r.op != Op::Read) stored(r);
  if (a.outcome == Outcome::Pending) return;
  asked_.back().pending = false;
  notes.expect(r.op != Op::Atomic, "an atomic was a hit");
  if (r.op != Op::Read) return;
  ++hits;
  notes.expect(!passes_by(r), "{}: a hit", what(r, {r.line, 0}));
  for_each_sector(r, [&](Sector s) {
    notes.expect(held_[s].newest >= versions_.of(s),
                 "{}: a hit on version {} at best; stores and kernels' ends made it {}", what(r, s),
                 held_[s].newest, versions_.of(s));
  });
}

void SmStream::stored(const Request& r) {
  Keeps keeps = r.space == Space::Local ? policy_.local : policy_.global;
  if (r.op == Op::Atomic || passes_by(r)) keeps = Keeps::Nothing;
  for_each_sector(r, [&](Sector s) {
    const bool was_held = held_[s].newest >= versions_.of(s);
    versions_.wrote(s);
    if ((was_held && keeps != Keeps::Nothing) || (keeps == Keeps::Whole && !r.partial_write))
      held_[s].newest = versions_.of(s);
  });
}

void SmStream::take_sent() {
  for (; out_.ready(now_); out_.pop(now_)) {
    const Request& r = out_.front();
    Sent sent{r, now_, {}};
    for_each_sector(r, [&](Sector s) {
      if (r.op != Op::Read) below_[s] = versions_.of(s);
      sent.brings[s] = below_[s];
    });
    under_way_.push_back(std::move(sent));
  }
  out_.publish();
}

void SmStream::answer_one() {
  std::swap(under_way_[dice_.below(static_cast<std::uint32_t>(under_way_.size()))], under_way_.back());
  Sent sent = std::move(under_way_.back());
  under_way_.pop_back();
  sent.request.reply = true;
  if (sent.request.op == Op::Read)
    for (const auto& [s, version] : sent.brings) {
      Held& h = held_[s];
      h.newest = std::max(h.newest, version);
      h.asked_for = std::max(h.asked_for, sent.at);
      h.came = now_;
    }
  l1_->reply(now_, sent.request);
}

void SmStream::reply(sim::Cycle, const Request& r) {
  notes.expect(r.token < asked_.size(), "an answer with token {}, which no request had", r.token);
  if (r.token >= asked_.size()) return;
  Asked& q = asked_[r.token];
  notes.expect(q.pending, "request {} was answered twice", r.token);
  q.pending = false;
  notes.expect(r.line == q.request.line && r.sectors == q.request.sectors && r.op == q.request.op,
               "the answer to request {} is not the request as it was accepted", r.token);
  if (q.request.op != Op::Read) return;
  bool older = false;
  for (const auto& [s, written] : q.written) {
    const Held& h = held_[s];
    if (passes_by(q.request))
      notes.expect(h.asked_for >= q.at, "{}: answered by what was asked for before", what(q.request, s));
    older |= h.newest < written;
    notes.expect(h.came >= q.at || h.newest >= written, "{}: answered by version {} of those held; it is {}",
                 what(q.request, s), h.newest, written);
  }
  older_ += older ? 1 : 0;
}

void SmStream::kernel_end() {
  l1_->kernel_end();
  versions_.kernel_end();
  forget();
}

void SmStream::run(std::uint32_t requests, std::uint32_t most_under_way, std::uint32_t kernel_every) {
  std::size_t kernel = kernel_every;
  for (std::uint32_t tries = 0; asked_.size() < requests || blocked_ || !l1_->idle();) {
    notes.expect(++tries < 50 * requests, "no progress");
    if (notes.full() || tries >= 50 * requests) return;
    const bool ends = kernel_every != 0 && asked_.size() >= kernel;
    if (blocked_ || (!ends && asked_.size() < requests && under_way_.size() < most_under_way)) offer();
    if (dice_.below(32) == 0) fence();
    l1_->send(now_);
    out_.publish();
    ++now_;
    take_sent();
    if (!under_way_.empty() && dice_.below(2) == 0) answer_one();
    if (ends && l1_->idle() && !blocked_) {
      kernel_end();
      kernel += kernel_every;
    }
  }
  for (const Asked& q : asked_) notes.expect(!q.pending, "request {} got no answer", q.request.token);
  notes.expect(older_ <= l1_->stale_merges(),
               "{} reads got data older than a store of their SM, stale_merges counts {}", older_,
               l1_->stale_merges());
}

class RealL1 final : public L1UnderCheck {
 public:
  RealL1(const cache::L1Spec& spec, mem::L1Client& client, sim::Channel<Request>& out)
      : map_(mem::AddressMapSpec{}), l1_(spec, 3, map_, client, out) {}
  mem::L1Port::Answer access(sim::Cycle now, const Request& r) override { return l1_.access(now, r); }
  void send(sim::Cycle now) override { l1_.send(now); }
  void reply(sim::Cycle now, const Request& r) override { l1_.reply(now, r); }
  void forget_clean(sim::Cycle now) override { l1_.forget_clean(now); }
  void kernel_end() override { l1_.kernel_end(); }
  bool idle() const override { return l1_.idle(); }
  std::uint64_t stale_merges() const override { return l1_.statistics().stale_merges; }

 private:
  mem::AddressMap map_;
  cache::L1Cache l1_;
};

}  // namespace

L1Factory l1_cache(const cache::L1Spec& spec) {
  return [spec](mem::L1Client& client, sim::Channel<Request>& out) {
    return std::make_unique<RealL1>(spec, client, out);
  };
}

StorePolicy store_policy(const cache::L1Spec& spec) {
  StorePolicy p;
  if (spec.write == cache::WritePolicy::Through) p.global = Keeps::Held;
  if (spec.write == cache::WritePolicy::ThroughAllocate) p.global = p.local = Keeps::Whole;
  if (spec.local_write_back) p.local = Keeps::Whole;
  p.local_always = spec.local_write_back;
  return p;
}

L1Report check_l1(const L1Factory& make, const StorePolicy& policy) {
  L1Report report;
  for (const std::uint32_t under_way : {2u, 12u})
    for (const std::uint32_t kernel_every : {0u, 40u}) {
      SmStream s(make, policy, 1 + under_way + kernel_every);
      s.run(4000, under_way, kernel_every);
      report.hits += s.hits;
      append(report.findings,
             fmt::format("{} under way, {}", under_way, kernel_every == 0 ? "one kernel" : "many kernels"),
             s.notes.found);
    }
  return report;
}

}  // namespace heddle::contract
