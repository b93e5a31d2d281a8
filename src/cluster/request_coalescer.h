// The L2 request coalescer: a merge table per cluster that lets SMs share a read under way, and stores
// nothing.
//
// It follows what was measured inside an H200, where the SMs of a GPC share a unit
// (validation/data/h200_lrc_*):
// - requests for the same sectors of a line merge until L2 answers the first one; nothing is kept after
//   that. (So the unit stands on the L2's side of the crossbar; presets put most of the way from SM to L2
//   before it.)
// - a request for other sectors of a line under way does not merge, is not recorded, and ends the merging
//   into the one before (h200_lrc_line.csv: of two SMs that ask for two sectors of a line one after the
//   other, not even the first ones merge when the second SM comes after the first one's second request).
// - at most four requesters share one request to L2. The fifth sends another one, which the next ones join:
//   k SMs that read the same line together send ceil(k / 4) requests.
// How many entries silicon has is not known: 2,048 lines under way in a GPC merge as well as 256 do. A full
// table forwards without recording and never stalls (icc.md rule 9c), and the reply to such a request passes
// the table by (rule 13).
#pragma once

#include "cluster/miss_merger.h"
#include "config/reader.h"
#include "mem/merge_table.h"

namespace heddle::cluster {

struct CoalescerSpec {
  std::uint32_t entries = 4096;  // requests under way that others may join
  std::uint32_t requesters = 4;  // per entry, the first one included
  void fields(config::Reader& r);
};

class RequestCoalescer final : public MissMerger {
 public:
  explicit RequestCoalescer(const CoalescerSpec& spec);
  Verdict offer(sim::Cycle now, mem::Request& request, std::vector<mem::Request>& answers) override;
  void reply(sim::Cycle now, const mem::Request& reply, std::vector<mem::Request>& answers) override;
  std::uint32_t waiting() const override { return waiting_; }
  const MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }

 private:
  struct Requester {
    mem::Request request;  // as the SM sent it
    mem::SectorMask missing = 0;
  };
  using Table = mem::MergeTable<std::uint64_t, Requester>;

  // By line; an entry with all its requesters, or one whose line was asked for other sectors, is detached.
  Table table_;
  std::uint32_t waiting_ = 0;
  MergerStats stats_;
};

}  // namespace heddle::cluster
