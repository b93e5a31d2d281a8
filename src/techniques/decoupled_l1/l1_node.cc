#include "techniques/decoupled_l1/l1_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

namespace heddle::decoupled_l1 {

using sim::Cycle;
using sim::kNever;

L1Node::L1Node(const cache::L1Spec& l1, std::uint32_t q2, std::uint32_t number, const mem::AddressMap& map,
               const Wiring& wiring)
    : number_(number),
      wiring_(wiring),
      l1_(l1, static_cast<std::uint16_t>(number), map, *this, *wiring.to_port),
      hits_(l1.latency + 1),  // one access per cycle: no more are on their way, unless Q2 stops them
      replies_(q2) {
  assert(l1.replies_per_cycle == 1);  // so that each finds the room that was there before it
}

Cycle L1Node::run(Cycle from, Cycle until) {
  for (Cycle now = from; now < until;) {
    take_answers(now);
    if (!hits_.empty() && hits_.front().at <= now && takes_replies()) {
      replies_.push() = hits_.front();
      hits_.pop();
    }
    access(now);
    l1_.send(now);
    send_reply(now);
    now = following(now);
    if (now >= until) return now;
  }
  return until;
}

void L1Node::take_answers(Cycle now) {
  if (!wiring_.from_port->ready(now) || !takes_replies()) return;
  l1_.reply(now, wiring_.from_port->front());
  wiring_.from_port->pop(now);
  blocked_ = false;
}

// From the cache: what was asked of L2 has come.
void L1Node::reply(Cycle at, const mem::Request& request) {
  replies_.push() = {at, request};
}

void L1Node::access(Cycle now) {
  Packets& in = *wiring_.from_cores;
  if (!in.ready(now) || hits_.size() == hits_.capacity() || (blocked_ && now < retry_)) return;
  const mem::Request& r = in.front().request;
  const mem::L1Port::Answer a = l1_.access(now, r);
  blocked_ = a.outcome == mem::L1Port::Outcome::Blocked;
  if (blocked_) {
    retry_ = l1_.retry_at(now);
    return;
  }
  if (a.outcome == mem::L1Port::Outcome::Hit) {
    Due& due = hits_.push();
    due = {a.ready, r};
    due.reply.reply = due.reply.hit = true;
  }
  in.pop(now);
}

// A read's data are the words that its lanes asked for, not the line (rule 3).
std::uint32_t L1Node::flits_of(const mem::Request& reply) const {
  if (reply.op != mem::Op::Read || reply.words == 0) return mem::flits(wiring_.format, reply);
  return mem::flits_of_data(wiring_.format, std::uint64_t{4} * std::popcount(reply.words));
}

void L1Node::send_reply(Cycle now) {
  if (replies_.empty() || replies_.front().at > now) return;
  const mem::Request& r = replies_.front().reply;
  Packets& out = *wiring_.to_cores;
  const auto flits = static_cast<std::uint16_t>(flits_of(r));
  const std::uint32_t places = wiring_.format.places(flits);
  const std::uint16_t vc = mem::virtual_channel(r.sm, out.virtual_channels());
  if (!out.can_send(now, vc, places)) return;
  out.send(now, {r, static_cast<std::uint16_t>(number_), r.sm, flits, vc}, vc, places);
  replies_.pop();
}

Cycle L1Node::following(Cycle now) const {
  Cycle next = l1_.next_send(now);
  if (takes_replies()) {
    next = std::min(next, wiring_.from_port->next_arrival());
    if (!hits_.empty()) next = std::min(next, hits_.front().at);
  }
  if (hits_.size() < hits_.capacity())
    next = std::min(next, blocked_ ? retry_ : wiring_.from_cores->next_arrival());
  if (!replies_.empty()) {
    const Due& due = replies_.front();
    const std::uint16_t vc = mem::virtual_channel(due.reply.sm, wiring_.to_cores->virtual_channels());
    next = std::min(
        next, std::max(due.at, wiring_.to_cores->room_at(vc, wiring_.format.places(flits_of(due.reply)))));
  }
  return std::max(now + 1, next);
}

std::string L1Node::name() const {
  return fmt::format("DC-L1 node {}", number_);
}

std::string L1Node::waits() const {
  std::string out = l1_.waits();
  if (!idle())
    out += fmt::format("{}{} hits on their way, {} answers for cores{}", out.empty() ? "" : "\n    ",
                       hits_.size(), replies_.size(), blocked_ ? "; the next request was refused" : "");
  return out;
}

}  // namespace heddle::decoupled_l1
