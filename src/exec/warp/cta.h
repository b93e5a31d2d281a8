// A CTA being executed: its warps, shared memory and barriers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/mbarrier.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

inline constexpr int kBarriers = 16;

struct Cta {
  workload::Dim3 id;  // x, y, z of %ctaid
  std::uint64_t linear = 0;
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  CopyArrivals copies;
  bool in_step = false;  // its warps must be (in_step.h)

  // Starts CTA `linear_id` of the launch in `context`, reusing this object's storage.
  void start(const KernelImage& image, ExecContext& context, std::uint64_t linear_id);
  bool done() const;

  // A warp arrives without waiting (bar.arrive).
  void arrive(std::uint32_t barrier, std::uint32_t threads_expected);
  // A warp waits; `threads_expected` 0: all of the CTA.
  void note_wait(std::uint32_t barrier, std::uint32_t threads_expected) {
    barriers[barrier].expected = threads_expected;
    in_use |= 1u << barrier;
  }
  // Releases every barrier that is complete; call when a warp has blocked or ended. True if one was.
  bool release_barriers();

  std::string describe() const;

 private:
  struct Barrier {
    std::uint32_t expected = 0;  // threads; 0: every thread that has not exited
    std::uint32_t arrived = 0;   // by bar.arrive
  };
  bool complete(std::uint32_t barrier) const;
  void reduce(std::uint32_t barrier);
  std::array<Barrier, kBarriers> barriers{};
  std::uint32_t in_use = 0;  // barriers at which a warp has arrived or waits
};

}  // namespace heddle::exec
