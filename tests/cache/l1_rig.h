// An L1 between a client that remembers and a level below that the test plays.
#pragma once

#include <deque>
#include <vector>

#include "cache/l1_cache.h"

namespace heddle::cache {

struct Client final : mem::L1Client {
  struct Got {
    sim::Cycle at;
    mem::Request request;
  };
  void reply(sim::Cycle now, const mem::Request& request) override { got.push_back({now, request}); }
  std::vector<std::uint32_t> tokens() const {
    std::vector<std::uint32_t> t;
    for (const Got& g : got) t.push_back(g.request.token);
    return t;
  }
  std::vector<Got> got;
};

inline mem::AddressMapSpec map_spec() {
  mem::AddressMapSpec s;
  s.partitions = 6;
  return s;
}

// 4 sets of 2 ways of 128 bytes, sectored: lines 512 bytes apart meet in a set.
inline L1Spec small_l1() {
  L1Spec s;
  s.tags.sets = 4;
  s.tags.ways = 2;
  s.tags.sectored = true;
  s.mshr_entries = 4;
  s.mshr_merges = 3;
  s.miss_queue = 8;
  s.latency = 20;
  return s;
}

struct Rig {
  using Outcome = mem::L1Port::Outcome;
  explicit Rig(const L1Spec& spec, std::uint32_t channel = 1024)
      : map(map_spec()), out(1, channel), l1(spec, 3, map, client, out) {}

  mem::L1Port::Answer offer(const mem::Request& r) { return static_cast<mem::L1Port&>(l1).access(now, r); }
  Outcome read(std::uint64_t line, mem::SectorMask sectors, std::uint32_t token = 0) {
    return offer(request(mem::Op::Read, line, sectors, token)).outcome;
  }
  Outcome write(std::uint64_t line, mem::SectorMask sectors, std::uint32_t token = 0, bool partial = false) {
    mem::Request r = request(mem::Op::Write, line, sectors, token);
    r.partial_write = partial;
    return offer(r).outcome;
  }
  mem::Request request(mem::Op op, std::uint64_t line, mem::SectorMask sectors, std::uint32_t token) const {
    mem::Request r;
    r.op = op;
    r.line = line;
    r.sectors = sectors;
    r.token = token;
    r.born = now;
    r.space = space;
    r.words = 0xabcd + token;
    return r;
  }
  // Ends the cycle: one request leaves.
  void tick() {
    l1.send(now);
    out.publish();
    ++now;
  }
  // Everything that has left so far, once the queue is empty.
  std::vector<mem::Request> sent() {
    while (l1.next_send(now) != sim::kNever) tick();
    tick();
    std::vector<mem::Request> all;
    for (; out.ready(now); out.pop(now)) all.push_back(out.front());
    out.publish();
    return all;
  }
  void answer(mem::Request r) {
    r.reply = true;
    l1.reply(now, r);
  }
  // Reads and fetches: afterwards the sectors are there.
  void fetch(std::uint64_t line, mem::SectorMask sectors) {
    read(line, sectors, 999);
    for (const auto& r : sent()) answer(r);
    client.got.clear();
  }

  mem::AddressMap map;
  Client client;
  sim::Channel<mem::Request> out;
  L1Cache l1;
  sim::Cycle now = 100;
  mem::Space space = mem::Space::Global;
};

}  // namespace heddle::cache
