// What a running warp may ask about the machine it runs on.
#pragma once

#include <cstdint>

namespace heddle::workload {

class HardwareView {
 public:
  virtual ~HardwareView() = default;
  virtual std::uint64_t clock() const = 0;        // %clock, %clock64: cycles of the SM
  virtual std::uint64_t globaltimer() const = 0;  // %globaltimer: nanoseconds
  virtual std::uint32_t smid() const = 0;
  virtual std::uint32_t nsmid() const = 0;
};

}  // namespace heddle::workload
