// Lines spread over several places, their homes, as they are over L2 slices: a line has one home.
//
// Where the number of homes divides that of slices, home j has the lines of slices j x O to j x O + O - 1,
// with O slices per home, so that it only ever talks to those. Otherwise homes take turns, a chunk of the
// address map (memory.interleave) each.
#pragma once

#include <bit>
#include <cstdint>

#include "mem/address_map.h"

namespace heddle::mem {

class HomeMap {
 public:
  HomeMap(const AddressMap& map, std::uint32_t homes)
      : map_(map),
        homes_(homes),
        by_slice_(follows_slices(map, homes)),
        slices_(by_slice_ ? map.slices() / homes : 1),
        chunk_shift_(static_cast<std::uint32_t>(std::countr_zero(map.spec().interleave.count()))) {}

  static bool follows_slices(const AddressMap& map, std::uint32_t homes) { return map.slices() % homes == 0; }

  std::uint32_t home(Address a) const {
    if (homes_ == 1) return 0;
    if (by_slice_) return map_.slice(a) / slices_;
    return static_cast<std::uint32_t>((a >> chunk_shift_) % homes_);
  }
  // The address within its home: dense, so that a cache there indexes its sets without the bits that chose
  // the home.
  Address local(Address a) const {
    const Address offset = a & ((Address{1} << chunk_shift_) - 1);
    if (by_slice_) {
      const Address round = map_.local(a) >> chunk_shift_;
      return ((round * slices_ + map_.slice(a) % slices_) << chunk_shift_) | offset;
    }
    return ((a >> chunk_shift_) / homes_ << chunk_shift_) | offset;
  }
  std::uint32_t homes() const { return homes_; }

 private:
  const AddressMap& map_;
  std::uint32_t homes_;
  bool by_slice_;
  std::uint32_t slices_;  // of a home
  std::uint32_t chunk_shift_;
};

}  // namespace heddle::mem
