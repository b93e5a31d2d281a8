// How many CTAs an SM gets at once, and when: shared by all schedulers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "cta/cta_scheduler.h"

namespace heddle::cta {

// Blocks of `size` consecutive CTAs are launched together (icc.md rule 5).
class BlockRule {
 public:
  explicit BlockRule(std::uint32_t size) : size_(size) {}

  void start(std::uint32_t contexts, const SmLayout& layout) {
    const std::uint32_t places = layout.clusters * layout.sms_per_cluster;
    if (contexts == 0) throw std::invalid_argument("a CTA of the kernel fits on no SM");
    if (places == 0 || layout.sms() > places || layout.sms() <= places - layout.sms_per_cluster)
      throw std::invalid_argument("every cluster needs an SM");
    together_ = std::min(size_, contexts);  // rule 6 (iii): where one CTA fits, blocks of one
    // Rule 6 (iv): contexts that are no multiple of a block leave the rest empty.
    needed_ = together_ + contexts % together_;
  }
  // Rule 6 (ii): the last, smaller block of a pool waits for as many contexts as any other.
  bool fits(std::uint32_t free) const { return free >= needed_; }
  std::uint32_t count(std::uint64_t left) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(together_, left));
  }

 private:
  std::uint32_t size_;
  std::uint32_t together_ = 1;
  std::uint32_t needed_ = 1;
};

}  // namespace heddle::cta
