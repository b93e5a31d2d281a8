// An error that a running kernel makes: what a card reports as the failure of a launch.
#pragma once

#include <cstdint>
#include <utility>

#include "base/error.h"

namespace heddle::exec {

enum class FaultKind : std::uint8_t {
  IllegalAddress,  // no allocation there, or one that may not be written
  Misaligned,
  Assertion,
  Other
};

class KernelFault : public Error {
 public:
  KernelFault(FaultKind kind, SourcePlace place, std::string message, std::string advice = {})
      : Error(std::move(place), std::move(message), std::move(advice)), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

}  // namespace heddle::exec
