#include "techniques/mrpb/mrpb.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace heddle::mrpb {

using config::range;
using sim::Cycle;
using Outcome = mem::L1Port::Outcome;

namespace {

sm::LoadFrontFactory read(config::Reader& section) {
  MrpbSpec spec;
  spec.fields(section);
  return [spec](const sm::FrontPlace& place) { return std::make_unique<Mrpb>(spec, place); };
}

constexpr std::uint32_t kStore = ~0u - 1;  // what is blocked, beside the numbers of queues

}  // namespace

constinit const sm::LoadFrontKind kMrpb{
    "mrpb", "MRPB: requests wait by warp before the L1, and leave in an order that keeps a warp's together",
    read};

void MrpbSpec::fields(config::Reader& r) {
  r.field("queues", queues, range(1u, 64u),
          "Queues of line requests; warps are divided among them by number");
  r.field("entries", entries, range(1u, 256u), "Line requests in each queue");
  r.choice("drain", drain,
           {{"fixed", Drain::Fixed, "the queue of the lowest warps that has any"},
            {"round_robin", Drain::RoundRobin, "the next queue after the last one"},
            {"longest", Drain::Longest, "the queue with the most requests"}},
           "Which queue's first request goes to the L1 next");
  r.field("bypass", bypass, "A load whose set has no way to reserve passes the L1 by");
}

void MrpbStats::statistics(stats::Visitor& v) {
  v.counter("waited", waited, {"requests", "Line requests that found their queue full"});
  v.counter("flushes", flushes, {"instructions", "Stores that waited until the buffer was empty"});
  v.counter("bypassed", bypassed, {"requests", "Loads that passed the L1 by for want of a way"});
  v.peak("peak", peak, {"requests", "Most line requests waiting at once in one SM"});
}

Mrpb::Mrpb(const MrpbSpec& spec, const sm::FrontPlace& place)
    : spec_(spec),
      sm_(place.sm),
      warps_(std::max(place.warps, spec.queues)),
      lines_per_cycle_(place.lines_per_cycle),
      l1_(place.l1),
      in_(place.queue),
      queues_(spec.queues, RingQueue<Waiting>(spec.entries)) {}

std::optional<sm::LoadFront::Obstacle> Mrpb::apart_obstacle() const {
  if (!spec_.bypass) return {};
  return Obstacle{"sm.mrpb.bypass",
                  "whether a set has a way to reserve is not known at the SM: its L1 is behind a network",
                  "give sm.mrpb.bypass = false"};
}

void Mrpb::accept(Cycle now, const sm::FrontAccess& access) {
  in_.add(now, sm_, access);
  if (access.op == mem::Op::Read && access.space == mem::Space::Global) stats_.offered += access.lines.size();
  open_.add(access.warp, static_cast<std::uint32_t>(access.lines.size()));
  moved_ = true;
  hold();
}

// Instructions enter in order, and a store empties the buffer first: a warp's own order needs no more.
void Mrpb::hold() {
  holds_.loads = holds_.stores = in_.full() ? ~sm::WarpMask{0} : 0;
  holds_.drain = open_.warps();
}

bool Mrpb::step(Cycle now, bool port) {
  moved_ = !port;
  bool used = false;
  if (port)
    for (std::uint32_t n = 0; n < lines_per_cycle_; ++n) used |= drain(now);
  coalesce();
  hold();
  return used;
}

std::uint32_t Mrpb::chosen() const {
  if (spec_.drain == Drain::Fixed) return static_cast<std::uint32_t>(std::countr_zero(filled_));
  if (spec_.drain == Drain::RoundRobin) {
    const std::uint64_t after = last_ + 1 < 64 ? filled_ >> (last_ + 1) << (last_ + 1) : 0;
    return static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : filled_));
  }
  std::uint32_t longest = 0;
  for (std::uint32_t q = 0; q < spec_.queues; ++q)
    if (queues_[q].size() > queues_[longest].size()) longest = q;
  return longest;
}

// One request to the L1. Returns whether it was offered.
bool Mrpb::drain(Cycle now) {
  if (waiting_ == 0) return send_store(now);
  const std::uint32_t q = chosen();
  if (q == blocked_queue_ && blocked_until_ > now) return false;
  RingQueue<Waiting>& queue = queues_[q];
  mem::Request r = queue.front().request;
  mem::L1Port::Answer answer = l1_->send(now, r);
  if (answer.outcome == Outcome::Blocked && answer.no_way && spec_.bypass && r.space == mem::Space::Global) {
    r.no_l1 = true;
    answer = l1_->send(now, r);
    own_.bypassed += answer.outcome != Outcome::Blocked;
  }
  if (answer.outcome == Outcome::Blocked) {
    blocked_queue_ = q;
    blocked_until_ = l1_->retry_at(now);
    return true;
  }
  moved_ = true;
  blocked_queue_ = ~0u;
  stats_.sent += r.space == mem::Space::Global;
  open_.remove(queue.front().warp);
  queue.pop();
  if (queue.empty()) filled_ &= ~(std::uint64_t{1} << q);
  --waiting_;
  last_ = q;
  return true;
}

bool Mrpb::send_store(Cycle now) {
  if (in_.empty() || in_.first().op == mem::Op::Read || in_.first().at >= now) return false;
  if (blocked_queue_ == kStore && blocked_until_ > now) return false;
  if (l1_->send(now, in_.line()).outcome == Outcome::Blocked) {
    blocked_queue_ = kStore;
    blocked_until_ = l1_->retry_at(now);
    return true;
  }
  moved_ = true;
  blocked_queue_ = ~0u;
  open_.remove(in_.first().warp);
  if (in_.pop_line()) head_counted_ = false;
  return true;
}

void Mrpb::coalesce() {
  for (std::uint32_t n = 0; n < lines_per_cycle_ && !in_.empty(); ++n) {
    const sm::InstructionQueue::Instruction& i = in_.first();
    if (i.op != mem::Op::Read) {
      own_.flushes += waiting_ != 0 && !head_counted_;
      head_counted_ = true;
      return;
    }
    const std::uint32_t q = queue_of(i.warp);
    if (queues_[q].full()) {
      own_.waited += !head_counted_;
      head_counted_ = true;
      return;
    }
    queues_[q].push({in_.line(), i.warp});
    filled_ |= std::uint64_t{1} << q;
    own_.peak = std::max<std::uint64_t>(own_.peak, ++waiting_);
    head_counted_ = false;
    in_.pop_line();
    moved_ = true;
  }
}

Cycle Mrpb::next(Cycle now) const {
  if (moved_) return now + 1;
  // What is not blocked would have moved.
  if (waiting_ != 0 || !in_.empty()) return std::max(now + 1, blocked_until_);
  return sim::kNever;
}

std::string Mrpb::waits() const {
  if (idle()) return {};
  return fmt::format("MRPB: {} instructions, {} line requests in queues", in_.size(), waiting_);
}

void Mrpb::clear_statistics() {
  LoadFront::clear_statistics();
  own_ = {};
}

}  // namespace heddle::mrpb
