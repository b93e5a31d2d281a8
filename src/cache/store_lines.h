// The lines in which stores of an SM wait for others to the same sectors, as far as the way out of the L1
// sees them: a sector goes once while its line is among them (validation/data/h200_store_buffer.csv). The
// requests themselves stay apart, each with its answer.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/request.h"
#include "sim/time.h"

namespace heddle::cache {

class StoreLines {
 public:
  StoreLines(std::uint32_t lines, std::uint32_t idle) : places_(lines), idle_(idle) {}

  // A store leaves: which of its sectors have not left with its line yet. The oldest line makes room.
  mem::SectorMask add(sim::Cycle now, std::uint64_t line, mem::SectorMask sectors) {
    if (places_.empty()) return sectors;
    if (now > last_ + idle_) clear();
    last_ = now;
    for (Place& p : places_)
      if (p.line == line && p.sectors != 0) {
        const auto further = static_cast<mem::SectorMask>(sectors & ~p.sectors);
        p.sectors = static_cast<mem::SectorMask>(p.sectors | sectors);
        return further;
      }
    places_[oldest_] = {line, sectors};
    oldest_ = oldest_ + 1 == places_.size() ? 0 : oldest_ + 1;
    return sectors;
  }

 private:
  struct Place {
    std::uint64_t line = 0;
    mem::SectorMask sectors = 0;  // none: empty
  };
  void clear() {
    for (Place& p : places_) p.sectors = 0;
  }

  std::vector<Place> places_;
  std::size_t oldest_ = 0;
  sim::Cycle last_ = 0;
  std::uint32_t idle_;
};

}  // namespace heddle::cache
