// One DRAM channel: banks in groups, row buffers, command timing, a data bus, refresh; a scheduler chooses.
// Works in its own ticks (DRAM command clock); the memory partition converts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "stats/visitor.h"

namespace heddle::dram {

using Tick = std::uint64_t;
inline constexpr Tick kNever = ~Tick{0};

// Which group bank b of n is in.
enum class BankGroups : std::uint8_t {
  Modulo,  // b % bank_groups
  Blocks   // b / (n / bank_groups)
};

// Which of the commands that can be issued now goes first.
enum class CommandOrder : std::uint8_t {
  ColumnsFirst,  // column commands, then those that open and close rows; of each kind the scheduler's choice
  BankTurns  // of the first bank that has one, from the bank after the last whose row was opened or closed
};

// From when tWR and tWTR count.
enum class WriteRecovery : std::uint8_t { Data, Command };

// What a refresh closes.
enum class Refresh : std::uint8_t { AllBanks, OneBank };

// Defaults: GDDR5 of a GTX 480 as GPGPU-Sim 3 ships it.
struct DramSpec {
  Frequency clock = 924_MHz;
  std::uint32_t banks = 16;       // of the channel, all pseudo channels together
  std::uint32_t bank_groups = 4;  // of a pseudo channel
  BankGroups groups = BankGroups::Modulo;
  std::uint32_t pseudo_channels = 1;     // HBM: banks and bus split evenly, each part with its own commands
  Bytes bus = Bytes{8};                  // bytes per transfer, all pseudo channels together
  std::uint32_t transfers_per_tick = 4;  // 2: double data rate; 4: GDDR5
  std::uint32_t burst = 8;               // transfers per column command
  std::uint32_t tCL = 12, tWL = 4, tRCD = 12, tRP = 12, tRAS = 28, tRC = 40, tRRD = 6;  // ticks
  std::uint32_t tCCDS = 2, tCCDL = 3, tWR = 12, tWTR = 5, tRTP = 2, tRTW = 12;
  WriteRecovery write_recovery = WriteRecovery::Data;
  Bytes write_extra = Bytes{0};                 // written with the data of every transfer
  std::uint32_t tRCDW = 0;                      // 0: tRCD
  std::uint32_t tFAW = 0, tREFI = 0, tRFC = 0;  // 0: off
  Refresh refresh = Refresh::AllBanks;
  std::uint32_t queue = 64;      // transfers whose last command has not been issued
  std::uint32_t bank_queue = 0;  // so many of each bank instead; 0: `queue` of all
  bool bank_places = false;      // both count only those that are not placed at a bank
  bool one_placement = false;    // per tick; else whatever can go to a bank does
  CommandOrder command_order = CommandOrder::ColumnsFirst;
  std::string scheduler = "fr_fcfs";  // slot: dram/dram_scheduler.h
  std::uint32_t row_hit_cap =
      0;               // fr_fcfs: hits that may pass an older transfer of their bank; 0: any number
  bool recall = true;  // fr_fcfs: a hit takes the bank from a transfer that waits for the row to be closed
  std::uint32_t write_drain_high = 0, write_drain_low = 0;  // 0: reads and writes drawn from one queue
  std::uint32_t minimum_latency = 0;                        // ticks added to every answer (controller, pins)
  // Of the partition's way to the channel: ticks before the queue, and transfers from leaving L2 to the
  // answer. 0: none, no limit.
  std::uint32_t delay = 0, credits = 0;
  void fields(config::Reader& r);

  std::uint32_t burst_bytes() const {
    return static_cast<std::uint32_t>(bus.count()) / pseudo_channels * burst;
  }
  // That [column, column + bytes) touches.
  std::uint32_t bursts_of(std::uint32_t column, std::uint32_t bytes) const {
    const std::uint32_t n = burst_bytes();
    return std::max(1u, ((column & (n - 1)) + bytes + n - 1) / n);
  }
  std::uint32_t burst_ticks() const { return (burst + transfers_per_tick - 1) / transfers_per_tick; }
  std::uint32_t write_after_activate() const { return tRCDW == 0 ? tRCD : tRCDW; }
  std::uint32_t banks_per_part() const { return banks / pseudo_channels; }
  // Transfers that wait in the queue or queues of the channel, at most.
  std::uint32_t capacity() const { return bank_queue == 0 ? queue : bank_queue * banks; }
  // Transfers of a pseudo channel whose last command has not been issued, at most.
  std::uint32_t entries() const {
    const std::uint32_t waiting = bank_queue == 0 ? queue : bank_queue * banks_per_part();
    return waiting + (bank_places ? banks_per_part() : 0);
  }
  std::uint32_t group_of(std::uint32_t bank) const {
    return groups == BankGroups::Modulo ? bank % bank_groups : bank / (banks_per_part() / bank_groups);
  }
};

// A transfer of one or more bursts in one row. Bank b of the channel is bank b % n of pseudo channel b / n,
// n being the banks of a pseudo channel.
struct Transfer {
  std::uint32_t id = 0;  // of the caller; comes back
  std::uint32_t bank = 0, row = 0, column = 0;
  std::uint32_t bytes = 32;  // all bursts that [column, column + bytes) touches are moved
  bool write = false;
  bool global_read = false;  // caused by a load from global memory: counted apart
};
struct Finished {
  std::uint32_t id = 0;
  Tick at = 0;  // last data on the bus, plus minimum_latency
  bool write = false;
};

struct DramStats {
  std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0;
  std::uint64_t bursts = 0, activations = 0, row_hits = 0, row_misses = 0, row_conflicts = 0, refreshes = 0;
  std::uint64_t global_reads = 0, global_bursts = 0, global_activations = 0;  // for loads from global memory
  std::uint64_t busy_ticks = 0;                                               // of the data bus
  std::uint64_t turnarounds = 0;
  std::uint64_t bank_busy_ticks = 0, bank_idle_ticks = 0;  // banks x ticks with and without a transfer placed
  std::uint64_t most_waiting = 0;
  void statistics(stats::Visitor& v);
};

// Transfers by bank, each counted when its first data are asked for.
struct BankCounts {
  std::vector<std::uint64_t> hits, accesses;  // hits: found their row open
};

class Channel {
 public:
  explicit Channel(const DramSpec& spec);
  ~Channel();
  Channel(Channel&&) noexcept;
  // A transfer for `bank`; as of the last push() or run().
  bool can_accept(std::uint32_t bank) const;
  // A command for it may be issued at `now` already. Times never decrease, nor lie before a run()'s `until`.
  void push(Tick now, const Transfer& transfer);
  // Issues all commands up to `until` (exclusive) and appends what has been finished by then (`at` up to
  // `until`, inclusive), in order of `at`. Returns the next tick at which something may happen, or kNever
  // when idle. Skips idle ticks.
  Tick run(Tick from, Tick until, std::vector<Finished>& finished);
  // No transfer finishes before this tick unless it is pushed from now on; kNever when idle. Until then
  // nobody needs to call run() but to see whether there is room.
  Tick next_answer() const;
  std::uint32_t waiting() const;  // transfers not yet finished
  const DramStats& statistics() const;
  // From now on counts by bank. Once, at first; clear_statistics() does not clear it.
  void count_banks();
  const BankCounts* banks() const;  // nullptr: not counted
  void clear_statistics();
  std::string waits() const;  // one line; empty when nothing is inside
  const DramSpec& spec() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::dram
