// Looks at the memory instructions of a run as SMs issue them: how many, how many line requests they become,
// who touched the lines before, what a window between warps could save.
//
// Seen are global memory and what lies there (textures); local memory belongs to one thread, shared memory
// and constants do not go to the L1. An SM's load/store unit keeps the order of its instructions, so the
// order of issue is the order of requests to the L1.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/line_reuse.h"
#include "gpu/machine.h"
#include "mem/merge_window.h"
#include "sm/coalescer.h"
#include "workload/observed_stream.h"

namespace heddle::analysis {

// Instructions with an access to global memory, and their line requests.
struct AccessCounts {
  std::uint64_t loads = 0, stores = 0, atomics = 0;
  std::uint64_t load_lines = 0, store_lines = 0, atomic_lines = 0;
  mem::WindowCounts windows{};
  std::uint64_t instructions() const { return loads + stores + atomics; }
  std::uint64_t lines() const { return load_lines + store_lines + atomic_lines; }
  AccessCounts& operator+=(const AccessCounts& other);
};

class AccessMeters final : public workload::StreamObserver {
 public:
  AccessMeters(std::uint32_t sms, std::uint32_t line_bytes);
  // The clocks of the SMs whose instructions will be seen.
  void connect(const gpu::Machine& machine) { machine_ = &machine; }

  // The launch that begins is counted here, until the next call.
  void launch(LineReuse& reuse);
  // Of the SMs together, since launch().
  AccessCounts counts() const;

  void issued(std::uint32_t sm, std::uint64_t cta, std::uint32_t warp, const workload::StaticInstr& instr,
              const workload::Issued& result) override;
  void window_end() override;

 private:
  struct Touch {
    sim::Cycle at;
    std::uint64_t line, cta;
    std::uint32_t words, warp;
  };
  struct alignas(64) OfSm {
    AccessCounts counts;
    mem::MergeWindow window;
    std::vector<Touch> touches;  // of the window under way
    sm::LineList lines;
  };
  void access(OfSm& here, const workload::WarpAccess& access, const Touch& by);

  std::uint32_t line_bytes_;
  const gpu::Machine* machine_ = nullptr;
  LineReuse* reuse_ = nullptr;
  std::vector<OfSm> of_sm_;
  std::vector<Touch> all_;  // of all SMs, in the order of time
};

}  // namespace heddle::analysis
