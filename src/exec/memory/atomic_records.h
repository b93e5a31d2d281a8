// Global atomics of one SM that have been issued and not yet retired.
//
// A record is written by the SM at issue, by the L2 slice that executes its lanes in a later window, and read
// by the SM when the answer has come: never by two threads in the same window. Records do not move.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/image/code.h"
#include "mem/device_memory.h"
#include "ptx/ir/instr.h"

namespace heddle::exec {

class Warp;

struct AtomicRecord {
  const ptx::Instr* instr = nullptr;  // what to do
  std::byte* destination = nullptr;   // lane vector for the old values; nullptr: nobody wants them
  Mask mask = 0;
  std::uint8_t bytes = 0;  // of a memory cell: 2, 4 or 8; lanes have 4 or 8
  alignas(64) std::array<std::uint64_t, kLanes> address;
  std::array<std::uint64_t, kLanes> b;  // operands
  std::array<std::uint64_t, kLanes> c;
  std::array<std::uint64_t, kLanes> old;
};

class AtomicRecords {
 public:
  AtomicRecords();

  static constexpr std::uint32_t kMost = 65535;

  bool full() const { return free_.empty() && made_ == kMost; }
  // Not when full(). The last one retired is taken first.
  std::uint16_t take();
  AtomicRecord& operator[](std::uint16_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }

  // Lines with an atomic of this SM under way.
  void count_lines(const AtomicRecord& record);
  bool any() const { return in_flight_ != 0; }
  bool may_touch(mem::Address a) const { return lines_[bucket(a)] != 0; }

  // A warp whose plain access found its line under way has the next turn there: until it has gone, further
  // atomics of the SM's other warps wait. Else warps that spin with atomics on a lock would keep its holder
  // from the rest of the line for ever. Such a warp waits only for atomics under way, which need nobody, so
  // that nothing here can wait in a circle.
  bool any_awaited() const { return !waiting_.empty(); }
  bool awaited_by_others(const Warp& warp, mem::Address a) const;
  void await(const Warp& warp, mem::Address a);
  void done_waiting(const Warp& warp);         // it has executed something: whatever it waited for is over
  void forget_waiting() { waiting_.clear(); }  // a launch begins

  void retire(std::uint16_t index);

 private:
  static constexpr std::size_t kChunk = 64;
  static constexpr std::size_t kBuckets = 256;
  static std::size_t bucket(mem::Address a) { return (a >> 7 ^ a >> 15 ^ a >> 23) % kBuckets; }

  // A directory of fixed size: slices read it while the SM adds chunks.
  using Chunk = std::array<AtomicRecord, kChunk>;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::uint16_t> free_;
  std::uint32_t made_ = 0;
  std::uint32_t in_flight_ = 0;
  std::array<std::uint32_t, kBuckets> lines_{};  // lanes under way, by line
  struct Waiting {
    const Warp* warp;
    std::bitset<kBuckets> lines;
  };
  std::vector<Waiting> waiting_;  // few, and seldom any
};

}  // namespace heddle::exec
