// Ctrl-C raises a flag once; a second one ends the program at once, as always.
#pragma once

#include <atomic>

namespace heddle::cli {

class InterruptFlag {
 public:
  InterruptFlag();   // at most one at a time
  ~InterruptFlag();  // the signal does again what it did before
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  const std::atomic<bool>& raised() const;
};

}  // namespace heddle::cli
