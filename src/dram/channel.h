// One DRAM channel: banks in groups, row buffers, command timing, a data bus, refresh; a scheduler chooses.
// Works in its own ticks (DRAM command clock); the memory partition converts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "stats/visitor.h"

namespace heddle::dram {

using Tick = std::uint64_t;

struct DramSpec {
  Frequency clock = 924_MHz;
  std::uint32_t banks = 16, bank_groups = 4;
  std::uint32_t pseudo_channels = 1;     // HBM: the bus and the banks split, each with its own command stream
  Bytes bus = Bytes{8};                  // bytes per transfer
  std::uint32_t transfers_per_tick = 2;  // 2: double data rate; 4: GDDR5
  std::uint32_t burst = 8;               // transfers per column command
  std::uint32_t tCL, tWL, tRCD, tRP, tRAS, tRC, tRRD, tCCDS, tCCDL, tWR, tWTR, tRTP, tRTW;  // ticks
  std::uint32_t tFAW = 0, tREFI = 0, tRFC = 0;                                              // 0: off
  std::uint32_t queue = 64;                                                                 // requests
  std::string scheduler = "fr_fcfs";  // fifo, fr_fcfs, banked_fifo
  std::uint32_t minimum_latency = 0;  // ticks added to every answer (controller, pins)
  void fields(config::Reader& r);
};

// A transfer of one or more bursts in one row.
struct Transfer {
  std::uint32_t id = 0;  // of the caller; comes back
  std::uint32_t bank = 0, row = 0, column = 0;
  std::uint32_t bytes = 32;  // rounded up to bursts
  bool write = false;
};
struct Finished {
  std::uint32_t id = 0;
  Tick at = 0;  // reads: last data on the bus (plus minimum_latency); writes: accepted by the bank
  bool write = false;
};

struct DramStats {
  std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0;
  std::uint64_t bursts = 0, activations = 0, row_hits = 0, row_misses = 0, row_conflicts = 0, refreshes = 0;
  std::uint64_t busy_ticks = 0;  // of the data bus
  std::uint64_t turnarounds = 0;
  std::uint64_t queue_full = 0;  // offers refused
  void statistics(stats::Visitor& v);
};

class Channel {
 public:
  explicit Channel(const DramSpec& spec);
  ~Channel();
  bool can_accept() const;
  void push(Tick now, const Transfer& transfer);
  // Issues all commands up to `until` (exclusive) and appends what has been finished, in order of `at`.
  // Returns the next tick at which something will happen, or ~0 when idle. Skips idle ticks.
  Tick run(Tick from, Tick until, std::vector<Finished>& finished);
  std::uint32_t waiting() const;  // transfers not yet finished
  const DramStats& statistics() const;
  void clear_statistics();
  std::string waits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::dram
