// Packets of read requests in a mesh whose routers have a merger (noc/packet_merger.h).
#include <algorithm>
#include <cassert>
#include <functional>

#include "noc/mesh_network.h"

namespace heddle::noc {

// Each router has an input more for each output: a queue per virtual channel, as long as those behind links.
void MeshNetwork::add_merger(const NetworkPlace& place) {
  const auto banks = static_cast<std::uint32_t>(out_.size()) * place.map.spec().banks;
  merger_ = spec_.merging->make({routers_, banks});
  hold_grant_ |= spec_.merging->holds_grant();
  stays_.resize(queues_.size());
  look_.resize(routers_);
  for (std::uint32_t r = 0; r < routers_; ++r)
    for (std::uint32_t o = 0; o < outputs_; ++o)
      for (std::uint32_t c = 0; c < channels_; ++c) {
        Queue& q = queues_[queue_id(r, own_input(o), c)];
        q.own = true;
        q.at_port = false;
        give_ring(q, mesh_.vc_buffer);
      }
}

// Of a packet that enters at `router`.
void MeshNetwork::write_head(Index packet, std::uint32_t router) {
  if (packet >= heads_.size()) {
    heads_.resize(packet + 1);
    next_member_.resize(packet + 1);
    last_member_.resize(packet + 1);
  }
  const Packet& p = pool_.packet(packet);
  HeadFlit& head = heads_[packet];
  head = {};
  next_member_[packet] = PacketPool::kNone;
  last_member_[packet] = packet;
  head.requests = 0;
  // One that is longer than a virtual channel could not be kept: it is never all there.
  if (p.request.op != mem::Op::Read || p.flits > mesh_.vc_buffer) return;
  const mem::Location at = map_.locate(p.request.line);
  const MeshWay& way = ways_[packet];
  const std::uint32_t x = x_[router], y = y_[router];
  head.bank = p.destination * map_.spec().banks + at.bank;
  head.row = std::uint64_t{head.bank} << 32 | at.row;
  head.requests = 1;
  head.ready_warps = p.request.ready_warps;
  head.hops = static_cast<std::uint16_t>(1 + (way.x > x ? way.x - x : x - way.x) +
                                         (way.y > y ? way.y - y : y - way.y));
  merger_->entered();
}

// The head of a queue's first packet is there. True: the packet stays at this router, or will when it has
// come whole.
bool MeshNetwork::stays(std::uint32_t queue, const Now& now) {
  Queue& q = queues_[queue];
  HeadFlit& head = heads_[q.packet];
  ++head.hop;
  const std::uint32_t ticks = merger_->hold(q.router, head, now.tick);
  if (ticks == 0) return false;
  if (!spec_.merging->keeps()) {
    held_up_.emplace_back(now.tick + ticks, queue);
    std::push_heap(held_up_.begin(), held_up_.end(), std::greater<>());
    return true;
  }
  stays_[queue] = {now.tick, now.tick + ticks, now.tick};
  if (q.flits >= q.left) return offer(queue, now);
  q.gathering = true;
  return true;
}

// All of a queue's first packet is there, and it may stay. False: the merger does not keep it.
bool MeshNetwork::offer(std::uint32_t queue, const Now& now) {
  using Kind = PacketMerger::Verdict::Kind;
  Queue& q = queues_[queue];
  const Index p = q.packet;
  q.gathering = false;
  stays_[queue].now = now.tick;
  const PacketMerger::Verdict verdict = merger_->keep(q.router, p, heads_[p], stays_[queue]);
  if (verdict.kind == Kind::Pass) return false;
  if (verdict.kind == Kind::Join) join(verdict.with, p);
  keeping_.set(q.router);
  look_[q.router] = 0;  // another packet may be due first, or a longer one
  const std::uint32_t flits = q.left;
  for (q.left = 0; q.left < flits; ++q.left) leave(queue, q.left + 1 == flits, now);
  q.left = 0;
  q.flits -= flits;
  remove_first(queue, now);
  return true;
}

// `packet` goes with one that is kept.
void MeshNetwork::join(Index kept, Index packet) {
  HeadFlit& head = heads_[kept];
  merger_->combine(head, heads_[packet]);
  head.requests = static_cast<std::uint16_t>(head.requests + heads_[packet].requests);
  assert(head.requests <= spec_.merging->most_requests());
  const std::uint64_t flit = spec_.packet.flit.count();
  pool_.link(kept).flits = static_cast<std::uint16_t>(
      std::max<std::uint64_t>(1, (spec_.merging->bytes(head.requests) + flit - 1) / flit));
  next_member_[last_member_[kept]] = packet;
  last_member_[kept] = last_member_[packet];
}

// Packets that only had to wait are routed.
void MeshNetwork::let_go(const Now& now) {
  while (!held_up_.empty() && held_up_.front().first <= now.tick) {
    const std::uint32_t queue = held_up_.front().second;
    std::pop_heap(held_up_.begin(), held_up_.end(), std::greater<>());
    held_up_.pop_back();
    route(queue, now.tick, now.tick);
  }
}

// Where a kept packet goes on from its router.
std::uint32_t MeshNetwork::exit_of(std::uint32_t router, Index packet) const {
  const std::uint32_t port = side_to(ways_[packet], x_[router], y_[router]);
  return queue_id(router, own_input(port), pool_.packet(packet).vc);
}

// Packets whose time is over go on: one of each router in a tick.
void MeshNetwork::release_kept(const Now& now) {
  struct Room final : PacketMerger::Exits {
    Room(const MeshNetwork& m, std::uint32_t r) : mesh(m), router(r) {}
    bool room_for(Index p) const override {
      return mesh.queues_[mesh.exit_of(router, p)].flits + mesh.pool_.link(p).flits <= mesh.mesh_.vc_buffer;
    }
    const MeshNetwork& mesh;
    std::uint32_t router;
  };
  keeping_.each([&](std::uint32_t r) {
    if (look_[r] > now.tick) return;
    const Index p = merger_->release(r, now.tick, Room(*this, r));
    // Those that are due and have no room are looked at when there is some.
    look_[r] = merger_->due(r, p == PacketPool::kNone ? now.tick + 1 : 0);
    if (p == PacketPool::kNone) return;
    if (merger_->empty(r)) keeping_.reset(r);
    const std::uint32_t queue = exit_of(r, p);
    queues_[queue].flits += pool_.link(p).flits;
    append(queue, p, now);
  });
}

// Everything in a packet that has come to its output. The last request has the places of all flits, where
// places are flits: until then the packet is there.
void MeshNetwork::unpack(const Completion& c, Tick t) {
  std::uint32_t requests = 0, global = 0;
  const std::uint16_t flits = pool_.link(c.packet).flits;
  for (Index m = c.packet; m != PacketPool::kNone;) {
    const Index next = next_member_[m];
    PacketPool::Link& link = pool_.link(m);
    link.complete = static_cast<std::uint32_t>(t);
    link.flits = next == PacketPool::kNone ? flits : 0;
    pool_.append(out_[c.output].packets, m);
    ++requests;
    global += mem::is_global_read(pool_.packet(m).request) ? 1 : 0;
    m = next;
  }
  if (heads_[c.packet].requests != 0) merger_->unpacked(requests, global);
}

// In an output, of the queue's first packet, of which nothing has gone on.
std::uint32_t MeshNetwork::places_of(const Queue& q) const {
  if (merger_ != nullptr && spec_.packet.buffers == mem::BufferUnit::Packets)
    return std::max<std::uint32_t>(1, heads_[q.packet].requests);
  return spec_.packet.places(q.left);
}

}  // namespace heddle::noc
