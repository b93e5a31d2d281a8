// What a program has in a card's memory, so that a launch can be made again as if it had not been made
// before.
#pragma once

#include <cstdint>
#include <vector>

#include "card/driver.h"

namespace heddle::card {

class ProgramMemory {
 public:
  explicit ProgramMemory(const Driver& driver) : driver_(driver) {}

  void add(CUdeviceptr at, std::uint64_t bytes);
  void remove(CUdeviceptr at);  // and its copy

  // Keeps what all of it holds now, on the card.
  void save();
  // Queues, and does not wait: memory that nobody reads is written, twice as much as the L2 holds; then all
  // contents are as they were saved, in the order of add(). So the L2 holds what was restored last, whatever
  // ran before, and a launch that is queued behind it is there when the card gets to it.
  void restore();

 private:
  struct Region {
    CUdeviceptr at = 0;
    std::uint64_t bytes = 0;
    CUdeviceptr copy = 0;  // 0: none yet
  };

  const Driver& driver_;
  std::vector<Region> regions_;
  CUdeviceptr flushing_ = 0;
};

}  // namespace heddle::card
