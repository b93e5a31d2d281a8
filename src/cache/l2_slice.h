// One slice of the L2: tags, MSHRs, a data port, queues on both sides. It serves requests in order, one
// lookup per cycle; one that cannot be served holds up those behind it.
//
// Time is in L2 cycles. Lines are addresses within the slice (mem::AddressMap::local). The slice knows
// neither the network nor DRAM: whoever owns it pushes requests, takes replies, takes memory accesses and
// brings back fills. step() with nothing to do changes nothing, so that cycles may be skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "cache/l2_spec.h"
#include "cache/tag_store.h"
#include "mem/atomic_unit.h"
#include "mem/merge_table.h"
#include "mem/potential_meter.h"
#include "mem/request.h"
#include "sim/time.h"

namespace heddle::cache {

// What the slice wants of memory. `entry` is for filled(), and of a write that is `awaited` for written().
struct MemoryAccess {
  std::uint64_t line = 0;
  std::uint32_t entry = 0;
  mem::SectorMask sectors = 0;
  bool write = false;
  bool global_read = false;  // caused by a load from global memory
  bool awaited = false;      // a write whose end the slice wants to know
};

// On which side of the L2 a slice is, and which clusters are (L2Spec::sides).
struct L2Side {
  std::uint32_t mine = 0;
  std::uint32_t clusters = 1;  // from 0 on, of each side
};

class L2Slice {
 public:
  using Tick = std::uint64_t;

  // `atomics` may be null where no atomic comes.
  L2Slice(const L2Spec& spec, mem::AtomicUnit* atomics, const L2Side& side = {});

  // ---- requests -----------------------------------------------------------------------------------
  // At most L2Spec::places() wait at a time: whoever pushes knows how many do.
  std::uint32_t queued() const { return in_.size(); }
  void push(const mem::Request& request, std::uint64_t line);

  // Cycle `t`: at most one fill or acknowledged write, and one lookup.
  void step(Tick t);
  // The first cycle after `t` in which step() has something to do of itself; sim::kNever: only after a push,
  // a fill, or a pop.
  [[gnu::always_inline]] Tick next(Tick t) const {
    Tick n = sim::kNever;
    if (!fills_.empty() && !fill_blocked_) n = fill_port();
    if (staged_ && moves_on()) [[unlikely]]
      return t + 1;
    if (!in_.empty() && !blocked_) n = std::min(n, stall_ == L2Stall::Port ? port_free_ : lookup_free_);
    return std::max(n, t + 1);
  }

  // ---- replies ------------------------------------------------------------------------------------
  // When the next reply is at the exit; sim::kNever when there is none.
  Tick next_reply() const {
    const Tick near = replies_.empty() ? sim::kNever : replies_.front().at;
    return crossing_.empty() ? near : std::min(near, crossing_.front().at);
  }
  const mem::Request& reply() const { return (crosses_first() ? crossing_ : replies_).front().request; }
  void pop_reply() {
    ++stats_.replies_out;
    (crosses_first() ? crossing_ : replies_).pop();
    fill_blocked_ = blocked_ = false;
  }

  // ---- memory -------------------------------------------------------------------------------------
  bool wants_memory() const { return !memory_.empty(); }
  const MemoryAccess& memory() const { return memory_.front(); }
  // `sectors` of the access at the front are under way; it goes when none is left.
  void sent(mem::SectorMask sectors) {
    MemoryAccess& a = memory_.front();
    a.sectors = static_cast<mem::SectorMask>(a.sectors & ~sectors);
    if (a.sectors != 0) return;
    memory_.pop();
    blocked_ = false;
  }
  void filled(std::uint32_t entry, mem::SectorMask sectors) {
    if (direct_) [[unlikely]]
      return passed_on(entry, sectors);
    fills_.push({entry, sectors});
  }
  void written(std::uint32_t entry, mem::SectorMask sectors);

  // Looks at every read of global memory that is no hit, in L2 cycles; nullptr: nobody does.
  void measure(mem::PotentialMeter* misses) { meter_ = misses; }

  // ---- between kernels ----------------------------------------------------------------------------
  bool holds(std::uint64_t line) const {  // all of it
    const TagStore::Way way = tags_.find(line);
    return way != TagStore::kNone && tags_.valid(way) == tags_.all_sectors();
  }
  // The host has written the line: valid and clean from now on.
  void preload(std::uint64_t line);
  // Forgets all lines; dirty sectors count as written back, without time. Only when idle.
  void flush();

  // When it took the last write that gets no answer (Request::posted).
  Tick last_posted() const { return last_posted_; }
  bool idle() const {
    return in_.empty() && replies_.empty() && crossing_.empty() && memory_.empty() && misses_.empty() &&
           fills_.empty() && mshrs_.used() == 0 && leaving_.empty() && unwritten_ == 0;
  }
  const L2Stats& statistics() const { return stats_; }
  void clear_statistics() { stats_ = {}; }
  std::string waits() const;
  const TagStore& tags() const { return tags_; }
  const L2Spec& spec() const { return spec_; }

 private:
  struct Waiting {
    mem::Request request;
    std::uint64_t line = 0;
  };
  struct Reply {
    Tick at = 0;
    mem::Request request;
  };
  struct Fill {
    std::uint32_t entry = 0;
    mem::SectorMask sectors = 0;  // 0: all that `entry` of the acknowledgements waits for has come
  };
  // Somebody whose line has come.
  struct Leaving {
    mem::Request request;
    TagStore::Way way = TagStore::kNone;
    bool last = false;  // of those for the line: its MSHR is free when he goes
  };
  // Of a write that is under way to memory, or of any request without MSHRs; or a free one.
  struct Ack {
    mem::Request request;
    mem::SectorMask left = 0;  // not yet written or read
    std::uint32_t next = 0;    // free one
  };
  struct Waiter {
    mem::Request request;
    mem::SectorMask missing = 0;
  };
  using Mshrs = mem::MergeTable<std::uint64_t, Waiter>;

  TagStore::Way find(std::uint64_t line);
  L2Stall access(Tick t, const Waiting& w);
  std::uint32_t intake(const Waiting& w);
  std::uint32_t passes(const Waiting& w);
  L2Stall read(Tick t, const Waiting& w, L2OpStats& stats);
  L2Stall read_from_memory(Tick t, const Waiting& w, L2OpStats& stats);
  L2Stall write(Tick t, const Waiting& w);
  L2Stall write_into_cache(Tick t, const Waiting& w, TagStore::Way way);
  L2Stall write_to_memory(Tick t, const Waiting& w, TagStore::Way way);
  L2Stall can_fetch(std::uint64_t line, TagStore::Way way, mem::SectorMask missing,
                    std::uint32_t accesses) const;
  void write_through(const Waiting& w, mem::SectorMask sectors, bool acknowledge);
  TagStore::Way make_room(Tick t, std::uint64_t line);
  void fetch(const Waiting& w, TagStore::Way way, mem::SectorMask missing);
  mem::SectorMask neighbours(TagStore::Way way, mem::SectorMask asked) const;
  // The queue in which accesses wait that lookups cause.
  RingQueue<MemoryAccess>& miss_queue() { return spec_.dram_queue == 0 ? memory_ : misses_; }
  const RingQueue<MemoryAccess>& miss_queue() const { return spec_.dram_queue == 0 ? memory_ : misses_; }
  void fill(Tick t);
  void acknowledge(Tick t);
  void passed_on(std::uint32_t entry, mem::SectorMask sectors);
  void leave_in_turn(std::uint32_t entry, mem::SectorMask sectors);
  void answer_leaving(Tick t);
  void move_on(Tick t);
  bool moves_on() const;
  std::uint32_t acknowledgement(const mem::Request& request, mem::SectorMask sectors);
  void reply(Tick t, const mem::Request& request);
  void reply_here(Tick t, const mem::Request& request);  // nothing crosses
  // To a read: that found its sectors in `way`, or waited for them.
  void reply_read(Tick t, const mem::Request& request, TagStore::Way way);
  void reply_fetched(Tick t, const mem::Request& request, TagStore::Way way);
  void reply_across(Tick t, const mem::Request& request, std::uint32_t sectors);
  std::uint32_t crossing_sectors(const mem::Request& request);
  mem::SectorMask copy(const mem::Request& request, TagStore::Way way);
  // Copies of the other side are not what the line has any more.
  void drop_copies(TagStore::Way way, mem::SectorMask sectors) {
    if (two_sided_) copied_[way] = without(copied_[way], sectors);
  }
  bool is_far(const mem::Request& r) const {
    return two_sided_ && (r.cluster >= side_.clusters) != (side_.mine != 0);
  }
  bool crosses_first() const {
    return !crossing_.empty() && (replies_.empty() || crossing_.front().at < replies_.front().at);
  }
  std::uint32_t reply_room() const {
    return two_sided_ ? std::min(replies_.room(), crossing_.room()) : replies_.room();
  }
  void use_port(Tick t, std::uint32_t sectors);
  void count(L2OpStats& s, const mem::Request& r, mem::SectorMask missing, TagStore::Way way) const;
  bool can_answer_leaving() const {
    return !leaving_.empty() && (reply_room() != 0 || leaving_.front().request.op == mem::Op::Write);
  }
  bool can_move_on() const { return !misses_.empty() && memory_.room() != 0; }
  bool acknowledges_later() const { return spec_.write_miss_ack == WriteMissAck::Memory; }
  Tick& fill_port() { return spec_.own_fill_port ? fill_port_free_ : port_free_; }
  Tick fill_port() const { return spec_.own_fill_port ? fill_port_free_ : port_free_; }
  std::uint32_t port_cycles(std::uint32_t sectors) const {
    return (sectors * mem::kSectorBytes + port_bytes_ - 1) / port_bytes_;
  }
  static constexpr mem::SectorMask without(mem::SectorMask a, mem::SectorMask b) {
    return static_cast<mem::SectorMask>(a & ~b);
  }
  static constexpr std::uint32_t kNoAck = ~0u;
  static constexpr std::uint32_t kMostAcks = 1u << 16;  // what comes back with a transfer
  mem::SectorMask in_tags(mem::SectorMask m) const { return spec_.tags.sectored ? m : tags_.all_sectors(); }

  const L2Spec spec_;
  const std::uint32_t port_bytes_;
  // Something moves between lookups and fills: a queue behind the miss queue, answers in turn or from memory.
  const bool staged_;
  const bool direct_;  // L2Spec::direct()
  const bool two_sided_;
  const L2Side side_;
  mem::AtomicUnit* atomics_;
  TagStore tags_;
  std::vector<mem::SectorMask> copied_;  // by way, of two sides: what the other one has
  Mshrs mshrs_;
  std::vector<TagStore::Way> way_of_;  // the line's, by MSHR
  RingQueue<Waiting> in_;
  RingQueue<Reply> replies_;        // in the order of `at`: all take the same time
  RingQueue<Reply> crossing_;       // to the other side: likewise
  RingQueue<MemoryAccess> memory_;  // what waits for DRAM: the miss queue, or the one behind it
  RingQueue<MemoryAccess> misses_;  // with dram_queue: the miss queue
  RingQueue<Fill> fills_;
  RingQueue<Leaving> leaving_;       // with replies_per_cycle
  std::uint32_t leaving_lines_ = 0;  // MSHRs that these keep
  std::vector<Ack> acks_;
  std::uint32_t free_ack_ = kNoAck, unwritten_ = 0;
  Tick port_free_ = 0, fill_port_free_ = 0, lookup_free_ = 0;
  Tick side_free_ = 0;                              // the link to the other side
  std::uint64_t last_crossed_ = ~std::uint64_t{0};  // line of the last write from there
  Tick last_cross_ = 0;                             // when the last of crossing_ is at the exit
  // The head waits for something that only another event brings; the same for the fill at the head.
  bool blocked_ = false, fill_blocked_ = false;
  L2Stall stall_ = L2Stall::None;
  TagStore::Way head_way_ = TagStore::kNone;  // of the last lookup's line
  Tick stalled_since_ = 0;
  Tick last_posted_ = 0;
  std::uint64_t last_atomic_ = ~std::uint64_t{0};  // its line, with atomic_passes
  std::uint32_t atomic_rest_ = 0;                  // quarters of a cycle that the last ones left
  L2Stats stats_;
  mem::PotentialMeter* meter_ = nullptr;
};

}  // namespace heddle::cache
