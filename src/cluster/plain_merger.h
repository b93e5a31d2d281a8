// No merging: every request goes to the network, every reply to its SM.
#pragma once

#include "cluster/miss_merger.h"

namespace heddle::cluster {

class PlainMerger final : public MissMerger {
 public:
  Verdict offer(sim::Cycle now, mem::Request& request, std::vector<mem::Request>& answers) override;
  void reply(sim::Cycle now, const mem::Request& reply, std::vector<mem::Request>& answers) override;
  std::uint32_t waiting() const override { return waiting_; }
  const MergerStats& statistics() const override { return stats_; }
  void clear_statistics() override { stats_ = {}; }

 private:
  std::uint32_t waiting_ = 0;
  MergerStats stats_;
};

}  // namespace heddle::cluster
