// Ctrl-C raises a flag once; a second one ends the program at once, as always. A worker's flag is raised by
// SIGTERM as well.
#pragma once

#include <atomic>

namespace heddle::cli {

class InterruptFlag {
 public:
  explicit InterruptFlag(bool terminate = false);  // at most one at a time
  ~InterruptFlag();                                // the signal does again what it did before
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  const std::atomic<bool>& raised() const;

 private:
  bool terminate_;
};

}  // namespace heddle::cli
