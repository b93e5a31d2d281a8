// Which L2 slice, memory partition, bank and row an address belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "mem/bit_hash.h"
#include "mem/device_memory.h"

namespace heddle::mem {

struct Location {
  std::uint32_t partition = 0;
  std::uint32_t slice = 0;  // within the partition
  std::uint32_t bank = 0;   // DRAM bank of the partition
  std::uint32_t row = 0;
  std::uint32_t column = 0;  // byte in the row
};

// Linear: consecutive chunks go round the partitions, then to the next slice of each. The hashes turn every
// round by a value made from the address bits above: Xor by folding them (cheap; some strides of the kind
// n + 1 still gather), Polynomial by Rau's pseudo-random interleaving.
enum class PartitionHash : std::uint8_t { Linear, Xor, Polynomial };

struct AddressMapSpec {
  std::uint32_t partitions = 8;
  std::uint32_t slices = 1;       // per partition; not read here: the L2's section has it
  Bytes interleave = Bytes{256};  // consecutive bytes in one slice
  PartitionHash hash = PartitionHash::Linear;
  std::uint32_t banks = 16;  // per partition; not read here: the DRAM's section has it
  Bytes row = Bytes{2048};   // bytes of a row buffer
  bool bank_hash = true;     // XOR row bits into the bank, so that strides spread
  // What each bit of an address within its partition is, the highest first: R(ow), B(ank), C(olumn); higher
  // ones are the row's. Empty: column bits below bank bits below row bits.
  std::string bits;
  void fields(config::Reader& r);
};

// Bits of a value, picked from several places and put together in their order.
class BitPick {
 public:
  // Those where `letter` stands in `bits`, the last letter being bit 0.
  BitPick(std::string_view bits, char letter);
  std::uint64_t operator()(std::uint64_t value) const {
    std::uint64_t picked = 0;
    for (const Run& r : runs_) picked |= ((value >> r.from) & r.mask) << r.to;
    return picked;
  }
  std::uint32_t count() const { return count_; }

 private:
  struct Run {  // of neighbouring bits
    std::uint32_t from, to;
    std::uint64_t mask;
  };
  std::vector<Run> runs_;
  std::uint32_t count_ = 0;
};

// Addresses below 2^48.
class AddressMap {
 public:
  explicit AddressMap(const AddressMapSpec& spec);
  // Any number of partitions and slices, also ones that are no power of two. A bijection: no two addresses
  // share (partition, slice, bank, row, column).
  Location locate(Address a) const;
  // Consecutive bytes of a partition, aligned, that lie in one row.
  static std::uint64_t column_run(const AddressMapSpec& spec);
  // GPU-wide: the quick question.
  std::uint32_t slice(Address a) const { return slice_of_[split(a >> chunk_shift_).index]; }

  // The address within its slice: dense, so that an L2 slice indexes its sets without the bits that chose the
  // slice. `global` is its inverse.
  Address local(Address a) const {
    return (split(a >> chunk_shift_).round << chunk_shift_) | (a & chunk_mask_);
  }
  Address global(std::uint32_t slice, Address local) const;

  std::uint32_t slices() const { return count_; }  // GPU-wide
  // Slices of partition p have the numbers p * slices and following.
  std::uint32_t slice_of(std::uint32_t partition, std::uint32_t in_partition) const {
    return partition * spec_.slices + in_partition;
  }
  std::uint32_t partition_of(std::uint32_t slice) const { return slice / spec_.slices; }
  std::uint32_t in_partition(std::uint32_t slice) const { return slice % spec_.slices; }
  const AddressMapSpec& spec() const { return spec_; }

 private:
  struct Split {
    std::uint64_t round;  // chunk / count
    std::uint32_t index;  // 0 to count - 1
  };
  Split split(std::uint64_t chunk) const {
    if (power_of_two_) {
      const std::uint64_t round = chunk >> count_bits_;
      auto index = static_cast<std::uint32_t>(chunk) & (count_ - 1);
      if (hashed_) index ^= hash_(round);
      return {round, index};
    }
    // Exact for chunk < 2^64 / count: the reciprocal is too large by less than count / 2^64.
    const auto round =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(chunk) * reciprocal_) >> 64);
    auto index = static_cast<std::uint32_t>(chunk - round * count_);
    if (hashed_) {
      index += turn(round);
      if (index >= count_) index -= count_;
    }
    return {round, index};
  }
  // For counts that are no power of two: by how much a round is turned, 0 to count - 1.
  std::uint32_t turn(std::uint64_t round) const {
    const std::uint32_t h = hash_(round);
    return spec_.hash == PartitionHash::Xor ? h % count_ : (h * count_) >> BitHash::kMaxBits;
  }

  AddressMapSpec spec_;
  std::uint32_t count_;  // slices of the GPU
  std::uint32_t chunk_shift_;
  std::uint64_t chunk_mask_;
  std::uint32_t count_bits_ = 0;
  bool power_of_two_, hashed_;
  std::uint64_t reciprocal_ = 0;
  std::vector<std::uint16_t> slice_of_, index_of_;  // index <-> GPU-wide slice
  std::string bits_;                                // spec.bits without what only separates; empty: none
  BitPick row_bits_, bank_bits_, column_bits_;
  BitHash hash_;
};

}  // namespace heddle::mem
