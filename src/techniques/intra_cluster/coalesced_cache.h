// The coalesced cache of a cluster (icc.md rules 15-19): a few lines that several SMs asked for at the same
// time and that another one may ask for soon.
#pragma once

#include <cstdint>
#include <string>

#include "cache/tag_store.h"
#include "mem/request.h"

namespace heddle::intra_cluster {

class CoalescedCache {
 public:
  CoalescedCache(std::uint32_t lines, const std::string& replacement);

  // Rule 16: whether all these sectors are there; a hit is a use.
  bool read(std::uint64_t line, mem::SectorMask sectors) {
    const Way w = tags_.find(line);
    if (w == cache::TagStore::kNone || (sectors & ~tags_.valid(w)) != 0) return false;
    tags_.touch(w);
    return true;
  }
  // Rule 17. Sectors of a line that is there already are added to it.
  enum class Inserted : std::uint8_t { Added, InFreePlace, Evicted };
  Inserted insert(std::uint64_t line, mem::SectorMask sectors);
  // Rule 18: the whole line; returns whether it was there.
  bool invalidate(std::uint64_t line);
  void flush() { tags_.flush(); }

 private:
  using Way = cache::TagStore::Way;
  cache::TagStore tags_;
};

// Bits of the cache: per line its address, its data and where there are sectors their valid bits.
constexpr std::uint64_t coalesced_cache_bits(std::uint64_t lines, std::uint64_t address_bits,
                                             std::uint64_t data_bits, std::uint64_t sector_bits) {
  return lines * (address_bits + data_bits + sector_bits);
}

}  // namespace heddle::intra_cluster
