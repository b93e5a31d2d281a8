// Which L2 slice, memory partition, bank and row an address belongs to.
#pragma once

#include <cstdint>
#include <string>

#include "config/reader.h"
#include "mem/device_memory.h"

namespace heddle::mem {

struct Location {
  std::uint32_t partition = 0;
  std::uint32_t slice = 0;  // within the partition
  std::uint32_t bank = 0;   // DRAM bank of the partition's channel; groups: bank % groups
  std::uint32_t row = 0;
  std::uint32_t column = 0;  // byte in the row
};

enum class PartitionHash : std::uint8_t { Linear, Xor, Polynomial };

struct AddressMapSpec {
  std::uint32_t partitions = 8;
  std::uint32_t slices = 1;       // per partition
  Bytes interleave = Bytes{256};  // consecutive bytes in one slice
  PartitionHash hash = PartitionHash::Linear;
  std::uint32_t banks = 16;
  Bytes row = Bytes{2048};  // bytes of a row buffer
  bool bank_hash = true;    // XOR row bits into the bank, so that strides spread
  void fields(config::Reader& r);
};

class AddressMap {
 public:
  explicit AddressMap(const AddressMapSpec& spec);
  // Any number of partitions and slices, also ones that are no power of two. A bijection: no two addresses
  // share (partition, slice, bank, row, column).
  Location locate(Address a) const;
  std::uint32_t slice(Address a) const;  // GPU-wide: partition * slices + slice; the quick question
  const AddressMapSpec& spec() const { return spec_; }

 private:
  AddressMapSpec spec_;
};

}  // namespace heddle::mem
