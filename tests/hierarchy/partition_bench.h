// A partition between channels that the test drives as the engine and the networks would.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "hierarchy/partition.h"

namespace heddle::hierarchy {

struct Arrived {
  sim::Cycle at = 0;  // when the reply reached the other end of the channel
  mem::Packet packet;
};

class Atomics final : public mem::AtomicUnit {
 public:
  void execute(const mem::Request& r) override { tokens.push_back(r.token); }
  mem::AtomicWork work(const mem::Request&) const override { return {1, 0, 1, false}; }
  std::vector<std::uint32_t> tokens;
};

inline PartitionSpec simple_spec() {
  PartitionSpec s;
  s.dram.clock = 1_GHz;
  s.l2.latency = 20;
  s.l2.queue = 4096;  // never the limit
  return s;
}
inline mem::AddressMapSpec simple_map(std::uint32_t slices = 1) {
  mem::AddressMapSpec m;
  m.partitions = 1;
  m.slices = slices;
  m.bank_hash = false;
  return m;
}

struct BenchOptions {
  sim::Cycle window = 1;
  sim::Cycle latency = 16;  // of both channels
  std::uint32_t out_capacity = 4096;
  std::uint32_t take_every = 1;  // the network takes a reply every so many cycles
  bool skip = true;              // run the unit only when it asked to, or a message came
  Frequency core = 1_GHz;
};

class Bench {
 public:
  explicit Bench(const PartitionSpec& spec = simple_spec(),
                 const mem::AddressMapSpec& map_spec = simple_map(), const BenchOptions& options = {})
      : o(options),
        map(map_spec),
        schedule(map_spec.slices),
        in_channels(channels(spec.l2.places())),
        out_channels(channels(o.out_capacity)),
        partition(spec, 0,
                  {&map, &atomics, pointers(in_channels), pointers(out_channels), {32_B, 8_B}, o.core}) {}

  mem::Request make(mem::Op op, std::uint64_t address, mem::SectorMask sectors = 0xf) {
    mem::Request r;
    r.line = mem::kDeviceBase + address;
    r.op = op;
    r.sectors = sectors;
    r.slice = static_cast<std::uint16_t>(map.slice(r.line));
    r.cluster = 5;
    r.token = next_token++;
    return r;
  }
  // It reaches the partition at `arrives` (at least the channel's latency), or later when the slice's queue
  // has no place in time.
  void send(sim::Cycle arrives, const mem::Request& r) {
    mem::Packet p;
    p.request = r;
    schedule[r.slice % schedule.size()].push_back({arrives - o.latency, p});
  }
  std::uint32_t read(sim::Cycle arrives, std::uint64_t address, mem::SectorMask sectors = 0xf) {
    send(arrives, make(mem::Op::Read, address, sectors));
    return next_token - 1;
  }
  std::uint32_t write(sim::Cycle arrives, std::uint64_t address, mem::SectorMask sectors = 0xf,
                      bool partial = false) {
    mem::Request r = make(mem::Op::Write, address, sectors);
    r.partial_write = partial;
    send(arrives, r);
    return next_token - 1;
  }
  std::uint32_t atomic(sim::Cycle arrives, std::uint64_t address, mem::SectorMask sectors = 1) {
    send(arrives, make(mem::Op::Atomic, address, sectors));
    return next_token - 1;
  }

  // Window by window until nothing is left, or up to cycle `end`.
  void run(sim::Cycle end = 0) {
    const sim::Cycle most = end != 0 ? end : 10'000'000;
    for (; now < most; now += o.window) {
      const sim::Cycle until = now + o.window;
      for (std::size_t s = 0; s < schedule.size(); ++s)
        for (sim::Cycle c = now; c < until; ++c)
          for (auto& q = schedule[s]; !q.empty() && q.front().first <= c && in_channels[s]->can_send(c);
               q.pop_front())
            in_channels[s]->send(c, q.front().second);
      for (sim::Cycle c = now; c < until; ++c)
        for (const auto& out : out_channels)
          if (out->ready(c) && c % o.take_every == 0) {
            replies.push_back({c, out->front()});
            out->pop(c);
          }
      if (!o.skip || wake < until) {
        const sim::Cycle from = o.skip ? std::max(wake, now) : now;
        wake = partition.run(from, until);
        EXPECT_GE(wake, until);
        ++calls;
      }
      bool empty = true;
      for (std::size_t s = 0; s < schedule.size(); ++s) {
        wake = std::min(wake, std::max(in_channels[s]->publish().reader_from, until));
        wake = std::min(wake, std::max(out_channels[s]->publish().writer_from, until));
        empty &= schedule[s].empty() && in_channels[s]->empty() && out_channels[s]->empty();
      }
      if (empty && partition.idle()) break;
    }
    if (end == 0 && now >= most) ADD_FAILURE() << "does not end:\n" << partition.waits();
  }
  // Cycles from the request's arrival at the partition to the reply's start into the reply network.
  sim::Cycle answered(std::uint32_t token) const {
    for (const Arrived& a : replies)
      if (a.packet.request.token == token) return a.at - o.latency;
    ADD_FAILURE() << "no reply for " << token;
    return 0;
  }
  const cache::L2Stats& l2(std::uint32_t i = 0) const { return partition.slice(i).statistics(); }
  const dram::DramStats& dram() const { return partition.dram(0).statistics(); }

  BenchOptions o;
  mem::AddressMap map;
  Atomics atomics;
  std::vector<std::deque<std::pair<sim::Cycle, mem::Packet>>> schedule;  // by slice; from when on to send
  using Channels = std::vector<std::unique_ptr<Partition::PacketChannel>>;
  Channels channels(std::uint32_t capacity) const {
    Channels c;
    for (std::size_t s = 0; s < schedule.size(); ++s)
      c.push_back(std::make_unique<Partition::PacketChannel>(o.latency, capacity));
    return c;
  }
  static std::vector<Partition::PacketChannel*> pointers(const Channels& c) {
    std::vector<Partition::PacketChannel*> p;
    for (const auto& one : c) p.push_back(one.get());
    return p;
  }
  Channels in_channels, out_channels;
  Partition partition;
  std::vector<Arrived> replies;
  sim::Cycle now = 0, wake = 0;
  std::uint64_t calls = 0;
  std::uint32_t next_token = 0;
};

inline sim::Cycle dram_read_ticks(const dram::DramSpec& d, std::uint32_t bytes) {
  const std::uint32_t bursts = (bytes + d.burst_bytes() - 1) / d.burst_bytes();
  return d.tRCD + (bursts - 1) * d.tCCDL + d.tCL + d.burst_ticks() + d.minimum_latency;
}

}  // namespace heddle::hierarchy
