// Device-side malloc and free under timing: an arena per SM, so that the addresses which a thread gets do not
// depend on what other SMs do at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "mem/device_memory.h"
#include "mem/gap_index.h"

namespace heddle::exec {

class DeviceHeap;

// Used by one SM's host thread.
class HeapArena {
 public:
  HeapArena(const DeviceHeap& heap, mem::Address begin, std::uint64_t bytes);

  // First fit; 0 when nothing fits.
  mem::Address allocate(std::uint64_t bytes);
  // A block of another SM's arena goes back to it before the next launch. Throws Error for anything that is
  // no block.
  void release(mem::Address block);

  bool contains(mem::Address a) const { return a - begin_ < bytes_; }

 private:
  friend class DeviceHeap;
  void give_back(mem::Address block);

  const DeviceHeap& heap_;
  mem::Address begin_;
  std::uint64_t bytes_;
  mem::GapIndex free_;
  std::map<mem::Address, std::uint64_t> used_;  // begin, bytes
  std::vector<mem::Address> foreign_;           // blocks of other arenas, to be given back
};

class DeviceHeap {
 public:
  explicit DeviceHeap(mem::DeviceMemory& memory) : memory_(memory) {}

  // Between launches: there are at least `sms` arenas, blocks that other SMs have freed are back in theirs.
  void prepare(std::uint32_t sms);
  HeapArena& arena(std::uint32_t sm) { return *arenas_[sm]; }
  bool contains(mem::Address a) const;

 private:
  mem::DeviceMemory& memory_;
  std::vector<std::unique_ptr<HeapArena>> arenas_;
};

}  // namespace heddle::exec
