// Gives CTAs to SMs: takes note of those that ended, in the order of their ends, asks the CTA scheduler of
// each kernel, launches them at the machine's pace: in a cluster one after the other.
//
// A place whose CTA ended at cycle t can be taken from t + turnaround on; the SM stops there until it is
// decided by whom. A CTA that an end elsewhere made possible starts in the next window, and so does a kernel
// that waited for the end of another.
//
// Kernels of different streams share the machine where resources allow: a kernel gets what those before it
// leave, once they have no CTA left to give out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cta/cta_mapper.h"
#include "cta/cta_scheduler.h"
#include "gpu/gpu_spec.h"
#include "sim/engine.h"
#include "sim/unit.h"
#include "sm/sm.h"
#include "workload/warp_stream.h"

namespace heddle::gpu {

// When a kernel ran.
struct KernelTimes {
  sim::Cycle submitted = 0;  // its launch began: launch overhead counts from here
  sim::Cycle ended = 0;      // the cycle after its last CTA
  sm::Occupancy occupancy;
  bool done = false;
};

// Of all launches of a kernel, by its name; kernels of other names have others.
std::uint64_t code_number(std::string_view kernel);

class Dispatcher final : public sim::Between {
 public:
  struct Place {
    sm::Sm* sm = nullptr;
    sim::UnitId unit = sim::kNoUnit;
    std::uint32_t cluster = 0;
  };
  struct Pace {
    std::uint32_t overhead = 0;    // cycles from a kernel's launch to its first CTA
    std::uint32_t rate = 0;        // CTAs that the GPU launches in 1,000 cycles; 0: no limit
    std::uint32_t interval = 1;    // cycles between two CTAs of a cluster
    std::uint32_t turnaround = 1;  // cycles from a CTA's end to the start of the next one in its place
    PerturbSpec perturb = {};      // its jitter
  };
  // Places by SM number; a place without an SM never gets a CTA.
  Dispatcher(sim::Engine& engine, const sm::SmSpec& sm, const CtaSpec& cta, const cta::SmLayout& layout,
             std::vector<Place> places, const Pace& pace);

  // Queues a kernel; those of one stream run one after another. Returns its number, for times(). `last_start`
  // cycles after its launch it gets no further CTA, and ends with those that run (Submission::last_start).
  std::uint32_t submit(workload::GridStream& grid, std::uint32_t stream, sim::Cycle now,
                       sim::Cycle last_start = sim::kNever);
  bool done() const { return active_.empty(); }
  // Forgets all kernels; when done, or after a run that was ended early.
  void clear();

  const KernelTimes& times(std::uint32_t kernel) const { return kernels_[kernel]->times; }
  // With `last_start`: CTAs that it did not get, ascending.
  std::vector<std::uint64_t> not_started(std::uint32_t kernel) const;
  std::uint64_t ctas() const { return ctas_; }        // of all kernels since clear()
  std::uint64_t started() const { return started_; }  // of these, given to an SM
  std::uint64_t ended() const { return ended_; }

  sim::Cycle window_end(sim::Cycle now) override;
  sim::Cycle decide(sim::Cycle at, sim::Cycle window_end) override;
  // Whether an SM may be given a CTA when one of its own ends.
  const bool& more_ctas() const { return more_; }

 private:
  struct Kernel {
    workload::GridStream* grid = nullptr;
    std::uint32_t number = 0, stream = 0;
    std::uint64_t launch = 0;                      // of the whole run
    std::unique_ptr<cta::CtaScheduler> scheduler;  // of places in the mapper's order
    std::unique_ptr<cta::CtaMapper> mapper;
    std::vector<std::uint32_t> free;  // contexts, by SM
    std::vector<std::uint8_t> waits;  // by pc, with sm.static_waits
    sm::KernelCode code;
    std::uint64_t started = 0, ended = 0;
    sim::Cycle from = 0;                  // no CTA starts before
    sim::Cycle last_start = sim::kNever;  // after the launch; then the cycle
    std::vector<bool> given;              // with last_start: by CTA
    KernelTimes times;
    bool closed(sim::Cycle now) const { return now >= last_start; }
  };
  struct Used {
    std::uint32_t ctas = 0, warps = 0;
    std::uint64_t registers = 0, shared = 0;
  };
  struct Ended {
    sim::Cycle at;
    std::uint32_t sm;
    std::uint64_t cta;
    std::uint32_t kernel;
  };
  // From which cycle on CTAs may start, on SMs that wait for them and on others.
  struct When {
    sim::Cycle here, elsewhere;
  };
  void cap(sm::Occupancy& occupancy, std::uint64_t ctas) const;
  void start(Kernel& kernel, sim::Cycle now);
  void take_ended(sim::Cycle before);
  void process_ended(sim::Cycle before, sim::Cycle window_end);
  void end(const Ended& e);
  void launch(const When& when);
  void launch_from(Kernel& kernel, const When& when);
  sim::Cycle launch_time(const Kernel& kernel, std::uint32_t cluster, sim::Cycle now);
  std::uint32_t room(const Kernel& kernel, std::uint32_t sm) const;
  void account(std::uint32_t sm, const sm::Occupancy& o, bool take);

  sim::Engine& engine_;
  sm::SmSpec spec_;
  CtaSpec cta_;
  cta::SmLayout layout_;
  std::vector<Place> places_;
  Pace pace_;
  std::uint64_t next_launch_ = 0;         // of the GPU, in 1 / pace_.rate cycles
  std::vector<Used> used_;                // by SM
  std::vector<sim::Cycle> cluster_next_;  // when a cluster may launch again
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Kernel*> active_;               // started, not ended, in the order of their start
  std::vector<std::deque<Kernel*>> waiting_;  // by stream
  std::vector<Ended> batch_;
  std::vector<bool> here_;             // by SM: one of its CTAs ended in the cycle that is looked at
  std::vector<Kernel*> next_kernels_;  // start at the window's end
  bool more_ = false;
  std::uint64_t ctas_ = 0, started_ = 0, ended_ = 0;
  std::uint64_t submitted_ = 0;  // kernels, not forgotten by clear()
};

}  // namespace heddle::gpu
