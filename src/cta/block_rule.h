// How many CTAs an SM gets at once, and when: shared by all schedulers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "cta/cta_scheduler.h"

namespace heddle::cta {

// Contexts of an SM that are no multiple of a block (icc.md rule 6 iv): Used: a block is launched whenever so
// many are free as it has CTAs; Empty: the rest stays empty.
enum class OddContext : std::uint8_t { Used, Empty };

// Blocks of `size` consecutive CTAs are launched together (icc.md rule 5).
class BlockRule {
 public:
  explicit BlockRule(std::uint32_t size, OddContext odd = OddContext::Used) : size_(size), odd_(odd) {}

  void start(std::uint32_t contexts, const SmLayout& layout) {
    const std::uint32_t places = layout.clusters * layout.sms_per_cluster;
    if (contexts == 0) throw std::invalid_argument("a CTA of the kernel fits on no SM");
    if (places == 0 || layout.sms() > places || layout.sms() <= places - layout.sms_per_cluster)
      throw std::invalid_argument("every cluster needs an SM");
    together_ = std::min(size_, contexts);  // rule 6 (iii): where one CTA fits, blocks of one
    needed_ = together_ + (odd_ == OddContext::Empty ? contexts % together_ : 0);
  }
  // Rule 6 (ii): the last, smaller block of a pool waits for as many contexts as any other.
  bool fits(std::uint32_t free) const { return free >= needed_; }
  std::uint32_t count(std::uint64_t left) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(together_, left));
  }

 private:
  std::uint32_t size_;
  OddContext odd_;
  std::uint32_t together_ = 1;
  std::uint32_t needed_ = 1;
};

}  // namespace heddle::cta
