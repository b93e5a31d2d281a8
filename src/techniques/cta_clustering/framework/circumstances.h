// What is known of a launch, and the numbers that stand for what is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/analysis/cta_addresses.h"
#include "ptx/analysis/symbolic_evaluation.h"
#include "workload/launch.h"

namespace heddle::cta_clustering {

struct Circumstances {
  std::optional<workload::Dim3> grid, block;
  std::map<std::uint32_t, std::int64_t> parameters;  // integers among the kernel's, by byte
  std::uint32_t line_bytes = 128;                    // of the L1
};

// All that a launch tells. Pointers stay names: where arrays lie does not matter.
Circumstances circumstances(const ptx::Module& module, const ptx::Function& kernel,
                            const workload::Launch& launch);
ptx::KnownLaunch known_launch(const Circumstances& c);

// Taken where nothing is known; stated in reports. Sizes are powers of two, as in most programs.
inline constexpr std::int64_t kAssumedSize = 1024;   // integers among parameters: widths, heights, counts
inline constexpr std::int64_t kAssumedTrips = 16;    // loops without a counter
inline constexpr std::int64_t kAssumedPitch = 8192;  // bytes of a texture's row
inline constexpr std::uint32_t kAssumedGrid = 64;    // CTAs along each axis that addresses depend on

// The shape of a launch with what is not known assumed, and numbers for all that is the same for all threads.
class Numbers {
 public:
  Numbers(const ptx::KernelAddresses& addresses, const Circumstances& c);

  const workload::Dim3& grid() const { return grid_; }
  const workload::Dim3& block() const { return block_; }
  const std::vector<std::string>& assumed() const { return assumed_; }
  // Numbers of loops, by index: 0 for those that do not run.
  std::int64_t trips(std::uint32_t loop) const { return trips_[loop]; }
  ptx::Evaluation evaluation() const { return evaluate_; }

 private:
  void assume_shape(const Circumstances& c);
  void set_symbols();
  void set_trips();

  const ptx::KernelAddresses& addresses_;
  workload::Dim3 grid_, block_;
  std::vector<std::string> assumed_;
  std::vector<std::int64_t> trips_;
  ptx::Evaluation evaluate_;
};

}  // namespace heddle::cta_clustering
