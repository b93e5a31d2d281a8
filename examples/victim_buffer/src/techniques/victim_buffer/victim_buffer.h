// A victim buffer at a cluster's port: a few lines that came back for one SM, kept for the reads of its
// neighbours.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cache/tag_store.h"
#include "cluster/mergers.h"
#include "cluster/miss_merger.h"
#include "config/reader.h"

namespace heddle::victim_buffer {

// Parameters: cluster.victim_buffer.*
struct VictimBufferSpec {
  std::uint32_t lines = 16;
  void fields(config::Reader& r);
};

// What it counts beside MergerStats: victim_buffer.*
struct VictimBufferStats {
  std::uint64_t arrived = 0;  // replies to reads that may be kept: kept + outdated
  std::uint64_t kept = 0, outdated = 0;
  std::uint64_t bypassing = 0;  // loads that pass the L1 by
  void statistics(stats::Visitor& v);
};

class VictimBuffer final : public cluster::MissMerger {
 public:
  VictimBuffer(const VictimBufferSpec& spec, const cluster::MergerPlace& place);

  Verdict offer(sim::Cycle now, mem::Request& request, std::vector<mem::Request>& answers) override;
  void reply(sim::Cycle now, const mem::Request& reply, std::vector<mem::Request>& answers) override;
  void kernel_end() override;
  std::vector<mem::Storage> storage() const override;
  std::uint32_t waiting() const override { return waiting_; }
  const cluster::MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override;
  void collect(stats::Groups& all) const override { all.add("victim_buffer", own_); }
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;

 private:
  // Reads of a line that are under way, and whether the cluster has written to it meanwhile.
  struct UnderWay {
    std::uint32_t reads = 0;
    bool written = false;
  };

  bool held(const mem::Request& request);
  void wrote(std::uint64_t line);
  void arrived(const mem::Request& reply);
  void keep(std::uint64_t line, mem::SectorMask sectors);

  VictimBufferSpec spec_;
  cluster::MergerPlace place_;
  cache::TagStore store_;
  std::unordered_map<std::uint64_t, UnderWay> under_way_;  // looked up by line, never walked
  std::uint32_t waiting_ = 0;
  cluster::MergerStats stats_;
  VictimBufferStats own_;
};

cluster::MergerFactory read(config::Reader& section);

// For the catalog (gpu/catalog.cc). It merges nothing; the funnel calls what holds lines "victim buffer".
inline constexpr cluster::MergerKind kMerger = {"victim_buffer",
                                                "keeps lines that came back for the other SMs of the cluster",
                                                read, "", "victim buffer"};

}  // namespace heddle::victim_buffer
