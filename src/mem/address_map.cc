#include "mem/address_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace heddle::mem {

using config::range;

namespace {

std::string letters_of(std::string_view bits) {
  std::string letters;
  for (const char c : bits)
    if (c != '.' && c != ' ' && c != '_') letters += c;
  return letters;
}

void check_bits(const AddressMapSpec& spec, const config::Reader& r) {
  const std::string letters = letters_of(spec.bits);
  if (letters.empty()) return;
  if (letters.size() > 48 || letters.find_first_not_of("RBC") != std::string::npos)
    r.fail("bits", fmt::format("'{}' is no map of at most 48 address bits", spec.bits),
           "give a letter per bit, R, B or C, as in \"RRRRRRRR.BBBCCCCB.CCCCCCCC\"");
  const auto count = [&](char c) { return std::count(letters.begin(), letters.end(), c); };
  if (!std::has_single_bit(spec.banks) || count('B') != std::countr_zero(spec.banks))
    r.fail("bits", fmt::format("{} bits choose a bank, and a partition has {} banks", count('B'), spec.banks),
           "give as many B as the number of banks has bits, which must be a power of two");
  if (count('C') != std::countr_zero(spec.row.count()))
    r.fail("bits", fmt::format("{} column bits, and a row has {}", count('C'), to_string(spec.row)),
           fmt::format("give {} C, or another memory.row", std::countr_zero(spec.row.count())));
}

}  // namespace

BitPick::BitPick(std::string_view bits, char letter) {
  for (std::uint32_t i = 0; i < bits.size(); ++i) {  // of the value
    if (bits[bits.size() - 1 - i] != letter) continue;
    if (!runs_.empty() &&
        runs_.back().from + static_cast<std::uint32_t>(std::popcount(runs_.back().mask)) == i)
      runs_.back().mask = runs_.back().mask << 1 | 1;
    else
      runs_.push_back({i, count_, 1});
    ++count_;
  }
}

void AddressMapSpec::fields(config::Reader& r) {
  r.field("partitions", partitions, range(1, 1024), "Memory partitions (DRAM channels)");
  r.field("interleave", interleave, range(32_B, 64_KiB).power_of_two(), "Consecutive bytes in one slice");
  r.choice("hash", hash,
           {{"linear", PartitionHash::Linear, "chunk modulo number of slices, partitions first"},
            {"xor", PartitionHash::Xor, "higher address bits XOR-folded in"},
            {"polynomial", PartitionHash::Polynomial, "pseudo-random interleaving (Rau, ISCA 1991)"}},
           "How chunks spread over partitions and slices");
  r.field("row", row, range(256_B, 64_KiB).power_of_two(), "Bytes of a row buffer");
  r.field("bank_hash", bank_hash, "Row bits choose the bank, too, so that strides spread");
  r.field("bits", bits,
          "What each bit of an address within its partition is, the highest first: R row, B bank, C column; "
          "dots and blanks separate. Higher bits are the row's. Empty: rows of consecutive bytes, bank after "
          "bank");
  check_bits(*this, r);

  const std::uint64_t rows_apart = partitions * banks * row.count();
  if (rows_apart < (std::uint64_t{1} << 16)) {
    r.fail("row",
           fmt::format("partitions x banks x row is {}, less than 64KiB", to_string(Bytes{rows_apart})),
           "row numbers would not fit; give more banks or longer rows");
  }
}

AddressMap::AddressMap(const AddressMapSpec& spec)
    : spec_(spec),
      count_(spec.partitions * spec.slices),
      chunk_shift_(static_cast<std::uint32_t>(std::countr_zero(spec.interleave.count()))),
      chunk_mask_(spec.interleave.count() - 1),
      power_of_two_(std::has_single_bit(count_)),
      hashed_(spec.hash != PartitionHash::Linear && count_ > 1),
      slice_of_(count_),
      index_of_(count_),
      bits_(letters_of(spec.bits)),
      row_bits_(bits_, 'R'),
      bank_bits_(bits_, 'B'),
      column_bits_(bits_, 'C') {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint32_t s = slice_of(i % spec.partitions, i / spec.partitions);
    slice_of_[i] = static_cast<std::uint16_t>(s);
    index_of_[s] = static_cast<std::uint16_t>(i);
  }
  if (power_of_two_) {
    count_bits_ = static_cast<std::uint32_t>(std::countr_zero(count_));
  } else {
    reciprocal_ = ~std::uint64_t{0} / count_ + 1;
  }
  // A turn is made from more bits than the count has, else some turns come twice as often as others.
  if (spec.hash == PartitionHash::Polynomial) {
    hash_ = BitHash::polynomial(power_of_two_ ? count_bits_ : BitHash::kMaxBits);
  } else if (spec.hash == PartitionHash::Xor) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(count_)) + 3;
    hash_ = BitHash::fold(power_of_two_ ? count_bits_ : std::min(bits, BitHash::kMaxBits));
  }
}

Address AddressMap::global(std::uint32_t slice, Address local) const {
  const std::uint64_t round = local >> chunk_shift_;
  std::uint32_t low = index_of_[slice];
  if (hashed_) {
    if (power_of_two_) {
      low ^= hash_(round);
    } else {
      const std::uint32_t t = turn(round);
      low = low >= t ? low - t : low + count_ - t;
    }
  }
  return ((round * count_ + low) << chunk_shift_) | (local & chunk_mask_);
}

std::uint64_t AddressMap::column_run(const AddressMapSpec& spec) {
  const std::string letters = letters_of(spec.bits);
  if (letters.empty()) return spec.row.count();
  return std::uint64_t{1} << (letters.size() - 1 - letters.find_last_not_of('C'));
}

Location AddressMap::locate(Address a) const {
  const Split s = split(a >> chunk_shift_);
  const std::uint32_t wide = slice_of_[s.index];
  Location l;
  l.partition = partition_of(wide);
  l.slice = in_partition(wide);
  // The slices of a partition share its channel: their chunks alternate in its memory.
  const std::uint64_t there = ((s.round * spec_.slices + l.slice) << chunk_shift_) | (a & chunk_mask_);
  if (bits_.empty()) {
    l.column = static_cast<std::uint32_t>(there & (spec_.row.count() - 1));
    const std::uint64_t rows = there / spec_.row.count();
    l.bank = static_cast<std::uint32_t>(rows % spec_.banks);
    l.row = static_cast<std::uint32_t>(rows / spec_.banks);
  } else {
    l.column = static_cast<std::uint32_t>(column_bits_(there));
    l.bank = static_cast<std::uint32_t>(bank_bits_(there));
    l.row = static_cast<std::uint32_t>(row_bits_(there) | there >> bits_.size() << row_bits_.count());
  }
  if (spec_.bank_hash && spec_.banks > 1) {
    if (std::has_single_bit(spec_.banks)) {
      const int bits = std::countr_zero(spec_.banks);
      for (std::uint32_t v = l.row; v != 0; v >>= bits) l.bank ^= v & (spec_.banks - 1);
    } else {
      l.bank = (l.bank + l.row) % spec_.banks;
    }
  }
  return l;
}

}  // namespace heddle::mem
