#include "noc/mesh_network.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace heddle::noc {

using sim::Cycle;
using sim::kNever;

namespace {

// The most ports of the network at one router.
std::uint32_t most_at_a_node(const std::vector<std::uint32_t>& nodes, std::uint32_t routers) {
  std::vector<std::uint32_t> count(routers);
  std::uint32_t most = 0;
  for (const std::uint32_t n : nodes) most = std::max(most, ++count[n]);
  return most;
}

}  // namespace

MeshNetwork::MeshNetwork(const MeshSpec& mesh, const NetworkSpec& spec, const NetworkPlace& place,
                         const Ports& ports, sim::Engine& engine)
    : spec_(spec),
      mesh_(mesh),
      routes_(mesh, spec.virtual_channels),
      width_(MeshLayout(mesh, place).width()),
      routers_(MeshLayout(mesh, place).nodes()),
      channels_(spec.virtual_channels),
      speedup_(std::min(mesh.input_speedup, spec.virtual_channels)),
      clock_(place.clock),
      name_(place.name),
      id_(engine.add(*this)),
      channel_work_(routers_),
      switch_work_(routers_),
      map_(place.map),
      keeping_(routers_),
      next_(1),
      links_(mesh.switch_delay + mesh.crossing_delay + mesh.link_delay),
      completions_(mesh.switch_delay + mesh.crossing_delay),
      credits_(1 + mesh.link_delay + mesh.credit_delay),
      port_credits_(mesh.switch_delay + mesh.crossing_delay + 1 + mesh.credit_delay),
      routing_(mesh.routing_delay + (mesh.vc_timing == VcDelay::BeforeRequest ? mesh.vc_delay : 0)),
      channel_taken_(mesh.vc_timing == VcDelay::BeforeRequest ? 0 : mesh.vc_delay),
      in_(ports.in.size()),
      news_(ports.in.size()),
      waiting_(ports.in.size()),
      out_(ports.out.size()),
      ejecting_(ports.out.size()),
      blocked_(ports.out.size()) {
  const MeshLayout layout(mesh, place);
  outputs_ = kMeshSides + most_at_a_node(layout.node_of_output(), routers_);
  inputs_ = kMeshSides + most_at_a_node(layout.node_of_input(), routers_) + (spec.merging ? outputs_ : 0);
  switch_inputs_ = inputs_ * speedup_;
  const std::size_t in = std::size_t{routers_} * inputs_, out = std::size_t{routers_} * outputs_;
  queues_.resize(in * channels_);
  output_queues_.resize(out * channels_);
  crossed_.resize(out);
  free_channels_.resize(out);
  asking_.resize(in);
  ready_.resize(in);
  asking_inputs_.resize(routers_);
  ready_inputs_.resize(routers_);
  channel_grant_.resize(out * channels_);
  channel_accept_.resize(in * channels_);
  switch_grant_.resize(out);
  switch_accept_.resize(in * speedup_);
  switch_turn_.resize(in * speedup_);
  held_.resize(out, kNone);
  held_ports_.resize(routers_);
  requests_.resize(outputs_);
  wanting_.resize(outputs_);
  chosen_.resize(std::size_t{switch_inputs_} * outputs_);
  grants_.resize(switch_inputs_);
  shares_.resize(speedup_);
  for (std::uint32_t c = 0; c < 64; ++c) shares_[c % speedup_] |= Mask{1} << c;
  output_at_.resize(std::size_t{routers_} * (outputs_ - kMeshSides), kNone);
  join_routers(layout);
  place_ports(layout, ports);
  hold_grant_ = mesh.hold_grant;
  if (spec.merging) add_merger(place);
}

void MeshNetwork::join_routers(const MeshLayout& layout) {
  const Mask all = channels_ == 64 ? ~Mask{0} : (Mask{1} << channels_) - 1;
  for (std::uint32_t r = 0; r < routers_; ++r) {
    x_.push_back(static_cast<std::uint16_t>(layout.x(r)));
    y_.push_back(static_cast<std::uint16_t>(layout.y(r)));
    for (std::uint32_t i = 0; i < inputs_; ++i)
      for (std::uint32_t c = 0; c < channels_; ++c) {
        Queue& q = queues_[queue_id(r, i, c)];
        q.router = r;
        q.input = static_cast<std::uint8_t>(i);
        q.channel = static_cast<std::uint8_t>(c);
        q.at_port = i >= kMeshSides;
        if (!q.at_port) give_ring(q, mesh_.vc_buffer);
      }
    for (std::uint32_t o = 0; o < outputs_; ++o) {
      free_channels_[r * outputs_ + o] = all;
      for (std::uint32_t c = 0; c < channels_; ++c) {
        OutputQueue& w = output_queues_[output_id(r, o, c)];
        w.router = r;
        w.port = r * outputs_ + o;
        w.channel = c;
      }
    }
  }
  const auto join = [&](std::uint32_t from, std::uint32_t side, std::uint32_t to) {
    for (std::uint32_t c = 0; c < channels_; ++c) {
      const std::uint32_t w = output_id(from, side, c), u = queue_id(to, opposite(side), c);
      output_queues_[w].receiver = u;
      output_queues_[w].credits = mesh_.vc_buffer;
      queues_[u].sender = w;
    }
  };
  for (std::uint32_t r = 0; r < routers_; ++r) {
    if (layout.x(r) + 1 < layout.width()) {
      join(r, kEast, r + 1);
      join(r + 1, kWest, r);
    }
    if (layout.y(r) + 1 < layout.height()) {
      join(r, kSouth, r + width_);
      join(r + width_, kNorth, r);
    }
  }
}

void MeshNetwork::give_ring(Queue& q, std::uint32_t packets) {
  q.ring = static_cast<std::uint32_t>(rings_.size());
  q.mask = static_cast<std::uint16_t>(std::bit_ceil(packets) - 1);
  rings_.resize(rings_.size() + q.mask + 1);
}

void MeshNetwork::place_ports(const MeshLayout& layout, const Ports& ports) {
  std::vector<std::uint32_t> in_at(routers_), out_at(routers_);
  for (std::uint32_t i = 0; i < in_.size(); ++i) {
    assert(ports.in[i]->virtual_channels() == channels_);
    const std::uint32_t node = layout.node_of_input()[i];
    in_[i].channel = ports.in[i];
    in_[i].first = queue_id(node, kMeshSides + in_at[node]++, 0);
    for (std::uint32_t c = 0; c < channels_; ++c) {
      queues_[in_[i].first + c].sender = i;
      give_ring(queues_[in_[i].first + c], ports.in[i]->places());
    }
    ports.in[i]->announce(news_.word(i), i % 64);
  }
  for (std::uint32_t o = 0; o < out_.size(); ++o) {
    const std::uint32_t node = layout.node_of_output()[o], k = out_at[node]++;
    out_[o].channel = ports.out[o];
    out_[o].router = node;
    out_[o].port = kMeshSides + k;
    output_at_[node * (outputs_ - kMeshSides) + k] = o;
    MeshWay way;
    way.x = x_[node];
    way.y = y_[node];
    way.port = static_cast<std::uint8_t>(out_[o].port);
    way_to_.push_back(way);
    // Nobody counts the places of a port's channels: a packet takes those of the output buffer.
    for (std::uint32_t c = 0; c < channels_; ++c)
      output_queues_[output_id(node, out_[o].port, c)].credits = 1;
  }
}

Cycle MeshNetwork::run(Cycle from, Cycle until) {
  // Channels change their other ends only between windows.
  if (blocked_.any()) {
    blocked_.each([&](std::uint32_t o) { ejecting_.set(o); });
    blocked_.clear();
  }
  unblocked_ = kNever;
  look_at_inputs();
  Tick t = clock_.tick_from(from);
  if (clock_.cycle_of(t) >= until) t = following(t - 1);  // none of its ticks is in this stretch
  for (; t != kNever; t = following(t)) {
    const Cycle cycle = clock_.cycle_of(t);
    if (cycle >= until) return cycle;
    step({t, cycle});
  }
  return kNever;
}

void MeshNetwork::look_at_inputs() {
  news_.each([&](std::uint32_t i) {
    news_.reset(i);
    if (waiting_.has(i)) return;
    in_[i].arrival = in_[i].channel->next_arrival();
    waiting_.set(i);
  });
}

void MeshNetwork::step(const Now& now) {
  const Tick t = now.tick;
  links_.due(t, [&](const Arrival& a) { arrive(a, now); });
  next_.due(t, [&](std::uint32_t u) {
    if (heads_[queues_[u].packet].requests == 0 || !stays(u, now)) route(u, t, t);
  });
  let_go(now);
  credits_.due(t, [&](const Credit& c) { credit(c); });
  port_credits_.due(t, [&](const Credit& c) { release(c.output_queue); });
  routing_.due(t, [&](std::uint32_t u) { ask_for_channel(u); });
  channel_taken_.due(t, [&](std::uint32_t u) { activate(u); });
  completions_.due(t, [&](const Completion& c) {
    if (merger_ != nullptr) {
      unpack(c, t);
    } else {
      pool_.link(c.packet).complete = static_cast<std::uint32_t>(t);
      pool_.append(out_[c.output].packets, c.packet);
    }
    if (!blocked_.has(c.output)) ejecting_.set(c.output);
  });
  eject(now);
  read(now);
  if (merger_ != nullptr) release_kept(now);
  allocate_channels(t);
  allocate_switches(now);
}

// The first tick after `t` at which step() could do something; kNever when only a message or room can.
MeshNetwork::Tick MeshNetwork::following(Tick t) const {
  if (channel_work_.any() || switch_work_.any() || ejecting_.any()) return t + 1;
  Tick next = std::min({links_.next(), completions_.next(), credits_.next(), port_credits_.next(),
                        routing_.next(), channel_taken_.next(), next_.next()});
  keeping_.each([&](std::uint32_t r) { next = std::min(next, look_[r]); });
  if (!held_up_.empty()) next = std::min(next, held_up_.front().first);
  Cycle by = unblocked_;
  waiting_.each([&](std::uint32_t i) { by = std::min(by, in_[i].arrival); });
  if (by != kNever) next = std::min(next, clock_.tick_from(by));
  return next == kNever ? kNever : std::max(next, t + 1);
}

void MeshNetwork::arrive(const Arrival& a, const Now& now) {
  Queue& q = queues_[a.queue];
  assert(q.flits < mesh_.vc_buffer);
  ++q.flits;
  if (a.packet != PacketPool::kNone) {
    append(a.queue, a.packet, now);
  } else if (q.gathering) {
    if (q.flits == q.left && !offer(a.queue, now)) route(a.queue, now.tick, now.tick);
  } else if (q.active && q.flits == 1) {
    ready(q);
  }
}

// A packet, or its head, has come into a queue.
void MeshNetwork::append(std::uint32_t queue, Index packet, const Now& now) {
  Queue& q = queues_[queue];
  rings_[q.ring + ((q.first + q.packets) & q.mask)] = packet;
  if (++q.packets == 1) begin(queue, now.tick, now);
}

void MeshNetwork::credit(const Credit& c) {
  OutputQueue& w = output_queues_[c.output_queue];
  ++w.credits;
  assert(w.credits <= mesh_.vc_buffer);
  if (c.tail && mesh_.wait_for_tail_credit) {
    release(c.output_queue);
  } else if (w.credits == 1 && w.owner != kNone) {
    Queue& q = queues_[w.owner];
    if (q.active && q.flits != 0) ready(q);
  }
}

// The head of a packet is first in its queue, from tick `from` on: this one or the next.
void MeshNetwork::begin(std::uint32_t queue, Tick from, const Now& now) {
  Queue& q = queues_[queue];
  q.packet = rings_[q.ring + q.first];
  q.left = pool_.link(q.packet).flits;
  q.since = static_cast<std::uint32_t>(from);
  q.whole = true;
  if (merger_ != nullptr && !q.own) {
    if (from > now.tick) {  // in the middle of a tick others may still be routed in it
      next_.push(now.tick, queue);
      return;
    }
    if (heads_[q.packet].requests != 0 && stays(queue, now)) return;
  }
  route(queue, from, now.tick);
}

void MeshNetwork::route(std::uint32_t queue, Tick from, Tick t) {
  if (from + routing_.delay() <= t)
    ask_for_channel(queue);
  else
    routing_.push(from, queue);
}

void MeshNetwork::ask_for_channel(std::uint32_t queue) {
  Queue& q = queues_[queue];
  const MeshWay& way = ways_[q.packet];
  const std::uint32_t r = q.router;
  q.port = static_cast<std::uint8_t>(side_to(way, x_[r], y_[r]));
  // At a port any channel will do: what stands behind each other here comes out in that order.
  q.allowed = q.port < kMeshSides ? (~Mask{0} >> (64 - way.channels)) << way.channel : ~Mask{0};
  asking_[r * inputs_ + q.input] |= Mask{1} << q.channel;
  asking_inputs_[r] |= 1u << q.input;
  channel_work_.set(r);
}

void MeshNetwork::activate(std::uint32_t queue) {
  Queue& q = queues_[queue];
  q.active = true;
  if (output_queues_[q.output].credits != 0) ready(q);
}

void MeshNetwork::ready(Queue& q) {
  if (output_queues_[q.output].credits == 0) return;
  ready_[q.router * inputs_ + q.input] |= Mask{1} << q.channel;
  ready_inputs_[q.router] |= 1u << q.input;
  switch_work_.set(q.router);
}

void MeshNetwork::eject(const Now& now) {
  if (unblocked_ <= now.cycle) {
    blocked_.each([&](std::uint32_t o) { ejecting_.set(o); });
    blocked_.clear();
    unblocked_ = kNever;
  }
  ejecting_.each([&](std::uint32_t o) {
    OutputPort& out = out_[o];
    for (std::uint32_t n = 0; n < spec_.ejection && out.packets.count > 0; ++n) {
      if (const Cycle room = out.channel->room_at(); room > now.cycle) {
        unblocked_ = std::min(unblocked_, room);
        blocked_.set(o);
        ejecting_.reset(o);
        return;
      }
      const Index p = pool_.remove_head(out.packets);
      const PacketPool::Link& link = pool_.link(p);
      out.channel->send(now.cycle, pool_.packet(p));
      out.places -= spec_.packet.places(link.flits);
      if (asking_inputs_[out.router] != 0) channel_work_.set(out.router);
      stats_.latency_sum += static_cast<std::uint32_t>(now.tick) - link.entered;
      stats_.output_stalls += static_cast<std::uint32_t>(now.tick) - link.complete;
      ++stats_.ejected;
      --in_flight_;
      pool_.give_back(p);
    }
    if (out.packets.count == 0) ejecting_.reset(o);
  });
}

MeshWay MeshNetwork::way_of(const Packet& packet, InputPort& in) const {
  MeshWay way = way_to_[packet.destination];
  routes_.choose(way, packet.source, packet.destination, in.turn);
  in.turn = !in.turn;
  return way;
}

void MeshNetwork::read(const Now& now) {
  waiting_.each([&](std::uint32_t i) {
    InputPort& in = in_[i];
    if (in.arrival > now.cycle) return;
    const Packet& packet = in.channel->front();
    assert(packet.destination < out_.size() && packet.flits > 0);
    const std::uint32_t queue = in.first + packet.vc;
    Queue& q = queues_[queue];
    const Index p = pool_.take(packet, static_cast<std::uint32_t>(now.tick));
    if (p >= ways_.size()) ways_.resize(p + 1);
    ways_[p] = way_of(packet, in);
    const std::uint32_t x = x_[q.router], y = y_[q.router];
    mesh_stats_.hops += (ways_[p].x > x ? ways_[p].x - x : x - ways_[p].x) +
                        (ways_[p].y > y ? ways_[p].y - y : y - ways_[p].y);
    ++mesh_stats_.packets;
    if (merger_ != nullptr) write_head(p, q.router);
    q.flits += packet.flits;
    ++stats_.injected;
    ++in_flight_;
    in.channel->take();
    in.arrival = in.channel->next_arrival();
    if (in.arrival == kNever) waiting_.reset(i);
    append(queue, p, now);
  });
}

}  // namespace heddle::noc
