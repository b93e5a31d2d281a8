// Lane vectors of operands that are no registers: immediates and addresses, and special registers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "exec/image/kernel_image.h"

namespace heddle::exec {

// Gives each constant a place, the same one for equal constants.
class ConstantBank {
 public:
  Place add(std::uint64_t value, bool wide);
  // Writes the constants into the image; none may be added afterwards.
  void finish(KernelImage& image) const;

 private:
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> offset_;  // by value and width
  std::uint32_t bytes_ = 0;
};

// Gives each special register that the kernel reads a place, and lists it in the image.
class SpecialBank {
 public:
  explicit SpecialBank(KernelImage& image) : image_(image) {}
  Place add(ptx::Sreg reg, bool wide);

 private:
  KernelImage& image_;
  std::map<std::pair<ptx::Sreg, bool>, std::uint32_t> offset_;
};

}  // namespace heddle::exec
