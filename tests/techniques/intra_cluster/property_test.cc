// Random streams of requests through a merger of any size: no answer is lost, doubled or sent to the wrong
// SM, the counts add up, and what is served from the coalesced cache is never older than the cluster's last
// write.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "techniques/intra_cluster/icc_merger.h"

namespace heddle::intra_cluster {
namespace {

using mem::Request;
using Verdict = cluster::MissMerger::Verdict;

enum class What : std::uint8_t { Read, PastL1, Write, Atomic, OtherSpace, Reply, KernelEnd };

struct Event {
  What what = What::Read;
  std::uint16_t sm = 0;
  std::uint64_t line = 0;
  mem::SectorMask sectors = 0xf;
  std::size_t which = 0;  // Reply: of those under way, modulo their number
};
void showValue(const Event& e, std::ostream& os) {
  os << "{what " << int(e.what) << " sm " << e.sm << " line " << e.line << " sectors " << int(e.sectors)
     << " which " << e.which << "}";
}

struct Machine {
  MergeTableSpec table;
  std::optional<CoalescedCacheSpec> cache;
  std::uint32_t sms = 1;
  bool sectored = false;
};

Machine any_machine() {
  Machine m;
  m.table.entries = *rc::gen::element(1u, 2u, 3u, 48u);
  m.table.bypassing_loads = *rc::gen::arbitrary<bool>();
  m.sms = *rc::gen::inRange(1u, 18u);
  m.sectored = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    m.cache.emplace();
    m.cache->lines = *rc::gen::element(1u, 2u, 24u);
    m.cache->replacement = *rc::gen::element<std::string>("lru", "fifo", "random");
    m.cache->insert = *rc::gen::element(Insert::Shared, Insert::Always);
    m.cache->flush_at_kernel_end = *rc::gen::arbitrary<bool>();
  }
  return m;
}

rc::Gen<Event> events(const Machine& m) {
  const auto what = rc::gen::weightedElement<What>({{20, What::Read},
                                                    {2, What::PastL1},
                                                    {2, What::Write},
                                                    {1, What::Atomic},
                                                    {1, What::OtherSpace},
                                                    {16, What::Reply},
                                                    {1, What::KernelEnd}});
  const auto sectors =
      m.sectored ? rc::gen::inRange<mem::SectorMask>(1, 16) : rc::gen::just<mem::SectorMask>(0xf);
  return rc::gen::build<Event>(
      rc::gen::set(&Event::what, what),
      rc::gen::set(&Event::sm, rc::gen::inRange<std::uint16_t>(0, static_cast<std::uint16_t>(m.sms))),
      rc::gen::set(&Event::line,
                   rc::gen::map(rc::gen::inRange(0, 4), [](int n) { return std::uint64_t(n) * 128; })),
      rc::gen::set(&Event::sectors, sectors),
      rc::gen::set(&Event::which, rc::gen::inRange<std::size_t>(0, 1000)));
}

// The world around a merger: who asked what, what is under way, how new data can be.
class World {
 public:
  explicit World(const Machine& m)
      : machine_(m), merger_(m.table, m.cache, {.sms = m.sms, .sectored = m.sectored}) {}

  void step(const Event& e) {
    ++now_;
    if (e.what == What::Reply) {
      if (!network_.empty()) reply(e.which % network_.size());
    } else if (e.what == What::KernelEnd) {
      merger_.kernel_end();
      if (machine_.cache && machine_.cache->flush_at_kernel_end) flushed_ = now_;
    } else {
      offer(e);
    }
    RC_ASSERT(merger_.waiting() == waiting_);
  }
  void drain() {
    while (!network_.empty()) {
      ++now_;
      reply(network_.size() - 1);
    }
    RC_ASSERT(waiting_ == 0u);
    RC_ASSERT(merger_.waiting() == 0u);
  }
  void check_counts() const {
    const cluster::MergerStats& s = merger_.statistics();
    RC_ASSERT(s.offered == asked_.size());
    RC_ASSERT(s.offered == s.forwarded + s.merged + s.held);
    RC_ASSERT(s.offered_sectors == s.forwarded_sectors + s.merged_sectors + s.held_sectors);
    RC_ASSERT(s.replies == s.forwarded);
    RC_ASSERT(s.answers == s.offered);
    RC_ASSERT(s.entries_peak <= machine_.table.entries);
    RC_ASSERT(s.requesters.sum + s.held + s.bypassed + s.unrecorded + s.repeated == s.answers);
    RC_ASSERT(s.store_evictions <= s.store_insertions);
    RC_CLASSIFY(s.merged > 0, "merged");
    RC_CLASSIFY(s.held > 0, "held");
    RC_CLASSIFY(s.unrecorded > 0, "unrecorded");
    RC_CLASSIFY(s.repeated > 0, "repeated");
    RC_CLASSIFY(s.store_invalidations > 0, "invalidated");
  }

 private:
  struct Asked {
    Request request;
    bool answered = false;
  };
  struct Sent {
    Request request;
    std::uint64_t at;
  };

  void offer(const Event& e) {
    Request r;
    r.line = e.line;
    r.sm = e.sm;
    r.sectors = e.sectors;
    r.token = static_cast<std::uint32_t>(asked_.size());
    r.no_l1 = e.what == What::PastL1;
    if (e.what == What::Write) r.op = mem::Op::Write;
    if (e.what == What::Atomic) r.op = mem::Op::Atomic;
    if (e.what == What::OtherSpace) r.space = mem::Space::Texture;
    if (r.op != mem::Op::Read) written_[r.line] = now_;
    asked_.push_back({r});
    ++waiting_;
    Request changed = r;
    const Verdict v = merger_.offer(now_, changed, answers_);
    RC_ASSERT(v != Verdict::Wait);
    if (v == Verdict::Forward) network_.push_back({changed, now_});
    if (e.what != What::Read && e.what != What::PastL1) RC_ASSERT(v == Verdict::Forward);
    if (v == Verdict::Answered) {
      RC_ASSERT(e.what == What::Read);
      RC_ASSERT(fresh(r));
    }
    RC_ASSERT(answers_.size() == (v == Verdict::Answered ? 1u : 0u));
    take_answers(r.line);
  }
  void reply(std::size_t n) {
    const Sent s = network_[n];
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(n));
    Request r = s.request;
    r.reply = true;
    if (r.op == mem::Op::Read)
      for (std::uint32_t i = 0; i < 4; ++i)
        if (r.sectors >> i & 1) {
          std::uint64_t& newest = arrived_[{r.line, i}];
          newest = std::max(newest, s.at);
          last_[{r.line, i}] = now_;
        }
    merger_.reply(now_, r, answers_);
    take_answers(r.line);
  }
  // For every sector a read has arrived that was sent after the cluster's last write to the line, and nothing
  // has emptied the cache since it came.
  bool fresh(const Request& r) {
    for (std::uint32_t i = 0; i < 4; ++i)
      if (r.sectors >> i & 1) {
        if (arrived_[{r.line, i}] <= written_[r.line] || last_[{r.line, i}] <= flushed_) return false;
      }
    return true;
  }
  void take_answers(std::uint64_t line) {
    for (const Request& a : answers_) {
      RC_ASSERT(a.token < asked_.size());
      Asked& q = asked_[a.token];
      RC_ASSERT(!q.answered);
      q.answered = true;
      --waiting_;
      RC_ASSERT(a.reply);
      RC_ASSERT(a.sm == q.request.sm);
      RC_ASSERT(a.line == line);
      RC_ASSERT(a.line == q.request.line);
      RC_ASSERT(a.sectors == q.request.sectors);
      RC_ASSERT(a.op == q.request.op);
      RC_ASSERT(a.space == q.request.space);
    }
    answers_.clear();
  }

  Machine machine_;
  IccMerger merger_;
  std::vector<Asked> asked_;
  std::vector<Sent> network_;
  std::vector<Request> answers_;
  std::map<std::uint64_t, std::uint64_t> written_;                            // line -> last write
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> arrived_;  // newest data: when asked for
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> last_;     // when any data came
  std::uint64_t flushed_ = 0, now_ = 0;
  std::uint32_t waiting_ = 0;
};

TEST(IntraClusterProperty, EveryRequestIsAnsweredOnceAndNeverWithOldData) {
  EXPECT_TRUE(rc::check("answers", [] {
    const Machine m = any_machine();
    World world(m);
    const auto length = *rc::gen::inRange<std::size_t>(0, 300);
    for (const Event& e : *rc::gen::container<std::vector<Event>>(length, events(m))) world.step(e);
    world.drain();
    world.check_counts();
  }));
}

}  // namespace
}  // namespace heddle::intra_cluster
