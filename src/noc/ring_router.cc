#include "noc/ring_router.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace heddle::noc {

using sim::Cycle;
using sim::kNever;

RingRouter::RingRouter(const NetworkSpec& spec, sim::Clock clock, const RingLayout& layout,
                       std::uint32_t number, std::uint32_t network_outputs, const Wires& wires,
                       std::string name)
    : spec_(spec),
      clock_(clock),
      layout_(layout),
      number_(number),
      name_(std::move(name)),
      inputs_(kLinks + wires.in_ports.size()),
      outputs_(kLinks + wires.out_ports.size()),
      output_for_(network_outputs) {
  const auto add_queues = [&](Input& in, std::uint32_t n) {
    in.first = static_cast<std::uint32_t>(queues_.size());
    in.queues = n;
    queues_.resize(queues_.size() + n);
  };
  for (std::uint32_t l = 0; l < kLinks; ++l) {
    inputs_[l].link = wires.in[l];
    outputs_[l].link = wires.out[l];
    add_queues(inputs_[l], wires.in[l] == nullptr ? 0 : kRingVirtualChannels);
  }
  for (std::size_t i = 0; i < wires.in_ports.size(); ++i) {
    inputs_[kLinks + i].port = wires.in_ports[i];
    add_queues(inputs_[kLinks + i], spec.virtual_channels);
  }
  for (std::uint32_t d = 0; d < network_outputs; ++d)
    if (const std::uint32_t to = layout.router_of_output(d); to != number)
      output_for_[d] = static_cast<std::uint16_t>(layout.turn(number, to));
  for (std::size_t o = 0; o < wires.out_ports.size(); ++o) {
    outputs_[kLinks + o].port = wires.out_ports[o].channel;
    output_for_[wires.out_ports[o].port] = static_cast<std::uint16_t>(kLinks + o);
  }
}

Cycle RingRouter::run(Cycle from, Cycle until) {
  for (Input& in : inputs_)
    if (in.arrival == kNever && in.queues != 0) in.arrival = next_arrival(in);
  Tick t = clock_.tick_from(from);
  if (clock_.cycle_of(t) >= until) t = following(t - 1);  // none of its ticks is in this stretch
  for (; t != kNever; t = following(t)) {
    const Cycle cycle = clock_.cycle_of(t);
    if (cycle >= until) return cycle;
    busy_ = false;
    eject(t, cycle);
    if (waiting_ != 0) allocate(t, cycle);
    read(t, cycle);
  }
  return kNever;
}

// When the queue's head could go on, by what is known now. An output port without room has it after an
// ejection, which is looked for by itself.
RingRouter::Tick RingRouter::movable_at(const Input& in, const Queue& q) const {
  const Output& out = outputs_[q.output];
  const Tick free = std::max(in.free_at, out.free_at);
  if (out.link == nullptr) return out.places + places_of(q) <= spec_.output_buffer ? free : kNever;
  const Cycle room = out.link->room_at(q.next_vc, places_of(q));
  return room == kNever ? kNever : std::max(free, clock_.tick_from(room));
}

// The first tick after `t` at which something could happen; kNever when only a message or room can.
RingRouter::Tick RingRouter::following(Tick t) const {
  if (busy_) return t + 1;
  Tick next = kNever;
  Cycle by = kNever;
  for (const Input& in : inputs_) {
    by = std::min(by, in.arrival);
    if (waiting_ == 0) continue;
    for (std::uint32_t k = in.first; k < in.first + in.queues; ++k)
      if (queues_[k].count != 0) next = std::min(next, movable_at(in, queues_[k]));
  }
  for (std::size_t o = kLinks; o < outputs_.size(); ++o) {
    const Output& out = outputs_[o];
    if (out.packets.count == 0) continue;
    if (complete(out, t) == 0)
      next = std::min(next, out.free_at);
    else
      by = std::min(by, out.port->room_at());
  }
  if (by != kNever) next = std::min(next, clock_.tick_from(by));
  return next == kNever ? kNever : std::max(next, t + 1);
}

void RingRouter::eject(Tick t, Cycle cycle) {
  for (std::size_t o = kLinks; o < outputs_.size(); ++o) {
    Output& out = outputs_[o];
    const std::uint32_t most = std::min(complete(out, t), spec_.ejection);
    for (std::uint32_t n = 0; n < most && out.port->room_at() <= cycle; ++n) {
      out.places -= places_of(out.packets);
      const Index p = pool_.remove_head(out.packets);
      const PacketPool::Link& link = pool_.link(p);
      out.port->send(cycle, pool_.packet(p));
      stats_.latency_sum += static_cast<std::uint32_t>(t) - link.entered;
      stats_.output_stalls += static_cast<std::uint32_t>(t) - link.complete;
      ++stats_.ejected;
      --balance_;
      pool_.give_back(p);
      busy_ = true;
    }
  }
}

void RingRouter::allocate(Tick t, Cycle cycle) {
  asked_.clear();
  for (std::uint32_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].free_at <= t) offer(i, t);
  for (const std::uint32_t o : asked_) {
    const std::uint32_t i = outputs_[o].taken;
    outputs_[o].taken = PacketPool::kNone;
    cross(i, o, t, cycle);
  }
}

// The first queue from the input's turn on whose head could go now; the output keeps the offer of the packet
// that is longest in the ring.
void RingRouter::offer(std::uint32_t input, Tick t) {
  Input& in = inputs_[input];
  for (std::uint32_t n = 0, k = in.turn; n < in.queues; ++n, k = k + 1 == in.queues ? 0 : k + 1) {
    const Queue& q = queues_[in.first + k];
    if (q.count == 0 || movable_at(in, q) > t) continue;
    in.offers = k;
    Output& out = outputs_[q.output];
    if (out.taken == PacketPool::kNone) {
      asked_.push_back(q.output);
      out.taken = input;
    } else if (older(q, queues_[inputs_[out.taken].first + inputs_[out.taken].offers])) {
      out.taken = input;
    }
    return;
  }
}

void RingRouter::cross(std::uint32_t input, std::uint32_t output, Tick t, Cycle cycle) {
  Input& in = inputs_[input];
  Output& out = outputs_[output];
  const std::uint32_t k = in.offers;
  Queue& from = queues_[in.first + k];
  const std::uint32_t vc = from.next_vc;
  const Index p = pool_.remove_head(from);
  PacketPool::Link& link = pool_.link(p);
  give_back(in, k, link.flits, t);
  stats_.input_stalls += static_cast<std::uint32_t>(t) - from.since - 1;
  in.free_at = out.free_at = t + link.flits;
  in.turn = k + 1 == in.queues ? 0 : k + 1;
  --waiting_;
  busy_ = true;
  if (from.count != 0) {
    from.since = static_cast<std::uint32_t>(in.free_at - 1);
    route(in, in.first + k);
  }
  out.crossed += link.flits;
  if (out.link != nullptr) {
    out.link->send(cycle, {pool_.packet(p), link.entered, vc}, vc, spec_.packet.places(link.flits));
    pool_.give_back(p);
    return;
  }
  stats_.flits += link.flits;
  stats_.busiest_flits = std::max(stats_.busiest_flits, out.crossed);
  link.complete = static_cast<std::uint32_t>(out.free_at);
  out.places += spec_.packet.places(link.flits);
  pool_.append(out.packets, p);
}

// The places of a packet that goes on from `t` on: flits one after the other.
void RingRouter::give_back(const Input& in, std::uint32_t queue, std::uint32_t flits, Tick t) {
  for (std::uint32_t k = 0; k < spec_.packet.places(flits); ++k) {
    const Cycle at = clock_.cycle_of(t + k);
    in.link != nullptr ? in.link->give_back(at, queue) : in.port->give_back(at, queue);
  }
}

void RingRouter::read(Tick t, Cycle cycle) {
  for (Input& in : inputs_) {
    if (in.arrival > cycle) continue;
    std::uint32_t vc = 0;
    Index p = PacketPool::kNone;
    if (in.link != nullptr) {
      const RingHop& hop = in.link->front();
      vc = hop.vc;
      p = pool_.take(hop.packet, hop.entered);
      in.link->take();
    } else {
      const Packet& packet = in.port->front();
      assert(packet.destination < output_for_.size() && packet.flits > 0);
      vc = packet.vc;
      p = pool_.take(packet, static_cast<std::uint32_t>(t));
      in.port->take();
      ++stats_.injected;
      ++balance_;
    }
    Queue& q = queues_[in.first + vc];
    pool_.append(q, p);
    if (q.count == 1) {
      q.since = static_cast<std::uint32_t>(t);
      route(in, in.first + vc);
    }
    ++waiting_;
    busy_ = true;
    in.arrival = next_arrival(in);
  }
}

// Where the head of a queue goes from here. What came by a link and stays on the ring keeps its direction.
void RingRouter::route(const Input& in, std::uint32_t queue) {
  Queue& q = queues_[queue];
  q.output = output_for_[pool_.link(q.head).destination];
  if (q.output >= kLinks) return;
  std::uint32_t vc = 0;
  if (in.link != nullptr) {
    q.output = static_cast<std::uint32_t>(&in - inputs_.data());
    vc = queue - in.first;
  }
  q.next_vc = layout_.dateline(number_, static_cast<Turn>(q.output)) ? 1 : vc;
}

std::string RingRouter::waits() const {
  std::string text;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& in = inputs_[i];
    for (std::uint32_t k = 0; k < in.queues; ++k) {
      const Queue& q = queues_[in.first + k];
      if (q.count == 0) continue;
      const std::string where = i < kLinks ? fmt::format("link {}", i == 0 ? "up" : "down")
                                           : fmt::format("input {} of the router", i - kLinks);
      text += fmt::format("{}, virtual channel {}: {} packets, the first for output {}\n", where, k, q.count,
                          pool_.link(q.head).destination);
    }
  }
  for (std::size_t o = kLinks; o < outputs_.size(); ++o)
    if (const Output& out = outputs_[o]; out.packets.count > 0)
      text += fmt::format("output {} of the router: {} packets\n", o - kLinks, out.packets.count);
  return text;
}

}  // namespace heddle::noc
