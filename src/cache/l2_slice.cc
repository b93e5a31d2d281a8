#include "cache/l2_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace heddle::cache {

using mem::Op;
using mem::sector_count;
using mem::SectorMask;
using Way = TagStore::Way;

L2Slice::L2Slice(const L2Spec& spec, mem::AtomicUnit* atomics, const L2Side& side)
    : spec_(spec),
      port_bytes_(static_cast<std::uint32_t>(spec.port.count())),
      staged_(spec.dram_queue != 0 || spec.replies_per_cycle != 0 || acknowledges_later() || spec.direct()),
      direct_(spec.direct()),
      two_sided_(spec.sides == 2),
      side_(side),
      atomics_(atomics),
      tags_(spec.tags),
      copied_(two_sided_ ? std::size_t{spec.tags.sets} * spec.tags.ways : 0),
      mshrs_(spec.mshrs, spec.merges),
      way_of_(spec.mshrs, TagStore::kNone),
      in_(spec.places()),
      // A fill answers all who wait for it at once, or in turn.
      replies_(spec.latency +
               (spec.replies_per_cycle == 0 ? std::max(spec.reply_queue, spec.merges) : spec.reply_queue)),
      crossing_(two_sided_ ? replies_.capacity() + spec.side_latency : 0),
      memory_(spec.dram_queue == 0 ? spec.miss_queue : spec.dram_queue),
      misses_(spec.dram_queue == 0 ? 0 : spec.miss_queue),
      fills_(spec.mshrs * mem::kMaxSectors),
      leaving_(spec.replies_per_cycle == 0 ? 1 : spec.merges) {}

void L2Slice::push(const mem::Request& request, std::uint64_t line) {
  ++stats_.requests_in;
  in_.push({request, line});
}

void L2Slice::step(Tick t) {
  if (!fills_.empty() && (fill_port() <= t || fills_.front().sectors == 0)) fill(t);
  if (staged_) [[unlikely]]
    move_on(t);
  if (in_.empty() || lookup_free_ > t) return;
  // The time since the last attempt was lost to what failed then.
  if (stall_ != L2Stall::None) stats_.stalls[static_cast<std::size_t>(stall_)] += t - stalled_since_;
  stall_ = access(t, in_.front());
  stalled_since_ = t;
  blocked_ = stall_ != L2Stall::None && stall_ != L2Stall::Port;
  if (stall_ != L2Stall::None) return;
  if (in_.front().request.posted) [[unlikely]]
    last_posted_ = t;
  lookup_free_ = t + intake(in_.front());
  in_.pop();
}

// Cycles until the next request can be looked up.
std::uint32_t L2Slice::intake(const Waiting& w) {
  const mem::Request& r = w.request;
  if (r.op == Op::Atomic) return spec_.atomic_passes ? passes(w) : spec_.atomic_interval;
  if (r.op != Op::Write || spec_.input.count() == 0) return 1;
  const auto input = static_cast<std::uint32_t>(spec_.input.count());
  return 1 + (sector_count(r.sectors) * mem::kSectorBytes + input - 1) / input;
}

// Cycles of the arithmetic units. Additions of floating-point numbers to a word wait for each other; those of
// one request do among themselves, and for those of the last one where that was for the same line.
std::uint32_t L2Slice::passes(const Waiting& w) {
  const mem::AtomicWork work = atomics_->work(w.request);
  const bool again = w.line == last_atomic_ || work.deepest > 1;
  last_atomic_ = w.line;
  const std::uint32_t quarters = 4 * spec_.atomic_interval * (work.whole + work.part) +
                                 spec_.atomic_part_quarters * work.part + atomic_rest_;
  atomic_rest_ = quarters % 4;
  const std::uint32_t cycles = std::max(1u, quarters / 4);
  return work.floating && again ? std::max(cycles, work.deepest * spec_.atomic_float_interval) : cycles;
}

L2Stall L2Slice::access(Tick t, const Waiting& w) {
  if (spec_.lookups_need_port && port_free_ > t) {
    find(w.line);  // at the first attempt
    return L2Stall::Port;
  }
  switch (w.request.op) {
    case Op::Read:
      return read(t, w, stats_.reads);
    case Op::Write:
      return write(t, w);
    case Op::Atomic:
      break;
  }
  // Without an L2 the result goes to memory at once, beside the fetch and a victim's sectors.
  if (!spec_.enabled && miss_queue().room() < 3) return L2Stall::MissQueue;
  const L2Stall stall = read(t, w, stats_.atomics);
  if (stall != L2Stall::None) return stall;
  // Performed in order of arrival; only the answer waits for the line.
  atomics_->execute(w.request);
  if (spec_.enabled) {
    tags_.set_dirty(head_way_, in_tags(w.request.sectors));
    drop_copies(head_way_, in_tags(w.request.sectors));
  } else {
    write_through(w, w.request.sectors, false);
  }
  return L2Stall::None;
}

// Only lookups bring lines in and drive them out, so a request that has to try again finds what it found;
// but not without an L2, where lines go with their fill.
Way L2Slice::find(std::uint64_t line) {
  if (stall_ == L2Stall::None || !spec_.enabled) head_way_ = tags_.find(line);
  return head_way_;
}

// An access of its own, whoever else wants the line. Nothing is asked of memory while as much as the reply
// queue holds is back and could not leave.
L2Stall L2Slice::read_from_memory(Tick t, const Waiting& w, L2OpStats& stats) {
  if (fills_.size() + replies_.size() + crossing_.size() >= spec_.latency + spec_.reply_queue)
    return L2Stall::Replies;
  if (miss_queue().room() == 0 || unwritten_ == kMostAcks) return L2Stall::MissQueue;
  const SectorMask sectors = w.request.sectors;
  const bool global_read = mem::is_global_read(w.request);
  count(stats, w.request, sectors, TagStore::kNone);
  if (global_read) count(stats_.global_reads, w.request, sectors, TagStore::kNone);
  if (global_read && meter_ != nullptr) meter_->request(t, w.request.line, true);
  miss_queue().push({w.line, acknowledgement(w.request, sectors), sectors, false, global_read});
  stats_.global_fetches += global_read ? 1 : 0;
  stats_.fetched_sectors += sector_count(sectors);
  return L2Stall::None;
}

L2Stall L2Slice::read(Tick t, const Waiting& w, L2OpStats& stats) {
  if (direct_) [[unlikely]]
    return read_from_memory(t, w, stats);
  const SectorMask wanted = in_tags(w.request.sectors);
  Way way = find(w.line);
  const SectorMask missing = way == TagStore::kNone ? wanted : without(wanted, tags_.valid(way));
  if (missing == 0) {
    if (port_free_ > t) return L2Stall::Port;
    if (reply_room() == 0) return L2Stall::Replies;
    use_port(t, sector_count(w.request.sectors));
    reply_read(t, w.request, way);
  } else {
    const L2Stall stall = can_fetch(w.line, way, missing, 0);
    if (stall != L2Stall::None) return stall;
  }
  count(stats, w.request, missing, way);
  if (mem::is_global_read(w.request)) {
    count(stats_.global_reads, w.request, missing, way);
    if (meter_ != nullptr && missing != 0 && !meter_->request(t, w.line, true) && way != TagStore::kNone &&
        without(missing, tags_.pending(way)) == 0)
      meter_->merged();  // with the fetch of a store
  }
  if (missing != 0) {
    if (way == TagStore::kNone) way = make_room(t, w.line);
    fetch(w, way, missing);
  }
  tags_.touch(way);
  head_way_ = way;
  return L2Stall::None;
}

L2Stall L2Slice::write(Tick t, const Waiting& w) {
  const Way way = find(w.line);  // at the first attempt, whatever it then waits for
  if (spec_.write_waits && way != TagStore::kNone && tags_.pending(way) != 0) return L2Stall::Fill;
  const bool there = way != TagStore::kNone && without(in_tags(w.request.sectors), tags_.valid(way)) == 0;
  const bool stays = spec_.enabled && (there || spec_.write_miss == WriteMiss::Validate);
  if (reply_room() == 0 && !w.request.posted && (stays || !acknowledges_later())) return L2Stall::Replies;
  if (stays) return write_into_cache(t, w, way);
  return write_to_memory(t, w, spec_.enabled ? way : TagStore::kNone);
}

// The line is there, or made room for without fetching it.
L2Stall L2Slice::write_into_cache(Tick t, const Waiting& w, Way way) {
  const SectorMask written = in_tags(w.request.sectors);
  if (port_free_ > t) return L2Stall::Port;
  if (way == TagStore::kNone) {
    if (miss_queue().room() == 0) return L2Stall::MissQueue;
    if (!tags_.has_victim(w.line)) return L2Stall::Ways;
    count(stats_.writes, w.request, written, TagStore::kNone);
    way = make_room(t, w.line);
  } else {
    count(stats_.writes, w.request, without(written, tags_.valid(way)), way);
  }
  use_port(t, sector_count(w.request.sectors));
  tags_.set_dirty(way, written);
  drop_copies(way, written);
  // Of a line that is one unit, all of it must have been written.
  if (!w.request.partial_write && written == w.request.sectors) tags_.set_valid(way, written);
  tags_.touch(way);
  reply(t, w.request);
  return L2Stall::None;
}

// At least some of the sectors are not there, and the policy is not to keep them.
L2Stall L2Slice::write_to_memory(Tick t, const Waiting& w, Way way) {
  const SectorMask written = in_tags(w.request.sectors);
  const SectorMask valid = way == TagStore::kNone ? 0 : tags_.valid(way);
  const SectorMask missing = without(written, valid);
  const auto held = static_cast<SectorMask>(written & valid);
  if (held != 0 && port_free_ > t) return L2Stall::Port;
  const SectorMask pending = way == TagStore::kNone ? 0 : tags_.pending(way);
  const bool fetches = spec_.enabled && spec_.write_miss == WriteMiss::Fetch;
  const SectorMask fetched = fetches ? without(missing, pending) : 0;
  const bool merges = fetches && fetched == 0 && spec_.merges_as_misses;
  if (fetched != 0 || merges) {
    const L2Stall stall = can_fetch(w.line, way, fetched, 1);
    if (stall != L2Stall::None) return stall;
  } else if (miss_queue().room() == 0 || unwritten_ == kMostAcks) {
    return L2Stall::MissQueue;
  }
  count(stats_.writes, w.request, missing, way);
  const auto through = static_cast<SectorMask>(missing & w.request.sectors);
  write_through(w, through, acknowledges_later() && !w.request.posted);
  if (fetched != 0) {
    if (way == TagStore::kNone) way = make_room(t, w.line);
    fetch(w, way, fetched);
  } else if (merges) {
    mshrs_.join(mshrs_.find(w.line), {w.request, missing});
  }
  if (held != 0) {
    use_port(t, sector_count(held));
    tags_.set_dirty(way, held);
    drop_copies(way, held);
  }
  if (way != TagStore::kNone) tags_.touch(way);
  if (!acknowledges_later()) reply(t, w.request);
  return L2Stall::None;
}

void L2Slice::write_through(const Waiting& w, SectorMask sectors, bool acknowledge) {
  const std::uint32_t ack = acknowledge ? acknowledgement(w.request, sectors) : 0;
  miss_queue().push({w.line, ack, sectors, true, false, acknowledge});
  stats_.written_through_sectors += sector_count(sectors);
}

// Whether `missing` sectors can be asked for, beside `accesses` other accesses to memory.
L2Stall L2Slice::can_fetch(std::uint64_t line, Way way, SectorMask missing, std::uint32_t accesses) const {
  const Mshrs::Entry e = mshrs_.find(line);
  if (e != Mshrs::kNone) {
    if (!mshrs_.can_join(e)) return L2Stall::Merges;
    accesses += spec_.merges_as_misses ? 2 : without(missing, mshrs_.requested(e)) != 0;
  } else {
    if (mshrs_.used() + leaving_lines_ >= spec_.mshrs) return L2Stall::Mshrs;
    // A victim may be dirty. Asked before the replacement is, which must be asked once only.
    accesses += way == TagStore::kNone ? 2 : 1;
  }
  if (miss_queue().room() < accesses) return L2Stall::MissQueue;
  if (way == TagStore::kNone && !tags_.has_victim(line)) return L2Stall::Ways;
  return L2Stall::None;
}

// A way for a line that has none; the victim's dirty sectors go to memory.
Way L2Slice::make_room(Tick t, std::uint64_t line) {
  const Way way = tags_.victim(line);
  if (const SectorMask dirty = tags_.dirty(way); dirty != 0) {
    miss_queue().push({tags_.line(way), 0, dirty, true});
    ++stats_.writebacks;
    stats_.writeback_sectors += sector_count(dirty);
    use_port(t, sector_count(dirty));
  }
  tags_.allocate(way, line);
  drop_copies(way, static_cast<SectorMask>(~SectorMask{0}));
  return way;
}

void L2Slice::fetch(const Waiting& w, Way way, SectorMask missing) {
  Mshrs::Entry e = mshrs_.find(w.line);
  SectorMask ask = missing;
  if (e == Mshrs::kNone)
    e = mshrs_.open(w.line, {w.request, missing}, missing);
  else
    ask = mshrs_.join(e, {w.request, missing});
  if (ask == 0) return;
  if (const SectorMask more = neighbours(way, ask); more != 0) {
    mshrs_.ask_also(e, more);
    ask = static_cast<SectorMask>(ask | more);
  }
  way_of_[e] = way;
  tags_.set_pending(way, ask);
  const bool global_read = mem::is_global_read(w.request);
  miss_queue().push({w.line, e, ask, false, global_read});
  stats_.global_fetches += global_read ? 1 : 0;
  stats_.fetched_sectors += sector_count(ask);
}

// What comes along with `asked` sectors: the rest of their aligned groups, where it is neither there nor on
// its way.
SectorMask L2Slice::neighbours(Way way, SectorMask asked) const {
  const auto group = static_cast<std::uint32_t>(spec_.fetch.count()) / mem::kSectorBytes;
  if (group <= 1 || !spec_.tags.sectored) return 0;
  SectorMask more = 0;
  const auto ones = static_cast<SectorMask>((1u << group) - 1);
  for (std::uint32_t at = 0; at < 8 * sizeof(SectorMask); at += group)
    if (const auto all = static_cast<SectorMask>(ones << at); (asked & all) != 0)
      more = static_cast<SectorMask>(more | all);
  more = static_cast<SectorMask>(more & tags_.all_sectors());
  return without(without(more, asked), static_cast<SectorMask>(tags_.valid(way) | tags_.pending(way)));
}

void L2Slice::reply(Tick t, const mem::Request& request) {
  if (request.posted) [[unlikely]]
    return;
  if (is_far(request)) [[unlikely]]
    return reply_across(t, request, crossing_sectors(request));
  reply_here(t, request);
}

void L2Slice::reply_here(Tick t, const mem::Request& request) {
  Reply r{t + spec_.latency, request};
  r.request.reply = true;
  replies_.push(r);
}

void L2Slice::use_port(Tick t, std::uint32_t sectors) {
  const std::uint32_t n = port_cycles(sectors);
  port_free_ = std::max(port_free_, t) + n;
  stats_.port_cycles += n;
}

void L2Slice::count(L2OpStats& s, const mem::Request& r, SectorMask missing, Way way) const {
  const SectorMask pending = way == TagStore::kNone ? 0 : tags_.pending(way);
  ++s.requests;
  ++(missing == 0 ? s.hits : without(missing, pending) == 0 ? s.merged : s.misses);
  s.sectors += sector_count(r.sectors);
  s.hit_sectors += sector_count(without(r.sectors, missing));
}

void L2Slice::preload(std::uint64_t line) {
  if (!spec_.enabled) return;
  Way way = tags_.find(line);
  if (way == TagStore::kNone) {
    way = tags_.victim(line);
    tags_.allocate(way, line);
  }
  drop_copies(way, static_cast<SectorMask>(~SectorMask{0}));
  tags_.clean(way);
  tags_.set_valid(way, tags_.all_sectors());
  tags_.touch(way);
}

void L2Slice::flush() {
  assert(idle());
  tags_.for_each_dirty([&](Way way) {
    ++stats_.writebacks;
    stats_.writeback_sectors += sector_count(tags_.dirty(way));
  });
  tags_.flush();
}

std::string L2Slice::waits() const {
  if (idle()) return {};
  static constexpr const char* kCause[kL2Stalls] = {
      "its turn", "the data port",    "room for a reply",  "a way of its set",
      "an MSHR",  "room in its MSHR", "room towards DRAM", "the line that it writes"};
  std::string head;
  if (!in_.empty())
    head = fmt::format(" (the first, line {:#x}, waits for {})", in_.front().line,
                       kCause[static_cast<std::size_t>(stall_)]);
  const std::string writes = unwritten_ == 0 ? "" : fmt::format("{} writes not yet in memory, ", unwritten_);
  return fmt::format("{} requests{}, {} lines under way, {}{} accesses to memory, {} fills, {} replies",
                     in_.size(), head, mshrs_.used() + leaving_lines_, writes,
                     memory_.size() + misses_.size(), fills_.size(),
                     replies_.size() + crossing_.size() + leaving_.size());
}

}  // namespace heddle::cache
