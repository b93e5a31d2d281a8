// The L1 data cache of an SM: tags, MSHRs, a queue of requests on their way out.
//
// Tokens downstream are the L1's own: the number of an MSHR entry, or of a record for what passes by (stores,
// atomics, uncached loads), so that replies give back requests exactly as they were accepted. Local memory is
// private to its thread: with write-back it is always cached, whatever the instruction's cache operator says.
// A prefetcher (slot: cache/prefetcher.h) may have lines fetched that nobody has asked for.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "cache/l1_prefetch.h"
#include "cache/l1_spec.h"
#include "cache/store_lines.h"
#include "cache/tag_store.h"
#include "mem/address_map.h"
#include "mem/l1_port.h"
#include "mem/merge_table.h"
#include "mem/potential_meter.h"
#include "mem/replication_meter.h"
#include "sim/channel.h"

namespace heddle::cache {

class L1Cache final : public mem::L1Port {
 public:
  // A line must lie in one slice: map.spec().interleave is at least a line. References outlive the cache.
  L1Cache(const L1Spec& spec, std::uint16_t sm, const mem::AddressMap& map, mem::L1Client& client,
          sim::Channel<mem::Request>& out);

  // A store that the L1 keeps (local memory, write-back) is answered Hit as well: no reply follows.
  Answer access(sim::Cycle now, const mem::Request& request) override;
  sim::Cycle retry_at(sim::Cycle now) const override;
  void forget_clean(sim::Cycle now) override;

  // A reply from the level below.
  void reply(sim::Cycle now, const mem::Request& reply);
  // Moves one waiting request into the channel, if there is one, the one before has left and the channel has
  // room. Once per cycle, after its accesses and replies.
  void send(sim::Cycle now) {
    settle(now);
    if (queue_.empty() || now < out_free_ || !out_.can_send(now)) return;
    mem::Request& request = queue_.front();
    if (ready_warps_ != nullptr) [[unlikely]]
      request.ready_warps = static_cast<std::uint8_t>(std::popcount(*ready_warps_));
    const std::uint32_t cycles = spec_.sector_sends ? send_cycles(now, request) : 1;
    stats_.send_cycles += cycles;
    out_free_ = now + cycles;
    out_.send(now, request);
    queue_.pop();
  }
  // The next cycle after `now` in which send() does something; kNever when nothing waits, or when it is not
  // known yet when the channel has room: then the engine wakes the unit.
  sim::Cycle next_send(sim::Cycle now) const {
    if (special_ && !ready_.empty()) [[unlikely]]
      return now + 1;
    return queue_.empty() ? sim::kNever : std::max({now + 1, out_free_, out_.room_at()});
  }
  // For who sends by itself, several requests in a cycle: settle() once per cycle, then the first that waits
  // (nullptr: none does) and sent(), as often as it likes. What the prefetcher asked for in the cycle comes
  // last. Reads whose turn to be answered comes in the next cycle (replies_per_cycle) are told so now: the SM
  // has it at its begin.
  void settle(sim::Cycle now) {
    if (special_) [[unlikely]] {
      if (prefetch_ != nullptr) grant_wishes(now);
      if (!ready_.empty()) answer_ready(now + 1);
    }
  }
  sim::Cycle next_settle(sim::Cycle now) const { return special_ && !ready_.empty() ? now + 1 : sim::kNever; }
  const mem::Request* waiting() const { return queue_.empty() ? nullptr : &queue_.front(); }
  void sent() {
    ++stats_.send_cycles;
    queue_.pop();
  }
  // Looks at every read of global memory that is no hit; nullptr: nobody does.
  void measure(mem::PotentialMeter* misses) { meter_ = misses; }
  mem::PotentialMeter* meter() const { return meter_; }
  // Is told which lines come and go; nullptr: nobody is.
  void watch(mem::ReplicaLog* replicas) { replicas_ = replicas; }
  // Requests tell how many of the SM's warps are ready when they leave; `mask` has them, a bit each.
  void tell_ready_warps(const std::uint64_t* mask) { ready_warps_ = mask; }

  // Forgets all lines; dirty ones as well, since local memory ends with its thread. Needs idle().
  void kernel_end();
  bool idle() const {
    return queue_.empty() && mshrs_used() == 0 && ready_.empty() && under_way() == 0 && write_backs_ == 0 &&
           (prefetch_ == nullptr || prefetch_->wishes().all().empty());
  }

  std::string waits() const;  // what it holds, in words; empty when idle

  // With those whose data have come, and some of whose readers have not been answered.
  std::uint32_t mshrs_used() const { return mshrs_.used() + mshrs_held_; }
  // MSHRs in use, summed over the cycles since clear_statistics() up to `now`.
  std::uint64_t mshr_cycles(sim::Cycle now) const {
    return mshrs_closed_ - mshrs_opened_ + mshrs_used() * now;
  }
  std::uint32_t queued() const { return queue_.size(); }
  std::uint32_t under_way() const { return spec_.passing - static_cast<std::uint32_t>(free_records_.size()); }
  const TagStore& tags() const { return tags_; }
  const L1Spec& spec() const { return spec_; }
  const L1Stats& statistics() const { return stats_; }
  L1Stats& statistics() { return stats_; }
  const L1Prefetch* prefetch() const { return prefetch_.get(); }  // nullptr: no prefetcher
  void clear_statistics() {                                       // of an idle cache
    stats_ = {};
    mshrs_opened_ = mshrs_closed_ = 0;
    if (prefetch_ != nullptr) prefetch_->clear_statistics();
  }

 private:
  using Mask = mem::SectorMask;
  using Way = TagStore::Way;
  // A request that waits for its line; the rest of it is in the entry or the same for all.
  struct Reader {
    std::uint64_t born = 0;
    std::uint32_t token = mem::kNoToken;
    std::uint32_t words = 0;
    std::uint16_t payload = 0;
    std::uint16_t sm = 0;
    mem::Space space = mem::Space::Global;
    Mask sectors = 0;  // as asked for
    Mask missing = 0;
    bool no_l1 : 1 = false;
    bool joined : 1 = false;    // the line was under way when it came
    bool prefetch : 1 = false;  // nobody: it keeps the entry open
  };
  static_assert(sizeof(Reader) == 24);
  // A read whose data are there, and whose turn to be answered has not come.
  struct Ready {
    mem::Request answer;
    bool last = false;  // of its MSHR
  };
  using Mshrs = mem::MergeTable<std::uint64_t, Reader>;

  // How long a request holds the way out (sector_sends, validation/data/h200_store_port.csv): the address
  // goes with the first sector; a mask of bytes, or the lanes of an atomic, take a cycle of their own.
  std::uint32_t send_cycles(sim::Cycle now, const mem::Request& r) {
    if (r.op == mem::Op::Read) return 1;
    if (r.op == mem::Op::Atomic) return std::has_single_bit(r.words) ? 1 : mem::sector_count(r.sectors) + 1;
    const mem::SectorMask sectors = store_lines_.add(now, r.line, r.sectors);
    return sectors == 0 ? 1 : mem::sector_count(sectors) + (r.partial_write ? 1u : 0u);
  }

  bool looks_up(const mem::Request& r) const {
    return ((looked_up_[r.no_l1 ? 1 : 0] >> static_cast<unsigned>(r.space)) & 1) != 0;
  }
  // The sectors that a request is about: without sectors, the line.
  Mask unit(Mask m) const { return sectored_ ? m : tags_.all_sectors(); }
  // Those that a store overwrites as a whole.
  Mask wholly_written(const mem::Request& r) const;
  bool room_for_line(Way present) const;
  void take_port(sim::Cycle now, const mem::Request& r);
  // When the port that the request comes by is free.
  sim::Cycle& port_free(const mem::Request& r) { return port_free_[r.sm & port_mask_]; }

  // Whether the description's own limits let one more read that is no hit pass.
  bool miss_admitted(sim::Cycle now);
  bool mshrs_full() const { return mshrs_used() == mshrs_.limit(); }

  Answer take(sim::Cycle now, const mem::Request& r);
  Answer take_in_part(sim::Cycle now, const mem::Request& r);
  Answer read(sim::Cycle now, const mem::Request& r);
  Answer hit(sim::Cycle now, const mem::Request& r);
  Answer miss(sim::Cycle now, const mem::Request& r, Way w, Mask missing);
  Answer write_back(sim::Cycle now, const mem::Request& r);
  Answer write_through(sim::Cycle now, const mem::Request& r);
  void store_into_tags(sim::Cycle now, const mem::Request& r);
  Answer pass(sim::Cycle now, const mem::Request& r, L1Stats::Flow& flow, std::uint64_t& counted);
  Answer pass_read(sim::Cycle now, const mem::Request& r);
  bool can_pass(mem::Op op);
  // Whether what passes by with this operation gets no answer.
  bool posted(mem::Op op) const { return op == mem::Op::Write && !spec_.store_replies; }
  // A store to sectors that may be under way: what comes is older than the store, and is not kept.
  void overtake(std::uint64_t line, Mask written);
  // Sectors written elsewhere: neither kept nor, if under way, stored when they come.
  void drop(std::uint64_t line, Mask written, bool whole_line);

  Way make_room(std::uint64_t line);
  bool can_join(Mshrs::Entry e) const {
    if (prefetch_ == nullptr) return mshrs_.can_join(e);
    return mshrs_.waiters(e) < spec_.mshr_merges + (prefetch_->waits(e) ? 1u : 0u);
  }
  Mshrs::Entry open(sim::Cycle now, std::uint64_t line, const Reader& first);
  // Where the line lies then; kNone: nothing of what arrived was kept.
  Way fill(std::uint64_t line, Mask arrived, Mask stale);
  // What the prefetcher asked for: sent or refused.
  void grant_wishes(sim::Cycle now);
  void grant(sim::Cycle now, const Wishes::Wish& wish);
  // What arrived for `e` goes to its readers: at once, or in turns of replies_per_cycle.
  void answer_readers(sim::Cycle now, Mshrs::Entry e, Mask arrived, std::uint16_t slice);
  void answer_ready(sim::Cycle at);
  void deliver(sim::Cycle at, const mem::Request& answer) {
    missed(at + spec_.fill_latency, answer);
    client_.reply(at + spec_.fill_latency, answer);
  }
  // Whether one more read can be answered in cycle `at`.
  bool take_turn(sim::Cycle at);
  void push(const mem::Request& r, std::uint32_t token, mem::Op op, Mask sectors);
  Answer blocked(std::uint64_t& cause, sim::Cycle retry) {
    ++cause;
    retry_ = retry;
    return {};
  }
  Answer no_way() {
    Answer a = blocked(stats_.reservation, sim::kNever);
    a.no_way = true;
    return a;
  }
  L1Stats::Sectors& sectors_of(mem::Space s) {
    return s == mem::Space::Global ? stats_.global : s == mem::Space::Local ? stats_.local : stats_.other;
  }
  // An outcome (or `in`) of a read.
  void count(mem::Space s, std::uint64_t L1Stats::Flow::*what) {
    ++(stats_.reads.*what);
    stats_.global_reads.*what += s == mem::Space::Global ? 1 : 0;
  }
  // A read that was no hit has its data at `at`.
  void missed(sim::Cycle at, const mem::Request& r) {
    stats_.miss_latency.add(at - r.born);
    if (meter_ != nullptr && mem::is_global_read(r)) meter_->answer(r.line);
  }

  static constexpr std::uint32_t kPassing = 0x8000'0000;         // marks the number of a record
  static constexpr std::uint32_t kWriteBackToken = 0x7fff'ffff;  // nobody waits for its answer

  L1Spec spec_;
  const mem::AddressMap& map_;
  mem::L1Client& client_;
  sim::Channel<mem::Request>& out_;
  std::uint16_t sm_;
  bool sectored_, special_;             // special: a prefetcher, or readers that are answered in turns
  std::uint8_t looked_up_[2] = {0, 0};  // by no_l1: a bit per space whose accesses use the tags
  TagStore tags_;
  Mshrs mshrs_;
  sim::Cycle mshrs_opened_ = 0, mshrs_closed_ = 0;  // when, summed; the difference is right also if they wrap
  std::vector<Mask> stale_;                         // by MSHR entry: under way, but written since
  std::vector<mem::Request> records_;               // what passes by, as it was accepted
  std::vector<std::uint32_t> free_records_;
  RingQueue<mem::Request> queue_;
  sim::Cycle out_free_ = 0;  // the way out is, from then on
  StoreLines store_lines_;
  std::uint32_t dirty_lines_ = 0, write_backs_ = 0;  // held; sent and not acknowledged
  std::vector<sim::Cycle> port_free_;                // by port
  std::uint32_t port_mask_;                          // of an SM's number: 0 where all use one port
  sim::Cycle retry_ = 0;
  bool misses_limited_;        // by read_places or misses_per_cycle
  std::uint32_t misses_ = 0;   // accepted in cycle missed_at_
  std::uint32_t answers_ = 0;  // given in cycle answered_at_
  sim::Cycle missed_at_ = 0, answered_at_ = 0;
  RingQueue<Ready> ready_{1};
  std::uint32_t mshrs_held_ = 0;  // closed but for readers in ready_
  L1Stats stats_;
  mem::PotentialMeter* meter_ = nullptr;
  std::unique_ptr<L1Prefetch> prefetch_;
  mem::ReplicaLog* replicas_ = nullptr;
  const std::uint64_t* ready_warps_ = nullptr;
};

}  // namespace heddle::cache
