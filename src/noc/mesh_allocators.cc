// The allocators of a mesh's routers, and what a flit does that was given the switch.
#include <algorithm>
#include <bit>
#include <cassert>

#include "noc/mesh_network.h"

namespace heddle::noc {
namespace {

std::uint32_t low_bit(std::uint64_t m) {
  return static_cast<std::uint32_t>(std::countr_zero(m));
}

// The first member at `from` or after it, going round; the mask is not empty.
std::uint32_t next_member(std::uint64_t mask, std::uint32_t from) {
  const std::uint64_t after = mask & (~std::uint64_t{0} << from);
  return low_bit(after != 0 ? after : mask);
}

template <class F>
void each_member(std::uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(low_bit(mask));
}

}  // namespace

// A router at which nothing was granted has nothing to grant until something changes there.
void MeshNetwork::allocate_channels(Tick t) {
  channel_work_.each([&](std::uint32_t r) {
    if (!allocate_channels_at(r, t) || asking_inputs_[r] == 0) channel_work_.reset(r);
  });
}

// Every packet asks for channels of one port, so ports are matched one by one.
bool MeshNetwork::allocate_channels_at(std::uint32_t router, Tick t) {
  std::uint32_t ports = 0;
  each_member(asking_inputs_[router], [&](std::uint32_t i) {
    each_member(asking_[router * inputs_ + i], [&](std::uint32_t c) {
      const std::uint32_t u = queue_id(router, i, c);
      const Queue& q = queues_[u];
      const Mask free = q.allowed & free_channels_[router * outputs_ + q.port];
      if (free == 0 || (q.port >= kMeshSides && !fits(q))) return;
      if ((ports >> q.port & 1) == 0) requests_[q.port].clear();
      ports |= 1u << q.port;
      requests_[q.port].push_back({u, i * channels_ + c, free, 0});
    });
  });
  bool granted = false;
  each_member(ports, [&](std::uint32_t o) { granted |= match_channels(router, o, t); });
  return granted;
}

// iSLIP between the queues that ask and the port's free channels.
bool MeshNetwork::match_channels(std::uint32_t router, std::uint32_t port, Tick t) {
  std::vector<ChannelRequest>& all = requests_[port];
  Mask wanted = 0, contended = 0;
  for (const ChannelRequest& r : all) {
    contended |= wanted & r.free;
    wanted |= r.free;
  }
  if (contended == 0) {  // the same as below, which then has nothing to decide
    bool any = false;
    for (const ChannelRequest& r : all)
      any |= take_channel(r, router, port, accepted_channel(r, router, port, r.free), true, t);
    return any;
  }
  const std::uint32_t queues = inputs_ * channels_;
  bool any = false;
  for (std::uint32_t k = 0; k < spec_.allocator_iterations; ++k) {
    Mask free = 0;
    for (const ChannelRequest& r : all) free |= r.free;
    each_member(free & free_channels_[router * outputs_ + port], [&](std::uint32_t c) {
      const std::uint32_t at = channel_grant_[output_id(router, port, c)];
      ChannelRequest* best = nullptr;
      std::uint32_t least = kNone;
      for (ChannelRequest& r : all) {
        const std::uint32_t behind = r.number >= at ? r.number - at : r.number + queues - at;
        if ((r.free >> c & 1) == 0 || behind >= least) continue;
        best = &r;
        least = behind;
      }
      if (best != nullptr) best->granted |= Mask{1} << c;
    });
    bool granted = false;
    for (ChannelRequest& r : all) {
      if (r.granted == 0) continue;
      if (take_channel(r, router, port, accepted_channel(r, router, port, r.granted), k == 0, t))
        granted = true;
      r.free = r.granted = 0;
    }
    if (!granted) break;
    any = true;
  }
  return any;
}

std::uint32_t MeshNetwork::accepted_channel(const ChannelRequest& r, std::uint32_t router, std::uint32_t port,
                                            Mask from) const {
  const std::uint32_t at = channel_accept_[router * inputs_ * channels_ + r.number] - port * channels_;
  return next_member(from, at < channels_ ? at : 0);
}

// False where an output has room no more, after another packet of this tick.
bool MeshNetwork::take_channel(const ChannelRequest& r, std::uint32_t router, std::uint32_t port,
                               std::uint32_t channel, bool move_pointers, Tick t) {
  Queue& q = queues_[r.queue];
  if (port >= kMeshSides) {
    if (!fits(q)) return false;
    out_[output_at_[router * (outputs_ - kMeshSides) + port - kMeshSides]].places += places_of(q);
  }
  const std::uint32_t w = output_id(router, port, channel);
  if (move_pointers) {  // later iterations leave them alone, or a queue could be starved
    channel_grant_[w] = static_cast<std::uint16_t>(r.number + 1 == inputs_ * channels_ ? 0 : r.number + 1);
    const std::uint32_t next = port * channels_ + channel + 1;
    channel_accept_[router * inputs_ * channels_ + r.number] =
        static_cast<std::uint16_t>(next == outputs_ * channels_ ? 0 : next);
  }
  q.output = w;
  output_queues_[w].owner = r.queue;
  free_channels_[router * outputs_ + port] &= ~(Mask{1} << channel);
  Mask& asking = asking_[router * inputs_ + q.input];
  asking &= ~(Mask{1} << q.channel);
  if (asking == 0) asking_inputs_[router] &= ~(1u << q.input);
  if (channel_taken_.delay() == 0)
    activate(r.queue);
  else
    channel_taken_.push(t, r.queue);
  return true;
}

// Whether the output buffer has room for all of the queue's first packet, of which nothing has gone on.
bool MeshNetwork::fits(const Queue& q) const {
  const OutputPort& out = out_[output_at_[q.router * (outputs_ - kMeshSides) + q.port - kMeshSides]];
  return out.places + places_of(q) <= spec_.output_buffer;
}

void MeshNetwork::allocate_switches(const Now& now) {
  switch_work_.each([&](std::uint32_t r) {
    if (!allocate_switch(r, now) || ready_inputs_[r] == 0) switch_work_.reset(r);
  });
}

// iSLIP between inputs and outputs. An input (with its share of the channels, where it has several ways into
// the switch) offers each output one of its channels, in turn.
bool MeshNetwork::allocate_switch(std::uint32_t router, const Now& now) {
  const std::uint32_t ready = ready_inputs_[router];
  if (!hold_grant_ && std::has_single_bit(ready)) {
    const Mask channels = ready_[router * inputs_ + low_bit(ready)];
    if (std::has_single_bit(channels)) {
      const Queue& q = queues_[queue_id(router, low_bit(ready), low_bit(channels))];
      grant(router, switch_input(q), q.port, q.channel, true, now);
      return true;
    }
  }
  Mask inputs = ~Mask{0};
  std::uint32_t outputs = ~0u;
  bool any = hold_grant_ && use_held(router, now, inputs, outputs);
  outputs = ask_for_outputs(router, inputs, outputs);
  for (std::uint32_t k = 0; k < spec_.allocator_iterations && outputs != 0; ++k) {
    Mask granted = 0;
    each_member(outputs, [&](std::uint32_t o) {
      const Mask candidates = wanting_[o] & inputs;
      if (candidates == 0) return;
      const std::uint32_t s = next_member(candidates, switch_grant_[router * outputs_ + o]);
      grants_[s] |= 1u << o;
      granted |= Mask{1} << s;
    });
    if (granted == 0) break;
    each_member(granted, [&](std::uint32_t s) {
      const std::uint32_t o = next_member(grants_[s], switch_accept_[router * switch_inputs_ + s]);
      grants_[s] = 0;
      outputs &= ~(1u << o);
      grant(router, s, o, chosen_[s * outputs_ + o], k == 0, now);
    });
    inputs &= ~granted;
    any = true;
  }
  return any;
}

// Fills wanting_ and chosen_ with what is free; returns the outputs that somebody wants.
std::uint32_t MeshNetwork::ask_for_outputs(std::uint32_t router, Mask free_inputs,
                                           std::uint32_t free_outputs) {
  std::uint32_t wanted = 0;
  each_member(ready_inputs_[router], [&](std::uint32_t i) {
    const Mask channels = ready_[router * inputs_ + i];
    for (std::uint32_t k = 0; k < speedup_; ++k) {
      const std::uint32_t s = i * speedup_ + k;
      const Mask own = channels & shares_[k];
      if (own == 0 || (free_inputs >> s & 1) == 0) continue;
      const Mask later = own & (~Mask{0} << switch_turn_[router * switch_inputs_ + s]);
      const auto offer = [&](std::uint32_t c) {
        const std::uint32_t o = queues_[queue_id(router, i, c)].port;
        if ((free_outputs >> o & 1) == 0) return;
        if ((wanted >> o & 1) == 0) wanting_[o] = 0;
        wanted |= 1u << o;
        if ((wanting_[o] >> s & 1) != 0) return;
        wanting_[o] |= Mask{1} << s;
        chosen_[s * outputs_ + o] = static_cast<std::uint8_t>(c);
      };
      each_member(later, offer);
      each_member(own & ~later, offer);
    }
  });
  return wanted;
}

// Packets that keep the switch send; one that cannot loses it, or packets of different channels could wait
// for each other's links in a circle.
bool MeshNetwork::use_held(std::uint32_t router, const Now& now, Mask& inputs, std::uint32_t& outputs) {
  bool any = false;
  each_member(held_ports_[router], [&](std::uint32_t o) {
    const std::uint32_t u = held_[router * outputs_ + o];
    const Queue& q = queues_[u];
    if ((ready_[router * inputs_ + q.input] >> q.channel & 1) == 0) {
      held_ports_[router] &= ~(1u << o);
      return;
    }
    outputs &= ~(1u << o);
    inputs &= ~(Mask{1} << switch_input(q));
    send(u, now);
    any = true;
  });
  return any;
}

void MeshNetwork::grant(std::uint32_t router, std::uint32_t switch_input, std::uint32_t port,
                        std::uint32_t channel, bool move_pointers, const Now& now) {
  const std::uint32_t s = router * switch_inputs_ + switch_input;
  if (move_pointers) {
    switch_grant_[router * outputs_ + port] =
        static_cast<std::uint8_t>(switch_input + 1 == switch_inputs_ ? 0 : switch_input + 1);
    switch_accept_[s] = static_cast<std::uint8_t>(port + 1 == outputs_ ? 0 : port + 1);
  }
  switch_turn_[s] = static_cast<std::uint8_t>(channel + 1 == channels_ ? 0 : channel + 1);
  const std::uint32_t u = queue_id(router, switch_input / speedup_, channel);
  if (hold_grant_ && queues_[u].left > 1 && keeps_switch(queues_[u])) {
    held_[router * outputs_ + port] = u;
    held_ports_[router] |= 1u << port;
  }
  send(u, now);
}

// The first flit of a queue crosses the switch.
void MeshNetwork::send(std::uint32_t queue, const Now& now) {
  Queue& q = queues_[queue];
  OutputQueue& w = output_queues_[q.output];
  const Index p = q.packet;
  const bool head = q.whole, tail = --q.left == 0;
  q.whole = false;
  --q.flits;
  if (head)
    stats_.input_stalls +=
        static_cast<std::uint32_t>(now.tick) - q.since - mesh_.routing_delay - mesh_.vc_delay;
  ++crossed_[q.router * outputs_ + q.port];
  if (w.receiver != kNone) {
    --w.credits;
    links_.push(now.tick, {w.receiver, head ? p : PacketPool::kNone});
  } else {
    ++stats_.flits;
    if (tail)
      completions_.push(now.tick, {output_at_[q.router * (outputs_ - kMeshSides) + q.port - kMeshSides], p});
  }
  leave(queue, tail, now);
  if (!tail && q.flits != 0 && w.credits != 0) return;
  Mask& ready = ready_[q.router * inputs_ + q.input];
  ready &= ~(Mask{1} << q.channel);
  if (ready == 0) ready_inputs_[q.router] &= ~(1u << q.input);
  if (tail) next_packet(queue, now);
}

// Its place in the queue is free.
void MeshNetwork::leave(std::uint32_t queue, bool tail, const Now& now) {
  const Queue& q = queues_[queue];
  if (q.own)
    look_[q.router] = 0;
  else if (!q.at_port)
    credits_.push(now.tick, {q.sender, tail});
  else if (tail || spec_.packet.buffers == mem::BufferUnit::Flits)
    in_[q.sender].channel->give_back(now.cycle, q.channel);
}

void MeshNetwork::next_packet(std::uint32_t queue, const Now& now) {
  Queue& q = queues_[queue];
  const std::uint32_t w = q.output;
  if (hold_grant_) held_ports_[q.router] &= ~(1u << q.port);
  output_queues_[w].owner = kNone;
  if (!mesh_.wait_for_tail_credit)
    release(w);
  else if (q.port >= kMeshSides)
    port_credits_.push(now.tick, {w, true});
  q.active = false;
  q.output = kNone;
  remove_first(queue, now);
}

// A queue's first packet is not in it any more.
void MeshNetwork::remove_first(std::uint32_t queue, const Now& now) {
  Queue& q = queues_[queue];
  q.packet = PacketPool::kNone;
  q.first = static_cast<std::uint16_t>((q.first + 1) & q.mask);
  if (--q.packets != 0) begin(queue, now.tick + 1, now);
}

// An output's channel can be given to another packet.
void MeshNetwork::release(std::uint32_t output_queue) {
  const OutputQueue& w = output_queues_[output_queue];
  free_channels_[w.port] |= Mask{1} << w.channel;
  if (asking_inputs_[w.router] != 0) channel_work_.set(w.router);
}

}  // namespace heddle::noc
