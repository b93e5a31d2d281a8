// Gives CTAs to SMs between windows: takes note of those that ended, asks the CTA scheduler, launches at most
// one per cluster and cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cta/cta_scheduler.h"
#include "sim/engine.h"
#include "sim/unit.h"
#include "sm/sm.h"
#include "workload/warp_stream.h"

namespace heddle::gpu {

class Dispatcher final : public sim::WindowEnd {
 public:
  struct Place {
    sm::Sm* sm = nullptr;
    sim::UnitId unit = sim::kNoUnit;
    std::uint32_t cluster = 0;
  };
  // Places by SM number; a place without an SM never gets a CTA.
  Dispatcher(sim::Engine& engine, std::unique_ptr<cta::CtaScheduler> scheduler, const cta::Machine& machine,
             std::vector<Place> places, std::uint32_t launch_rate);

  // Starts a kernel whose CTAs may start at `at`; at most `contexts` of them on an SM at once.
  void start(workload::GridStream& grid, std::uint32_t contexts, sim::Cycle at);
  bool done() const { return grid_ == nullptr || ended_ == grid_->ctas(); }
  std::uint64_t ended() const { return ended_; }
  sim::Cycle last_end() const { return last_end_; }

  sim::Cycle window_end(sim::Cycle now) override;

 private:
  void take_ended();
  void launch(sim::Cycle now);

  sim::Engine& engine_;
  std::unique_ptr<cta::CtaScheduler> scheduler_;
  cta::Machine machine_;
  std::vector<Place> places_;
  workload::GridStream* grid_ = nullptr;
  std::vector<std::uint32_t> free_;
  std::vector<sim::Cycle> cluster_next_;  // when a cluster may launch again
  std::uint64_t rate_;                    // CTAs that the GPU launches in 1,000 cycles; 0: no limit
  std::uint64_t next_ = 0;                // when it may launch again, in 1 / rate_ cycles
  struct Ended {
    sim::Cycle at;
    std::uint32_t sm;
    std::uint64_t cta;
  };
  std::vector<Ended> batch_;
  std::uint64_t ended_ = 0, launched_ = 0;
  sim::Cycle last_end_ = 0;
};

}  // namespace heddle::gpu
