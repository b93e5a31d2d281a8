// A memory partition: L2 slices and the DRAM channels behind them, between the request network and the reply
// network.
//
// Every slice has a port at each network; the places of the channel to it are the slice's queue. In each L2
// cycle: fills that DRAM has finished, packets from the network, a step of every slice, accesses to DRAM (one
// per slice), one reply per slice. Cycles in which none of this can happen are skipped, and DRAM
// is only asked when something could have finished or somebody waits for room in its queue.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ring_queue.h"
#include "cache/l2_slice.h"
#include "dram/channel.h"
#include "mem/address_map.h"
#include "mem/packet.h"
#include "mem/potential_meter.h"
#include "sim/channel.h"
#include "sim/unit.h"

namespace heddle::hierarchy {

enum class KernelEnd : std::uint8_t { Keep, Flush };  // what becomes of L2 lines

struct PartitionSpec {
  Frequency l2_clock{};        // 0: the core's clock
  cache::L2Spec l2;            // of a slice
  dram::DramSpec dram;         // of a channel
  std::uint32_t channels = 1;  // DRAM channels; the banks of mem::AddressMapSpec are those of all
  KernelEnd kernel_end = KernelEnd::Keep;
};

struct PartitionStats {
  std::uint64_t packets_in = 0, packets_out = 0;
  std::uint64_t posted = 0;                  // of packets_in: stores that get no answer
  std::uint64_t reads = 0, read_cycles = 0;  // answered; reads x L2 cycles inside
  std::uint64_t global_transfers = 0;        // to DRAM, for loads from global memory
  std::uint64_t output_blocked = 0;          // L2 cycles
  void statistics(stats::Visitor& v);
};

class Partition final : public sim::Unit {
 public:
  using PacketChannel = sim::Channel<mem::Packet>;
  // What a partition is connected to. All must outlive it.
  struct Surroundings {
    const mem::AddressMap* map = nullptr;
    mem::AtomicUnit* atomics = nullptr;
    std::vector<PacketChannel*> in, out;  // of each slice
    mem::PacketFormat reply_format;
    Frequency core{};
    std::uint32_t clusters = 1;  // ports of the request network
  };
  // `index`: the partition's number.
  Partition(const PartitionSpec& spec, std::uint32_t index, const Surroundings& around);

  sim::Cycle run(sim::Cycle from, sim::Cycle until) override;
  std::string name() const override { return name_; }
  std::string waits() const override;

  // What could have been merged among reads of global memory within `window` core cycles: packets for a line
  // at its slice, misses of the slice, bursts of a DRAM row. Once, at first.
  void measure(sim::Cycle window);
  struct Meters {
    std::vector<mem::PotentialMeter> packets, l2_misses;  // by slice
    mem::PotentialMeter rows;
  };
  const Meters* meters() const { return meters_.get(); }  // nullptr: nothing is measured

  // Transfers by bank of DRAM (dram::Channel::banks). Once, at first.
  void count_banks() {
    for (Dram& d : drams_) d.channel.count_banks();
  }

  // The cycle after which no store is left that gets no answer (Request::posted): taken by L2, or written to
  // DRAM.
  sim::Cycle stored_until() const;
  // Nothing inside; what lies in its channels does not count.
  bool idle() const;
  // The host has written the line of address `line`, which belongs here: L2 holds it, clean.
  void preload(std::uint64_t line);
  // The launch of a kernel reads the line of address `line` (instructions, descriptors), which belongs here:
  // L2 holds it from now on, and DRAM reads it where L2 did not. Nobody waits for it. False: DRAM's queue has
  // no room.
  bool launch_reads(std::uint64_t line, sim::Cycle now);
  void kernel_end();  // when idle
  // Brings what is counted by time (refreshes) up to `now`; when idle.
  void settle(sim::Cycle now);

  std::uint32_t slices() const { return static_cast<std::uint32_t>(slices_.size()); }
  std::uint32_t channels() const { return static_cast<std::uint32_t>(drams_.size()); }
  const cache::L2Slice& slice(std::uint32_t i) const { return slices_[i].l2; }
  const dram::Channel& dram(std::uint32_t i) const { return drams_[i].channel; }
  const PartitionStats& statistics() const { return stats_; }
  void clear_statistics();

 private:
  using Tick = std::uint64_t;  // L2 cycles
  // A slice with its ports, and the L2 cycle in which its step() is due.
  struct Slice {
    Slice(const cache::L2Spec& spec, mem::AtomicUnit* atomics, const cache::L2Side& side, PacketChannel* from,
          PacketChannel* to)
        : l2(spec, atomics, side), in(from), out(to) {}
    cache::L2Slice l2;
    PacketChannel *in, *out;
    Tick due = sim::kNever;
    bool refused = false;  // its next access found no room in DRAM's queue
    bool blocked = false;  // its next reply found no room in the network
    Tick blocked_since = 0;
  };
  struct Dram {
    explicit Dram(const dram::DramSpec& spec) : channel(spec) {}
    dram::Channel channel;
    dram::Tick next = dram::kNever;        // the next command, or the next end
    std::vector<dram::Finished> finished;  // and not yet handed to their slices
    std::size_t handed = 0;
    bool refused = false;  // a slice waits for room in its queue
    struct Delayed {
      dram::Tick ready = 0;
      dram::Transfer transfer;
    };
    RingQueue<Delayed> delayed{1};  // on their way to the queue, with dram.delay
    // Sent by slices and not answered.
    std::size_t under_way() const { return delayed.size() + channel.waiting() + (finished.size() - handed); }
  };

  Tick tick(Tick t, sim::Cycle now);
  void advance_dram(Tick t, sim::Cycle now);
  void run_dram(Dram& d, dram::Tick to, sim::Cycle now);
  void enter_queue(Dram& d, dram::Tick to, sim::Cycle now);
  void hand_over(Dram& d, Tick t, sim::Cycle now);
  void take_packets(std::uint32_t slice, Tick t, sim::Cycle now);
  void step(Slice& slice, Tick t, sim::Cycle now);
  void send_to_dram(Tick t, sim::Cycle now);
  bool send_one(std::uint32_t slice, dram::Tick tick, sim::Cycle now);
  bool has_room(Dram& d, std::uint32_t bank) const;
  void push(Dram& d, dram::Tick tick, const dram::Transfer& transfer);
  // A read comes or goes: they are inside for read_cycles in all.
  void count_read(Tick t, std::uint64_t change) {
    stats_.read_cycles += reads_inside_ * (t - reads_since_);
    reads_since_ = t;
    reads_inside_ += change;
  }
  void send_reply(std::uint32_t slice, Tick t, sim::Cycle now);
  Tick next(Tick t) const;
  sim::Cycle dram_wakes() const;
  sim::Cycle enters_queue(const Dram& d) const;
  // Of a reply, in the network's buffers.
  std::uint32_t places_of(const mem::Request& reply) const { return in_flits_ ? flits_of(reply) : 1; }
  std::uint32_t flits_of(const mem::Request& reply) const;
  std::uint32_t after(std::uint32_t turn) const { return turn + 1 < slices_.size() ? turn + 1 : 0; }

  const PartitionSpec spec_;
  const std::uint32_t index_;
  const Surroundings around_;
  const std::string name_;
  const sim::Clock l2_clock_, dram_clock_;
  const bool delays_;    // transfers are under way before DRAM's queue
  const bool in_flits_;  // places of the reply network
  std::vector<Slice> slices_;
  std::vector<Dram> drams_;
  Tick next_tick_ = 0;                 // not yet simulated
  sim::Cycle dram_due_ = sim::kNever;  // when DRAM must be looked at again
  std::uint32_t memory_turn_ = 0;      // a slice
  std::uint64_t reads_inside_ = 0;     // since reads_since_
  Tick reads_since_ = 0;
  dram::Tick last_write_ = 0;  // to DRAM, ended
  PartitionStats stats_;
  std::unique_ptr<Meters> meters_;
};

}  // namespace heddle::hierarchy
