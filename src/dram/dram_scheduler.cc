#include "dram/dram_scheduler.h"

#include "base/error.h"
#include "dram/fifo.h"
#include "dram/fr_fcfs.h"
#include "dram/write_drain.h"

namespace heddle::dram {

const std::vector<config::NamedChoice>& scheduler_choices() {
  static const std::vector<config::NamedChoice> choices = {
      {"fifo", "transfers go to their banks in order of arrival"},
      {"fr_fcfs", "the oldest transfer to an open row first, else the oldest"},
      {"banked_fifo", "in order of arrival within each bank, banks take turns"},
  };
  return choices;
}

static std::unique_ptr<DramScheduler> make_plain(const DramSpec& spec, const SchedulerView& view) {
  if (spec.scheduler == "fifo") return std::make_unique<Fifo>(view);
  if (spec.scheduler == "fr_fcfs") return std::make_unique<FrFcfs>(view, spec.row_hit_cap, spec.recall);
  if (spec.scheduler == "banked_fifo") return std::make_unique<BankedFifo>(view);
  throw Error("no DRAM scheduler named '" + spec.scheduler + "'");
}

std::unique_ptr<DramScheduler> make_scheduler(const DramSpec& spec, const SchedulerView& view) {
  if (spec.write_drain_high == 0) return make_plain(spec, view);
  return std::make_unique<WriteDrain>(view, make_plain(spec, view), make_plain(spec, view),
                                      spec.write_drain_high, spec.write_drain_low);
}

}  // namespace heddle::dram
