// Intra-cluster coalescing: the SMs of a cluster share a read while it is under way (merge table), and read
// what several of them asked for once more without the network (coalesced cache). icc.md, sections B2 and B3.
#pragma once

#include <optional>
#include <string>

#include "cluster/mergers.h"
#include "cluster/miss_merger.h"
#include "config/reader.h"
#include "techniques/intra_cluster/coalesced_cache.h"
#include "techniques/intra_cluster/icc_merge_table.h"

namespace heddle::intra_cluster {

struct MergeTableSpec {
  std::uint32_t entries = 48;
  std::uint32_t latency = 1;     // core cycles of a lookup, beside the port's own
  bool bypassing_loads = false;  // loads that pass the L1 by use the table too
  void fields(config::Reader& r);
};

enum class Lookup : std::uint8_t { Parallel, Serial };
enum class Insert : std::uint8_t { Shared, Always };

struct CoalescedCacheSpec {
  std::uint32_t lines = 24;
  std::string replacement = "lru";
  std::uint32_t latency = 1;  // core cycles of a lookup, beside the port's own
  Lookup lookup = Lookup::Parallel;
  Insert insert = Insert::Shared;
  bool invalidate_on_write = true;
  bool flush_at_kernel_end = true;
  void fields(config::Reader& r);
};

class IccMerger final : public cluster::MissMerger {
 public:
  // Without a cache: the merge table alone. A cache needs the table (icc.md rule 19).
  IccMerger(const MergeTableSpec& table, const std::optional<CoalescedCacheSpec>& cache,
            const cluster::MergerPlace& place);

  Verdict offer(sim::Cycle now, mem::Request& request, std::vector<mem::Request>& answers) override;
  void reply(sim::Cycle now, const mem::Request& reply, std::vector<mem::Request>& answers) override;
  void kernel_end() override;
  cluster::LookupDelay delay() const override;
  std::vector<mem::Storage> storage() const override;
  std::vector<mem::TablePart> tables() const override;
  std::uint32_t waiting() const override { return waiting_; }
  const cluster::MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }

 private:
  struct Widths {  // in bits: a line's tag, who waits for it, its data, which of its sectors are there
    std::uint64_t tag, list, data, valid;
  };
  Widths widths() const;
  // Rule 8. Loads that pass the L1 by have no MSHR that keeps them to one per SM and line (rule 12), and want
  // what L2 holds now, not what a read that was sent earlier brings.
  bool uses_table(const mem::Request& r) const {
    return cluster::mergeable(r) && (!r.no_l1 || table_spec_.bypassing_loads);
  }
  Verdict pass(const mem::Request& request);
  bool held(const mem::Request& request, std::vector<mem::Request>& answers);
  Verdict look_up(mem::Request& request);
  void keep(const IccMergeTable::Closed& entry);

  MergeTableSpec table_spec_;
  std::optional<CoalescedCacheSpec> cache_spec_;
  cluster::MergerPlace place_;
  IccMergeTable table_;
  std::optional<CoalescedCache> cache_;
  std::uint32_t waiting_ = 0;
  cluster::MergerStats stats_;
};

cluster::MergerFactory read_icc(config::Reader& section);
cluster::MergerFactory read_icc_cc(config::Reader& section);

// For the catalog.
inline constexpr cluster::MergerKind kIcc = {
    "icc", "intra-cluster coalescing: merge table of reads under way", read_icc, "merge table"};
inline constexpr cluster::MergerKind kIccCc = {"icc_cc",
                                               "intra-cluster coalescing: merge table and coalesced cache",
                                               read_icc_cc, "merge table", "coalesced cache"};

}  // namespace heddle::intra_cluster
