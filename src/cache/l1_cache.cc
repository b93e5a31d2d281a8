#include "cache/l1_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace heddle::cache {

using mem::Op;
using mem::Request;
using mem::Space;
using sim::Cycle;

namespace {

constexpr Cycle kNextCycle = 0;  // for retry_at(): the very next cycle may do

}  // namespace

L1Cache::L1Cache(const L1Spec& spec, std::uint16_t sm, const mem::AddressMap& map, mem::L1Client& client,
                 sim::Channel<Request>& out)
    : spec_(spec),
      map_(map),
      client_(client),
      out_(out),
      sm_(sm),
      sectored_(spec.tags.sectored),
      special_(spec.make_prefetcher || spec.replies_per_cycle != 0),
      tags_(spec.tags),
      mshrs_(spec.mshr_entries, spec.mshr_merges + (spec.make_prefetcher ? 1 : 0)),
      stale_(spec.mshr_entries),
      records_(spec.passing),
      queue_(spec.miss_queue),
      store_lines_(spec.sector_sends ? spec.store_lines : 0, spec.store_idle),
      port_free_(spec.ports),
      port_mask_(spec.ports > 1 ? ~0u : 0),
      misses_limited_(spec.read_places != 0 || spec.misses_per_cycle != 0) {
  assert(map.spec().interleave >= spec.tags.line);
  assert(spec.miss_queue >= 2 || !spec.local_write_back || !spec.enabled);
  for (std::uint32_t i = spec.passing; i > 0; --i) free_records_.push_back(i - 1);
  const auto bit = [](Space s) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(s)); };
  if (spec.enabled) {
    looked_up_[0] = static_cast<std::uint8_t>(spec.bypass_global ? ~bit(Space::Global) : 0xff);
    if (spec.local_write_back) looked_up_[1] = bit(Space::Local);
    if (spec.make_prefetcher)
      prefetch_ = std::make_unique<L1Prefetch>(spec.make_prefetcher(spec.prefetcher_place(sm)),
                                               spec.mshr_entries, spec.tags.sets * spec.tags.ways);
  }
}

mem::L1Port::Answer L1Cache::access(Cycle now, const Request& r) {
  if (replicas_ != nullptr) [[unlikely]]
    replicas_->at(now);
  return spec_.tags.parts == 1 ? take(now, r) : take_in_part(now, r);
}

mem::L1Port::Answer L1Cache::take(Cycle now, const Request& r) {
  if (r.op == Op::Read) {
    if (looks_up(r)) return read(now, r);
    return can_pass(r.op) ? pass_read(now, r) : Answer{};
  }
  if (r.op == Op::Write) {
    if (!looks_up(r)) {
      if (!can_pass(r.op)) return {};
      drop(r.line, unit(r.sectors), false);
      return pass(now, r, stats_.writes, stats_.writes.bypassed);
    }
    return r.space == Space::Local && spec_.local_write_back ? write_back(now, r) : write_through(now, r);
  }
  if (!can_pass(r.op)) return {};
  drop(r.line, unit(r.sectors), false);
  return pass(now, r, stats_.atomics, stats_.atomics.bypassed);
}

// What a store changes is no hit in any part.
mem::L1Port::Answer L1Cache::take_in_part(Cycle now, const Request& r) {
  Request here = r;
  here.line = in_part(r.line, r.part);
  const Answer a = take(now, here);
  if (r.op != Op::Read && a.outcome != Outcome::Blocked)
    for (std::uint32_t other = 0; other < spec_.tags.parts; ++other)
      if (other != r.part) drop(in_part(r.line, other), unit(r.sectors), spec_.write == WritePolicy::Evict);
  return a;
}

Cycle L1Cache::retry_at(Cycle now) const {
  return retry_ == sim::kNever ? retry_ : std::max(retry_, now + 1);
}

// ---- reads ------------------------------------------------------------------------------------------

mem::L1Port::Answer L1Cache::read(Cycle now, const Request& r) {
  if (port_free(r) > now) return blocked(stats_.port_busy, port_free(r));
  if (spec_.perfect) [[unlikely]]
    return hit(now, r);
  const Way w = tags_.find(r.line);
  const Mask valid = w == TagStore::kNone ? Mask{0} : tags_.valid(w);
  const auto missing = static_cast<Mask>(unit(r.sectors) & ~valid);
  if (missing != 0) {
    const Answer a = miss(now, r, w, missing);
    if (a.outcome == Outcome::Blocked) return a;
    if (misses_limited_) {
      misses_ = missed_at_ == now ? misses_ + 1 : 1;
      missed_at_ = now;
    }
    L1Stats::Sectors& s = sectors_of(r.space);
    s.read += mem::sector_count(r.sectors);
    s.read_hit += mem::sector_count(r.sectors & valid);
    count(r.space, &L1Stats::Flow::in);
    if (meter_ != nullptr && r.space == Space::Global) meter_->request(now, tags_.without_part(r.line), true);
    if (prefetch_ != nullptr) prefetch_->miss(now, r, w, mshrs_.find(r.line), missing);
    return a;
  }
  tags_.touch(w);
  if (prefetch_ != nullptr) prefetch_->hit(now, r, w);
  return hit(now, r);
}

mem::L1Port::Answer L1Cache::hit(Cycle now, const Request& r) {
  take_port(now, r);
  const std::uint32_t n = mem::sector_count(r.sectors);
  L1Stats::Sectors& s = sectors_of(r.space);
  s.read += n;
  s.read_hit += n;
  count(r.space, &L1Stats::Flow::in);
  count(r.space, &L1Stats::Flow::hits);
  return {Outcome::Hit, now + spec_.latency};
}

void L1Cache::take_port(Cycle now, const Request& r) {
  if (spec_.port_bytes.count() == 0) return;
  const std::uint64_t bytes = mem::sector_count(r.sectors) * mem::kSectorBytes;
  port_free(r) = now + (bytes + spec_.port_bytes.count() - 1) / spec_.port_bytes.count();
}

// A line that comes in may push a dirty one out: then there must be two places in the queue.
bool L1Cache::room_for_line(Way present) const {
  const bool pushes_out =
      present == TagStore::kNone && spec_.allocate == Allocate::OnMiss && dirty_lines_ != 0;
  return queue_.room() >= (pushes_out ? 2u : 1u);
}

bool L1Cache::miss_admitted(Cycle now) {
  if (spec_.misses_per_cycle != 0 && missed_at_ == now && misses_ == spec_.misses_per_cycle) {
    blocked(stats_.miss_limit, kNextCycle);
    return false;
  }
  if (queue_.room() < spec_.read_places) {
    blocked(stats_.queue_full, kNextCycle);
    return false;
  }
  return true;
}

mem::L1Port::Answer L1Cache::miss(Cycle now, const Request& r, Way w, Mask missing) {
  if (misses_limited_ && !miss_admitted(now)) return {};
  Mshrs::Entry e = mshrs_.find(r.line);
  const Reader reader{r.born,  r.token,   r.words, r.payload, r.sm,
                      r.space, r.sectors, missing, r.no_l1,   e != Mshrs::kNone};
  Mask ask = missing;
  if (e != Mshrs::kNone) {
    if (!can_join(e)) return blocked(stats_.merge_limit, sim::kNever);
    ask = static_cast<Mask>(missing & ~mshrs_.requested(e));
    if (ask != 0 && queue_.room() == 0) return blocked(stats_.queue_full, kNextCycle);
    if ((missing & stale_[e]) != 0) ++stats_.stale_merges;
    mshrs_.join(e, reader);
    if (w != TagStore::kNone) tags_.touch(w);
  } else {
    if (mshrs_full()) return blocked(stats_.mshr_full, mshrs_held_ != 0 ? kNextCycle : sim::kNever);
    if (!room_for_line(w)) return blocked(stats_.queue_full, kNextCycle);
    if (w != TagStore::kNone) {
      tags_.touch(w);
    } else if (spec_.allocate == Allocate::OnMiss) {
      w = make_room(r.line);
      if (w == TagStore::kNone) return no_way();
    }
    e = open(now, r.line, reader);
  }
  if (ask == 0) {
    count(r.space, &L1Stats::Flow::merged);
    return {Outcome::Pending, 0, true};
  }
  if (w != TagStore::kNone && spec_.allocate == Allocate::OnMiss) tags_.set_pending(w, ask);
  sectors_of(r.space).read_asked += mem::sector_count(ask);
  count(r.space, &L1Stats::Flow::forwarded);
  push(r, e, Op::Read, ask);
  if (replicas_ != nullptr) [[unlikely]]
    replicas_->add(mem::ReplicaLog::What::Miss, r.line);
  return {Outcome::Pending, 0};
}

L1Cache::Mshrs::Entry L1Cache::open(Cycle now, std::uint64_t line, const Reader& first) {
  const Mshrs::Entry e = mshrs_.open(line, first, first.missing);
  stale_[e] = 0;
  mshrs_opened_ += now;
  stats_.mshr_peak = std::max<std::uint64_t>(stats_.mshr_peak, mshrs_used());
  return e;
}

// ---- writes -----------------------------------------------------------------------------------------

mem::SectorMask L1Cache::wholly_written(const Request& r) const {
  if (r.partial_write) return 0;
  if (sectored_) return r.sectors;
  return r.sectors == tags_.all_sectors() ? r.sectors : Mask{0};
}

mem::L1Port::Answer L1Cache::write_back(Cycle now, const Request& r) {
  if (port_free(r) > now) return blocked(stats_.port_busy, port_free(r));
  Way w = tags_.find(r.line);
  const Mask written = unit(r.sectors), whole = wholly_written(r);
  const Mask valid = w == TagStore::kNone ? Mask{0} : tags_.valid(w);
  // Part of a sector that is not there: fetching it would cost more than letting the store through.
  if ((written & ~valid & ~whole) != 0) return write_through(now, r);
  if (w == TagStore::kNone) {
    if (dirty_lines_ != 0 && queue_.room() == 0) return blocked(stats_.queue_full, kNextCycle);
    w = make_room(r.line);
    if (w == TagStore::kNone) return no_way();
  } else {
    tags_.touch(w);
    ++stats_.write_hits;
    sectors_of(r.space).written_hit += mem::sector_count(r.sectors & valid);
  }
  overtake(r.line, written);
  if (tags_.dirty(w) == 0) ++dirty_lines_;
  tags_.set_valid(w, written);
  tags_.set_dirty(w, written);
  take_port(now, r);
  ++stats_.writes.in;
  ++stats_.writes.hits;
  sectors_of(r.space).written += mem::sector_count(r.sectors);
  return {Outcome::Hit, now + spec_.latency};
}

mem::L1Port::Answer L1Cache::write_through(Cycle now, const Request& r) {
  if (port_free(r) > now) return blocked(stats_.port_busy, port_free(r));
  if (!can_pass(r.op)) return {};
  if (spec_.stores_need_way && !tags_.has_victim(r.line) && tags_.find(r.line) == TagStore::kNone)
    return blocked(stats_.reservation, sim::kNever);
  if (spec_.write == WritePolicy::ThroughAllocate && dirty_lines_ != 0 && queue_.room() < 2)
    return blocked(stats_.queue_full, kNextCycle);
  store_into_tags(now, r);
  return pass(now, r, stats_.writes, stats_.writes.forwarded);
}

void L1Cache::store_into_tags(Cycle now, const Request& r) {
  Way w = tags_.find(r.line);
  if (w != TagStore::kNone) {
    ++stats_.write_hits;
    sectors_of(r.space).written_hit += mem::sector_count(r.sectors & tags_.valid(w));
  }
  if (spec_.write == WritePolicy::Evict && r.space != Space::Local) {
    drop(r.line, unit(r.sectors), true);
    return;
  }
  overtake(r.line, unit(r.sectors));
  const Mask whole = spec_.write == WritePolicy::ThroughAllocate ? wholly_written(r) : Mask{0};
  if (w == TagStore::kNone) {
    // Without a way to be had the store goes through all the same.
    if (whole == 0) return;
    w = make_room(r.line);
    if (w == TagStore::kNone) return;
  } else {
    tags_.touch(w);
  }
  tags_.set_valid(w, whole);
  take_port(now, r);
}

void L1Cache::overtake(std::uint64_t line, Mask written) {
  if (mshrs_.used() == 0) return;
  if (const Mshrs::Entry e = mshrs_.find(line); e != Mshrs::kNone) {
    stale_[e] = static_cast<Mask>(stale_[e] | (written & mshrs_.requested(e)));
  }
}

void L1Cache::drop(std::uint64_t line, Mask written, bool whole_line) {
  overtake(line, written);
  const Way w = tags_.find(line);
  if (w == TagStore::kNone) return;
  const bool was_dirty = tags_.dirty(w) != 0;
  tags_.drop_sectors(w, whole_line ? tags_.all_sectors() : written);
  if (was_dirty && tags_.dirty(w) == 0) --dirty_lines_;
  if (prefetch_ != nullptr) prefetch_->dropped(w, tags_.valid(w));
  if (replicas_ != nullptr && tags_.valid(w) == 0) replicas_->add(mem::ReplicaLog::What::Gone, line);
  if (tags_.valid(w) == 0 && tags_.pending(w) == 0) tags_.invalidate(w);
}

void L1Cache::forget_clean(Cycle now) {
  if (replicas_ != nullptr) [[unlikely]]
    replicas_->at(now);
  if (mshrs_.used() != 0)
    mshrs_.for_each([&](Mshrs::Entry e) { stale_[e] = static_cast<Mask>(stale_[e] | mshrs_.requested(e)); });
  tags_.for_each_line([&](Way w) {
    const std::uint64_t line = tags_.line(w);
    tags_.drop_sectors(w, static_cast<Mask>(tags_.all_sectors() & ~tags_.dirty(w)));
    if (prefetch_ != nullptr) prefetch_->dropped(w, tags_.valid(w));
    if (tags_.valid(w) != 0) return;
    if (replicas_ != nullptr) replicas_->add(mem::ReplicaLog::What::Gone, line);
    if (tags_.pending(w) == 0) tags_.invalidate(w);
  });
}

// ---- what passes by ---------------------------------------------------------------------------------

bool L1Cache::can_pass(Op op) {
  if (free_records_.empty() && !posted(op)) {
    blocked(stats_.passing_full, sim::kNever);
    return false;
  }
  if (queue_.room() == 0) {
    blocked(stats_.queue_full, kNextCycle);
    return false;
  }
  return true;
}

mem::L1Port::Answer L1Cache::pass_read(Cycle now, const Request& r) {
  if (r.space == Space::Global) {
    ++stats_.global_reads.in;
    ++stats_.global_reads.bypassed;
    if (meter_ != nullptr) meter_->request(now, tags_.without_part(r.line), true);
  }
  return pass(now, r, stats_.reads, stats_.reads.bypassed);
}

mem::L1Port::Answer L1Cache::pass(Cycle now, const Request& r, L1Stats::Flow& flow, std::uint64_t& counted) {
  const bool unanswered = posted(r.op);
  std::uint32_t token = mem::kNoToken;
  if (!unanswered) [[likely]] {
    const std::uint32_t record = free_records_.back();
    free_records_.pop_back();
    records_[record] = r;
    token = record | kPassing;
  }
  push(r, token, r.op, r.sectors);
  ++flow.in;
  ++counted;
  L1Stats::Sectors& s = sectors_of(r.space);
  const std::uint32_t n = mem::sector_count(r.sectors);
  if (r.op == Op::Read) {
    s.read += n;
    s.read_asked += n;
  } else if (r.op == Op::Write) {
    s.written += n;
  }
  if (unanswered) return {Outcome::Hit, now};
  return {Outcome::Pending, 0};
}

// ---- lines and queue --------------------------------------------------------------------------------

// A way for a new line, allocated; what lay there is written back if dirty (the caller made sure of room).
TagStore::Way L1Cache::make_room(std::uint64_t line) {
  const Way w = tags_.victim(line);
  if (w == TagStore::kNone) return w;
  if (tags_.line(w) != TagStore::kFree) {
    ++stats_.evictions;
    if (prefetch_ != nullptr) prefetch_->evicted(w, tags_.line(w));
    if (replicas_ != nullptr) replicas_->add(mem::ReplicaLog::What::Gone, tags_.line(w));
  }
  if (const Mask dirty = tags_.dirty(w); dirty != 0) {
    Request back;
    back.line = tags_.line(w);
    back.space = Space::Local;
    push(back, kWriteBackToken, Op::Write, dirty);
    --dirty_lines_;
    write_backs_ += posted(Op::Write) ? 0 : 1;
    ++stats_.write_backs;
  }
  tags_.allocate(w, line);
  return w;
}

void L1Cache::push(const Request& r, std::uint32_t token, Op op, Mask sectors) {
  Request& q = queue_.push();
  q = r;
  q.token = token;
  q.op = op;
  q.sectors = sectors;
  q.sm = sm_;
  q.line = tags_.without_part(r.line);
  q.slice = static_cast<std::uint16_t>(map_.slice(q.line));
  q.reply = false;
  q.posted = posted(op);
}

std::string L1Cache::waits() const {
  if (idle()) return {};
  return fmt::format(
      "L1 of SM {}: {} of {} MSHRs, {} passing requests and {} write-backs unanswered, {} queued", sm_,
      mshrs_used(), mshrs_.limit(), under_way(), write_backs_, queue_.size());
}

void L1Cache::kernel_end() {
  assert(idle());
  tags_.flush();
  dirty_lines_ = 0;
  if (prefetch_ != nullptr) prefetch_->flushed();
}

}  // namespace heddle::cache
