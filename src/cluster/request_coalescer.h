// The L2 request coalescer: a merge table per cluster that lets SMs share a read under way, and stores
// nothing.
//
// It follows what was measured inside an H200, where 16 SMs of a GPC share a unit:
// - requests for a line merge while the first one is under way; after its reply nothing is kept;
// - at most four requesters share one request to L2. The fifth sends another one, which the next ones join:
//   k SMs that read the same line together send ceil(k / 4) requests.
// How many entries silicon has is not known; a full table forwards without recording and never stalls
// (icc.md rule 9c), and the reply to such a request passes the table by (rule 13).
//
// A follower that wants sectors nobody asked for yet sends a request for the rest, under the same entry.
#pragma once

#include "cluster/miss_merger.h"
#include "config/reader.h"
#include "mem/merge_table.h"

namespace heddle::cluster {

struct CoalescerSpec {
  std::uint32_t entries = 1024;  // requests under way that others may join
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

  Verdict join(Table::Entry e, mem::Request& request);

  Table table_;  // by line; an entry with all its requesters is detached, so find() gives the newest
  std::uint32_t waiting_ = 0;
  MergerStats stats_;
};

}  // namespace heddle::cluster
