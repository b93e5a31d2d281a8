// Which launches are timed, and what the others would have taken.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::runtime {

// Of the launches of one kernel, those with the numbers 0, 1, 2, 3, 5, 8, 12, 18, 27, ... (each half as far
// again) are timed, until `wanted` have been. A launch that was not timed is taken to need as many cycles per
// warp instruction as the timed ones on average.
class Sampling {
 public:
  explicit Sampling(std::uint32_t wanted) : wanted_(wanted) {}  // 0: every launch is timed

  bool wants(const std::string& kernel) const;
  void timed(const std::string& kernel, std::uint64_t cycles, std::uint64_t warp_instructions);
  // One of those, where nothing has a time.
  void chosen(const std::string& kernel) { timed(kernel, 0, 0); }
  void untimed(const std::string& kernel) { ++kernels_[kernel].launches; }
  // Cycles of a launch that was not timed; 0: nothing is known yet.
  std::uint64_t estimate(const std::string& kernel, std::uint64_t warp_instructions) const;

 private:
  struct Seen {
    std::uint64_t launches = 0, next = 0;
    std::uint32_t timed = 0;
    std::uint64_t cycles = 0, instructions = 0;
  };
  std::uint32_t wanted_;
  std::map<std::string, Seen> kernels_;
};

}  // namespace heddle::runtime
