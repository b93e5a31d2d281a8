// Parameters and statistics of a DRAM channel.
#include <algorithm>

#include "dram/channel.h"
#include "dram/dram_scheduler.h"

namespace heddle::dram {

using config::at_least;
using config::range;

static void timing_fields(DramSpec& s, config::Reader& r) {
  const auto ticks = range(1u, 100'000u);
  const auto or_off = range(0u, 10'000'000u);
  r.field("tCL", s.tCL, ticks, "Ticks from a read command to its first data");
  r.field("tWL", s.tWL, ticks, "Ticks from a write command to its first data");
  r.field("tRCD", s.tRCD, ticks, "Ticks from opening a row to its first column command");
  r.field("tRCDW", s.tRCDW, range(0u, 100'000u),
          "The same where the command is a write; 0: tRCD. Shorter where data come later than the command");
  r.field("tRP", s.tRP, ticks, "Ticks from closing a row to opening the next one of the bank");
  r.field("tRAS", s.tRAS, ticks, "Ticks from opening a row to closing it, at least");
  r.field("tRC", s.tRC, ticks, "Ticks from opening a row to opening the next one of the bank, at least");
  r.field("tRRD", s.tRRD, ticks, "Ticks between opening rows of different banks");
  r.field("tCCDS", s.tCCDS, ticks, "Ticks between column commands to different bank groups");
  r.field("tCCDL", s.tCCDL, ticks, "Ticks between column commands to one bank group");
  r.field("tWR", s.tWR, ticks, "Ticks from the last written data to closing the row");
  r.field("tWTR", s.tWTR, range(0u, 100'000u), "Ticks from the last written data to the next read command");
  r.field("tRTP", s.tRTP, ticks, "Ticks from a read command to closing the row");
  r.field("tRTW", s.tRTW, range(0u, 100'000u), "Ticks from a read command to the next write command");
  r.choice(
      "write_recovery", s.write_recovery,
      {{"data", WriteRecovery::Data, "from the last written data"},
       {"command", WriteRecovery::Command, "from the last write command (GPGPU-Sim 2, which has neither)"}},
      "From when tWR and tWTR count");
  r.field("tFAW", s.tFAW, range(0u, 100'000u), "Ticks in which at most four rows are opened; 0: no limit");
  r.field("tREFI", s.tREFI, or_off, "Ticks between refreshes of a bank; 0: no refresh");
  r.field("tRFC", s.tRFC, or_off, "Ticks that a refresh takes");
  r.choice("refresh", s.refresh,
           {{"all_banks", Refresh::AllBanks, "all banks of a pseudo channel at once"},
            {"one_bank", Refresh::OneBank, "one bank after another, tREFI / banks apart; the others go on"}},
           "What is closed for a refresh");
  if (s.tCCDL < s.tCCDS)
    r.fail("tCCDL", "column commands to one bank group cannot follow faster than to different ones",
           "give tCCDL at least tCCDS");
  if (s.tREFI != 0 && s.tRFC == 0)
    r.fail("tRFC", "a refresh that takes no time", "give tRFC, or tREFI = 0 for no refresh");
  // The longest a refresh can be held up: a row just opened, a write just begun.
  const std::uint64_t held = std::uint64_t{s.tRAS} + std::max(s.tRCD, s.write_after_activate()) + s.tWL +
                             s.burst_ticks() + s.tWR + s.tRP + s.tRFC;
  if (s.tREFI != 0 && s.tREFI <= held)
    r.fail("tREFI", "refreshes would follow each other without a pause",
           "give more than " + std::to_string(held) + " ticks");
}

static void scheduling_fields(DramSpec& s, config::Reader& r) {
  r.field("queue", s.queue, range(1u, 4096u), "Transfers that wait for their commands");
  r.field("bank_queue", s.bank_queue, range(0u, 4096u),
          "A queue of so many transfers for each bank, in place of `queue`; one whose bank has no room holds "
          "up all behind it. 0: one queue for all");
  r.field("bank_places", s.bank_places,
          "A transfer that is its bank's next one has a place there and leaves the queue");
  r.field("one_placement", s.one_placement,
          "One transfer per tick goes to its bank; else all that can (GPGPU-Sim: one)");
  r.choice("command_order", s.command_order,
           {{"columns_first", CommandOrder::ColumnsFirst,
             "column commands before those that open and close rows, each by the scheduler"},
            {"bank_turns", CommandOrder::BankTurns,
             "the first bank that can, from the one after the last row command's (GPGPU-Sim)"}},
           "Which of the commands that can be issued goes");
  r.field("write_extra", s.write_extra, range(0_B, 1_KiB),
          "Bytes written with the data of every write: header and mask in GPGPU-Sim 2");
  r.field("delay", s.delay, range(0u, 100'000u), "Ticks from the L2 to the queue");
  r.field("credits", s.credits, range(0u, 4096u),
          "Transfers of a channel from when they leave the L2 to their answer; 0: no limit");
  r.choice("scheduler", s.scheduler, scheduler_choices(), "Which waiting transfer goes next");
  r.field("row_hit_cap", s.row_hit_cap, range(0u, 1'000'000u),
          "fr_fcfs: hits that may pass an older transfer of their bank; 0: any number");
  r.field("recall", s.recall,
          "fr_fcfs: a hit takes the bank from a transfer that still waits for the row to be closed");
  r.field("write_drain_high", s.write_drain_high, range(0u, 4096u),
          "Waiting writes at which reads stop and writes go; 0: both are drawn from one queue");
  r.field("write_drain_low", s.write_drain_low, range(0u, 4096u), "Waiting writes at which reads go again");
  r.field("minimum_latency", s.minimum_latency, range(0u, 100'000u),
          "Ticks added to every answer for controller and pins");
  if (s.write_drain_high == 0 ? s.write_drain_low != 0 : s.write_drain_low >= s.write_drain_high)
    r.fail("write_drain_low", "it must be below write_drain_high", "");
  if (s.scheduler != "fr_fcfs")
    r.unused({"row_hit_cap", "recall"}, "only dram.scheduler = fr_fcfs lets hits pass");
  if (s.scheduler == "fr_fcfs" && s.row_hit_cap != 0)
    r.unused({"recall"}, "what the cap has placed at its bank stays there (dram.row_hit_cap)");
  if (s.bank_queue != 0) r.unused({"queue"}, "every bank has a queue of its own (dram.bank_queue)");
  if (s.write_drain_high > s.capacity())
    r.fail("write_drain_high", "the queue never holds so many writes",
           s.bank_queue == 0 ? "give at most `queue`" : "give at most `bank_queue` of all banks");
}

void DramSpec::fields(config::Reader& r) {
  r.field("clock", clock, range(1_MHz, 20_GHz), "Command clock");
  r.field("banks", banks, range(1u, 1024u), "Banks, those of all pseudo channels together");
  r.field("bank_groups", bank_groups, range(1u, 64u), "Bank groups of a pseudo channel; 1: no groups");
  r.choice("bank_group_order", groups,
           {{"modulo", BankGroups::Modulo, "bank modulo groups: neighbours are in different ones"},
            {"blocks", BankGroups::Blocks, "the first banks in the first group, and so on"}},
           "Which group a bank of a pseudo channel is in");
  r.field("pseudo_channels", pseudo_channels, range(1u, 16u).power_of_two(),
          "Parts with banks, commands and a share of the bus of their own (HBM: 2)");
  r.field("bus", bus, range(1_B, 1_KiB).power_of_two(), "Bytes per transfer");
  r.field("transfers_per_tick", transfers_per_tick, range(1u, 64u),
          "Transfers per tick: 2 for double data rate, 4 for GDDR5");
  r.field("burst", burst, range(1u, 64u).power_of_two(), "Transfers per column command");
  if (banks % pseudo_channels != 0 || banks / pseudo_channels > 64)
    r.fail("banks", "every pseudo channel needs the same number of banks, at most 64", "");
  if (banks / pseudo_channels % bank_groups != 0)
    r.fail("bank_groups", "every group needs the same number of banks",
           "give a divisor of " + std::to_string(banks / pseudo_channels));
  if (bus.count() < pseudo_channels)
    r.fail("bus", "every pseudo channel needs a byte of it", "give at least `pseudo_channels` bytes");
  timing_fields(*this, r);
  scheduling_fields(*this, r);
  if (bank_groups == 1) r.unused({"tCCDL", "bank_group_order"}, "there is one bank group (bank_groups = 1)");
  if (tREFI == 0) r.unused({"tRFC", "refresh"}, "there is no refresh (tREFI = 0)");
}

void DramStats::statistics(stats::Visitor& v) {
  v.counter("reads", reads, {"transfers", "Read transfers served"});
  v.counter("writes", writes, {"transfers", "Write transfers served"});
  v.counter("read_bytes", read_bytes, {"bytes", "Bytes read, in whole bursts", "dram__bytes_read.sum"});
  v.counter("write_bytes", write_bytes, {"bytes", "Bytes written, in whole bursts", "dram__bytes_write.sum"});
  v.counter("bursts", bursts, {"bursts", "Column commands"});
  v.counter("activations", activations, {"activations", "Rows opened"});
  v.counter("global_reads", global_reads, {"transfers", "Read transfers for loads from global memory"});
  v.counter("global_bursts", global_bursts, {"bursts", "Column commands of these"});
  v.counter("global_activations", global_activations, {"activations", "Rows opened for these"});
  v.counter("row_hits", row_hits, {"transfers", "Transfers that found their row open"});
  v.counter("row_misses", row_misses, {"transfers", "Transfers that found their bank closed"});
  v.counter("row_conflicts", row_conflicts, {"transfers", "Transfers that found another row open"});
  v.counter("refreshes", refreshes,
            {"refreshes", "Refreshes of all banks of a pseudo channel, at once or one after another"});
  v.counter("busy_ticks", busy_ticks, {"ticks", "Ticks in which a data bus carried data"});
  v.counter("turnarounds", turnarounds, {"turns", "Changes of the bus between reading and writing"});
  v.counter("bank_busy_ticks", bank_busy_ticks,
            {"ticks", "Ticks in which a bank had a transfer placed, summed over banks"});
  v.counter("bank_idle_ticks", bank_idle_ticks,
            {"ticks", "Ticks of the launches in which a bank had none, summed over banks"});
  v.derived("activations_per_transfer",
            static_cast<double>(activations) / static_cast<double>(reads + writes),
            "activations / (reads + writes)", {"", "Rows opened per transfer: the row-buffer miss rate"});
  v.peak("most_waiting", most_waiting, {"transfers", "Most transfers that waited for their commands"});
}

}  // namespace heddle::dram
