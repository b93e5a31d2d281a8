// The memory partitions as two stages of the machine (mem/stage.h): L2 slices, and DRAM behind them.
#pragma once

#include <vector>

#include "hierarchy/partition.h"
#include "mem/stage.h"

namespace heddle::hierarchy {

struct MemoryLayout {
  std::uint32_t partitions = 1, slices = 1;  // slices of a partition
  Bytes interleave{256}, row{2048};
  Frequency core{};
};

class L2Stage final : public mem::Stage {
 public:
  L2Stage(const PartitionSpec& spec, const MemoryLayout& layout, const mem::Picture::Wires& wires);
  void attach(Partition& partition) { partitions_.push_back(&partition); }

  std::string_view name() const override { return "L2"; }
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
  void clear_statistics() override;  // of the whole partitions
  void read_series(sim::Cycle now, std::uint64_t* into) const override;
  bool idle() const override;
  void kernel_end() override;

 private:
  PartitionSpec spec_;
  MemoryLayout layout_;
  mem::Picture::Wires wires_;
  std::vector<Partition*> partitions_;
};

class DramStage final : public mem::Stage {
 public:
  DramStage(const PartitionSpec& spec, const MemoryLayout& layout) : spec_(spec), layout_(layout) {}
  void attach(Partition& partition) { partitions_.push_back(&partition); }

  std::string_view name() const override { return "DRAM"; }
  void declare(stats::Groups& all) const override;
  void declare_meters(stats::Groups& all) const override;
  mem::Edges edges(const stats::Groups& s) const override;
  void funnel(const stats::Groups& s, mem::Funnel& f) const override;
  std::vector<mem::Series> series() const override;
  std::vector<mem::Curve> curves() const override;
  mem::Picture picture() const override;
  std::vector<mem::Structure> structures() const override;

  void collect(stats::Groups& all) const override;
  void collect_meters(stats::Groups& all) const override;
  void lasted(sim::Cycle cycles, stats::Groups& all) const override;
  void clear_statistics() override {}          // L2Stage does
  bool idle() const override { return true; }  // L2Stage knows
  void read_series(sim::Cycle now, std::uint64_t* into) const override;

 private:
  PartitionSpec spec_;
  MemoryLayout layout_;
  std::vector<Partition*> partitions_;
};

}  // namespace heddle::hierarchy
