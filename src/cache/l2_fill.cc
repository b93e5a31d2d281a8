// What memory brings to an L2 slice, and who is answered because of it.
#include "cache/l2_slice.h"

namespace heddle::cache {

using mem::Op;
using mem::sector_count;
using mem::SectorMask;
using Way = TagStore::Way;

// Data that go straight on to those who wait do not need the port again.
void L2Slice::fill(Tick t) {
  const Fill f = fills_.front();
  if (f.sectors == 0) return acknowledge(t);
  const bool in_turn = spec_.replies_per_cycle != 0;
  fill_blocked_ = !in_turn && reply_room() < mshrs_.waiters(f.entry);
  if (fill_blocked_) return;
  fills_.pop();
  const Way way = way_of_[f.entry];
  tags_.fill(way, f.sectors);
  const std::uint32_t n = sector_count(f.sectors);
  fill_port() = t + port_cycles(n);
  stats_.port_cycles += port_cycles(n);
  ++stats_.fills;
  stats_.fill_sectors += n;
  const std::uint64_t line = mshrs_.key(f.entry);
  if (in_turn) leave_in_turn(f.entry, f.sectors);
  mshrs_.arrive(f.entry, f.sectors, [&](const Waiter& waiter) {
    if (meter_ != nullptr && mem::is_global_read(waiter.request)) meter_->answer(line);
    // A write was answered when it was accepted.
    if (waiter.request.op != Op::Write && !in_turn) reply_fetched(t, waiter.request, way);
  });
  if (!spec_.enabled && tags_.pending(way) == 0) tags_.invalidate(way);
}

// Those who miss nothing when `sectors` have come are answered one after the other.
void L2Slice::leave_in_turn(std::uint32_t entry, SectorMask sectors) {
  std::uint32_t done = 0;
  mshrs_.for_each_waiter(entry, [&](const Waiter& w) { done += without(w.missing, sectors) == 0; });
  const bool closes = done == mshrs_.waiters(entry);
  leaving_lines_ += closes ? 1 : 0;
  leaving_.reserve(leaving_.size() + done);
  mshrs_.for_each_waiter(entry, [&](const Waiter& w) {
    if (without(w.missing, sectors) == 0) leaving_.push({w.request, way_of_[entry], --done == 0 && closes});
  });
}

// A write takes its turn as well; it was answered when it was accepted, or will be when it is written.
void L2Slice::answer_leaving(Tick t) {
  for (std::uint32_t n = 0; n < spec_.replies_per_cycle && !leaving_.empty(); ++n) {
    const Leaving& l = leaving_.front();
    if (l.request.op != Op::Write) {
      if (reply_room() == 0) return;
      reply_fetched(t, l.request, l.way);
    }
    leaving_lines_ -= l.last ? 1 : 0;
    leaving_.pop();
  }
}

// Once per cycle, in slices with `staged_`.
void L2Slice::move_on(Tick t) {
  if (!leaving_.empty()) answer_leaving(t);
  if (!can_move_on()) return;
  memory_.push(misses_.front());
  misses_.pop();
}

// Whether the next cycle has something to do that fills' port and lookups do not tell.
bool L2Slice::moves_on() const {
  const bool acknowledges = !fills_.empty() && !fill_blocked_ && fills_.front().sectors == 0;
  return acknowledges || can_move_on() || can_answer_leaving();
}

// For a write on its way to memory. There is room among the fills for all that are under way.
std::uint32_t L2Slice::acknowledgement(const mem::Request& request, SectorMask sectors) {
  fills_.reserve(spec_.mshrs * mem::kMaxSectors + ++unwritten_);
  std::uint32_t ack = free_ack_;
  if (ack == kNoAck) {
    ack = static_cast<std::uint32_t>(acks_.size());
    acks_.emplace_back();
  } else {
    free_ack_ = acks_[ack].next;
  }
  acks_[ack] = {request, sectors, kNoAck};
  return ack;
}

void L2Slice::written(std::uint32_t entry, SectorMask sectors) {
  Ack& a = acks_[entry];
  a.left = without(a.left, sectors);
  if (a.left != 0) return;
  fills_.push({entry, 0});
}

// Data for one request, which no cache keeps.
void L2Slice::passed_on(std::uint32_t entry, SectorMask sectors) {
  ++stats_.fills;
  stats_.fill_sectors += sector_count(sectors);
  written(entry, sectors);
}

void L2Slice::acknowledge(Tick t) {
  fill_blocked_ = reply_room() == 0;
  if (fill_blocked_) return;
  const std::uint32_t ack = fills_.front().entry;
  fills_.pop();
  const mem::Request& r = acks_[ack].request;
  if (direct_ && meter_ != nullptr && mem::is_global_read(r)) meter_->answer(r.line);
  reply(t, r);
  acks_[ack].next = free_ack_;
  free_ack_ = ack;
  --unwritten_;
}

}  // namespace heddle::cache
