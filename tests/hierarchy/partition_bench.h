// A partition between two channels that the test drives as the engine and the networks would.
#pragma once

#include <gtest/gtest.h>

#include <map>
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
  std::vector<std::uint32_t> tokens;
};

inline PartitionSpec simple_spec() {
  PartitionSpec s;
  s.dram.clock = 1_GHz;
  s.l2.latency = 20;
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
        in(o.latency, 1u << 16),
        out(o.latency, o.out_capacity),
        partition(spec, 0, {&map, &atomics, {&in}, {&out}, {32_B, 8_B}, o.core}) {}

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
  // It reaches the partition at `arrives` (at least the channel's latency).
  void send(sim::Cycle arrives, const mem::Request& r) {
    mem::Packet p;
    p.request = r;
    schedule.push_back({arrives - o.latency, p});
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

  // Window by window until nothing is left or `most` cycles have passed.
  void run(sim::Cycle most = 10'000'000) {
    for (; now < most; now += o.window) {
      const sim::Cycle until = now + o.window;
      for (; sent < schedule.size() && schedule[sent].first < until; ++sent)
        in.send(std::max(schedule[sent].first, now), schedule[sent].second);
      for (sim::Cycle c = now; c < until; ++c)
        if (out.ready(c) && c % o.take_every == 0) {
          replies.push_back({c, out.front()});
          out.pop();
        }
      if (!o.skip || wake < until) {
        const sim::Cycle from = o.skip ? std::max(wake, now) : now;
        wake = partition.run(from, until);
        EXPECT_GE(wake, until);
        ++calls;
      }
      wake = std::min(wake, std::max(in.publish().reader_from, until));
      if (out.publish().writer_may_go) wake = until;
      if (sent == schedule.size() && in.empty() && out.empty() && partition.idle()) break;
    }
    if (now >= most) ADD_FAILURE() << "does not end:\n" << partition.waits();
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
  Partition::PacketChannel in, out;
  Partition partition;
  std::vector<std::pair<sim::Cycle, mem::Packet>> schedule;
  std::size_t sent = 0;
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
