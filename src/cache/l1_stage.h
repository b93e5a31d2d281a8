// The L1s as a stage of the machine (mem/stage.h): hits end here, misses merge in MSHRs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/l1_cache.h"
#include "mem/stage.h"

namespace heddle::cache {

// How evenly L1s are used.
struct L1Use {
  std::uint64_t busiest = 0;  // accesses of the L1 that had most
  void statistics(stats::Visitor& v);
};

class L1Stage final : public mem::Stage {
 public:
  // `place`: what the picture says of them beside what the description has; empty: nothing. `keep`: lines
  // survive a kernel. `clock`: the SMs'.
  L1Stage(const L1Spec& spec, std::uint32_t count, std::string place, bool keep, Frequency clock);
  void attach(L1Cache& l1) { l1s_.push_back(&l1); }
  void attach(mem::ReplicationMeter& meter) { replication_ = &meter; }
  // In the picture they have a box of their own, with such wires to what stands above.
  void stand_apart(const mem::Picture::Wires& wires) { wires_ = wires; }

  std::string_view name() const override { return "the L1s"; }
  void declare(stats::Groups& all) const override;
  void declare_meters(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  std::vector<mem::Identity> identities(const stats::Groups& s) const override;
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void collect_meters(stats::Groups& all) const override;
  void clear_statistics() override;
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;
  void kernel_end() override;

 private:
  L1Spec spec_;
  std::uint32_t count_;
  std::string place_;
  bool keep_;
  Frequency clock_;
  std::vector<L1Cache*> l1s_;
  mem::ReplicationMeter* replication_ = nullptr;
  std::optional<mem::Picture::Wires> wires_;
};

// Adds MSHRs of `count` caches: the numbers of lines of 128 bytes in addresses of 42 bits, and for each that
// waits its warp and register.
struct MshrCounts {
  mem::Counts missed, joined;
  mem::Count filled;
};
void add_mshrs(mem::Structure& to, std::uint32_t count, std::uint32_t entries, std::uint32_t merges,
               const MshrCounts& counts);

// "64KiB: 64 sets x 8 ways x 128B in 32B sectors, lru".
std::string in_words(const TagSpec& tags);
// The arrays of `count` caches with a data port of `port`; 0: a line.
mem::CachePart array_part(const TagSpec& tags, Bytes port, std::uint32_t count, Frequency clock);

}  // namespace heddle::cache
