#include "tests/contract/check_merger.h"

#include <algorithm>

#include "tests/contract/versions.h"

namespace heddle::contract {
namespace {

using cluster::MergerStats;
using cluster::MissMerger;
using mem::Op;
using mem::Request;
using mem::Space;
using Verdict = MissMerger::Verdict;

constexpr std::uint32_t kSms = 16, kLines = 5;

struct Traffic {
  std::uint64_t seed = 1;
  std::uint32_t most_under_way = 20;
  bool whole_lines = false;
  std::uint32_t kernel_every = 0;  // requests; 0: one kernel
};

// A merger, its SMs and its network.
class Stream {
 public:
  Stream(const cluster::MergerFactory& make, const Traffic& traffic, bool fresh)
      : merger_(make({.cluster = 0, .sms = kSms, .sectored = !traffic.whole_lines})),
        traffic_(traffic),
        fresh_(fresh),
        dice_(traffic.seed) {}

  void offer();
  void reply();
  void drain() {
    for (; !network_.empty(); ++now_) reply();
  }
  // A machine's kernel ends when nothing is under way.
  void kernel_end() {
    merger_->kernel_end();
    versions_.kernel_end();
  }
  void run(std::uint32_t requests);

  MissMerger& merger() { return *merger_; }
  std::size_t offered() const { return asked_.size(); }
  void check_counts();
  Notes notes;

 private:
  struct Asked {
    Request request;
    sim::Cycle at = 0;
    std::map<Sector, Version> written;  // of its sectors, when it was made
    bool answered = false;
  };
  struct Sent {
    Request request;
    std::size_t of;                    // which request was forwarded
    std::map<Sector, Version> brings;  // at least
  };
  struct Arrived {
    Version newest = 0;
    sim::Cycle last = 0;
  };

  Request random_request();
  void check_answers(const Sent* by);
  void check_as_offered(const Request& answer, const Request& request);
  void check_fresh(const Asked& q);

  std::unique_ptr<MissMerger> merger_;
  Traffic traffic_;
  bool fresh_;
  Dice dice_;
  Versions versions_;
  std::vector<Asked> asked_;
  std::vector<Sent> network_;
  std::vector<Request> answers_;
  std::map<Sector, Arrived> arrived_;
  std::uint64_t not_mergeable_ = 0, past_l1_ = 0;
  sim::Cycle now_ = 1;
};

// Most are global reads; a token is unique.
Request Stream::random_request() {
  Request r;
  r.line = 128 * dice_.below(kLines);
  r.token = static_cast<std::uint32_t>(asked_.size());
  r.sm = static_cast<std::uint16_t>(dice_.below(kSms));
  r.sectors = static_cast<mem::SectorMask>(traffic_.whole_lines ? 15 : 1 + dice_.below(15));
  r.born = now_;
  r.words = dice_.below(1000);
  r.payload = static_cast<std::uint16_t>(dice_.below(1000));
  r.no_l1 = dice_.below(4) == 0;
  if (const std::uint32_t kind = dice_.below(16); kind < 3) {
    r.op = kind == 0 ? Op::Atomic : Op::Write;
    r.partial_write = kind == 1;
  } else if (kind == 3) {
    r.space = static_cast<Space>(1 + dice_.below(2));
  }
  return r;
}

void Stream::offer() {
  Request r = random_request();
  const Request original = r;
  const Verdict v = merger_->offer(now_, r, answers_);
  if (v == Verdict::Wait) {
    notes.expect(answers_.empty(), "a request that is told to wait brought answers");
    return;
  }
  const bool mergeable = cluster::mergeable(original);
  asked_.push_back({original, now_, versions_.of(original)});
  if (v == Verdict::Forward) network_.push_back({r, asked_.size() - 1, versions_.of(r)});
  if (mergeable) {
    past_l1_ += original.no_l1;
  } else {
    ++not_mergeable_;
    notes.expect(v == Verdict::Forward && r.sectors == original.sectors,
                 "a write, an atomic or a request of another space did not go on as it was");
  }
  if (original.space == Space::Global && original.op != Op::Read)
    for_each_sector(original, [&](Sector s) { versions_.wrote(s); });
  check_answers(nullptr);
}

void Stream::reply() {
  const std::size_t i = dice_.below(static_cast<std::uint32_t>(network_.size()));
  Sent sent = network_[i];
  network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(i));
  sent.request.reply = true;
  if (mem::is_global_read(sent.request))
    for (const auto& [sector, version] : sent.brings) {
      Arrived& a = arrived_[sector];
      a.newest = std::max(a.newest, version);
      a.last = now_;
    }
  merger_->reply(now_, sent.request, answers_);
  check_answers(&sent);
  notes.expect(cluster::mergeable(asked_[sent.of].request) || asked_[sent.of].answered,
               "the reply to a write or an atomic did not answer it");
}

void Stream::check_answers(const Sent* by) {
  for (const Request& a : answers_) {
    notes.expect(a.token < asked_.size(), "an answer with token {}, which no request had", a.token);
    if (a.token >= asked_.size()) continue;
    Asked& q = asked_[a.token];
    notes.expect(!q.answered, "request {} was answered twice", a.token);
    q.answered = true;
    check_as_offered(a, q.request);
    if (cluster::mergeable(q.request))
      check_fresh(q);
    else
      notes.expect(by != nullptr && by->of == a.token,
                   "a write or an atomic was answered by another's reply");
  }
  answers_.clear();
}

void Stream::check_as_offered(const Request& a, const Request& q) {
  notes.expect(a.reply, "an answer is not marked as a reply");
  notes.expect(a.sm == q.sm, "SM {} got the answer of SM {}", a.sm, q.sm);
  notes.expect(a.line == q.line && a.sectors == q.sectors && a.op == q.op && a.born == q.born &&
                   a.words == q.words && a.payload == q.payload && a.no_l1 == q.no_l1 && a.space == q.space,
               "the answer to request {} is not the request as it was offered", q.token);
}

// A reply that came after the read was made may answer it, also if it was sent before a write (the read was
// merged). What came before was held, and must be as new as all that the cluster has written.
void Stream::check_fresh(const Asked& q) {
  for (const auto& [sector, written] : q.written) {
    const auto it = arrived_.find(sector);
    const std::string what =
        fmt::format("SM {}'s read of line {:#x}, sector {}, made in {} and answered in {}", q.request.sm,
                    sector.first, sector.second, q.at, now_);
    notes.expect(it != arrived_.end(), "{}: its data never came", what);
    if (it == arrived_.end() || it->second.last >= q.at || !fresh_) continue;
    notes.expect(!q.request.no_l1, "{}: passes the L1 by and got data that were held", what);
    notes.expect(
        it->second.newest >= written,
        "{}: the newest data held were of version {}; the cluster's writes and kernels' ends made it {}",
        what, it->second.newest, written);
  }
}

void Stream::run(std::uint32_t requests) {
  std::size_t kernel = traffic_.kernel_every;
  for (std::uint32_t tries = 0; asked_.size() < requests; ++now_) {
    notes.expect(++tries < 100 * requests, "no progress");
    if (notes.full() || tries >= 100 * requests) return;
    if (traffic_.kernel_every != 0 && asked_.size() >= kernel) {
      drain();
      kernel_end();
      kernel += traffic_.kernel_every;
    }
    if (network_.size() < traffic_.most_under_way && dice_.below(3) != 0)
      offer();
    else if (!network_.empty())
      reply();
  }
  drain();
  for (const Asked& q : asked_) notes.expect(q.answered, "request {} got no answer", q.request.token);
  notes.expect(merger_->waiting() == 0, "{} requests wait when all have come back", merger_->waiting());
}

void Stream::check_counts() {
  const MergerStats& s = merger_->statistics();
  notes.expect(s.offered == asked_.size(), "{} requests offered, {} counted", asked_.size(), s.offered);
  notes.expect(s.offered == s.forwarded + s.merged + s.held, "{} offered, {} forwarded + {} merged + {} held",
               s.offered, s.forwarded, s.merged, s.held);
  notes.expect(s.bypassed >= not_mergeable_ && s.bypassed <= not_mergeable_ + past_l1_,
               "{} bypassed, of {} that are not for mergers and {} that pass L1s by", s.bypassed,
               not_mergeable_, past_l1_);
  notes.expect(s.offered_sectors == s.forwarded_sectors + s.merged_sectors + s.held_sectors,
               "{} sectors offered, {} forwarded + {} merged + {} held", s.offered_sectors,
               s.forwarded_sectors, s.merged_sectors, s.held_sectors);
  notes.expect(s.replies == s.forwarded, "{} replies to {} forwarded", s.replies, s.forwarded);
  notes.expect(s.answers == s.offered, "{} answers to {} offered", s.answers, s.offered);
}

// ---- states that a random stream seldom meets -------------------------------------------------------------

Findings check_waiting(const cluster::MergerFactory& make, bool fresh) {
  Stream s(make, {.seed = 77}, fresh);
  for (std::uint32_t n = 0; n < 200; ++n) s.offer();
  const auto all = static_cast<std::uint32_t>(s.offered());
  const auto waiting = [&](const char* when) {
    s.notes.expect(s.merger().waiting() == all, "{} requests wait, {} after {}", all, s.merger().waiting(),
                   when);
  };
  waiting("their offer");
  // Answers of its own need data that came before.
  s.notes.expect(s.merger().statistics().held == 0 && s.merger().statistics().answers == 0,
                 "requests are answered before the first reply");
  s.merger().clear_statistics();
  waiting("clear_statistics()");
  s.notes.expect(s.merger().statistics().offered == 0, "clear_statistics() left a count");
  s.kernel_end();
  waiting("a kernel's end");
  s.drain();
  s.notes.expect(s.merger().waiting() == 0, "{} requests wait when all have come back", s.merger().waiting());
  return s.notes.found;
}

Findings check_storage(const cluster::MergerFactory& make) {
  Notes notes;
  for (const mem::Storage& s : make({.cluster = 0, .sms = kSms})->storage())
    notes.expect(!s.part.empty() && s.formula.find("bits") != std::string::npos && s.bits > 0,
                 "storage '{}' has no name, no bits or no formula", s.part);
  return notes.found;
}

}  // namespace

MergerReport check_merger(const cluster::MergerFactory& make, bool fresh) {
  MergerReport report;
  for (const bool whole_lines : {false, true})
    for (const std::uint32_t under_way : {3u, 40u})
      for (const std::uint32_t kernel_every : {0u, 25u}) {
        Stream s(make, {1 + under_way + kernel_every, under_way, whole_lines, kernel_every}, fresh);
        s.run(3000);
        s.check_counts();
        report.held += s.merger().statistics().held;
        append(report.findings,
               fmt::format("{}, {} under way, {}", whole_lines ? "lines" : "sectors", under_way,
                           kernel_every == 0 ? "one kernel" : "many kernels"),
               s.notes.found);
      }
  append(report.findings, "all at once", check_waiting(make, fresh));
  append(report.findings, "storage", check_storage(make));
  return report;
}

}  // namespace heddle::contract
