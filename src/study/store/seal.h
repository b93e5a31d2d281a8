// Checksums of what a store keeps: a bit that flips on a disk must never change a result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "study/store/database.h"

namespace heddle::study {

constexpr std::size_t kSealDigits = 32;  // hexadecimal, of SHA-256: 128 bits

// Of bytes that belong to a key. `kind` ("record", "detail") keeps those of one key apart.
std::string seal_of(std::string_view kind, std::string_view key, std::string_view bytes);
// Of the first `columns` of the row that a statement stands on: types and values.
std::string seal_of_row(const Statement& row, int columns);

// The seals of a whole table, whatever the order of its rows: tells when one is missing, or there twice.
class SealTally {
 public:
  SealTally() : sum_(kSealDigits, '0') {}
  SealTally(std::int64_t rows, std::string sum) : rows_(rows), sum_(std::move(sum)) {}

  void add(std::string_view seal) { change(seal, 1); }
  void remove(std::string_view seal) { change(seal, -1); }
  std::int64_t rows() const { return rows_; }
  const std::string& sum() const { return sum_; }
  bool operator==(const SealTally&) const = default;

 private:
  void change(std::string_view seal, std::int64_t by);
  std::int64_t rows_ = 0;
  std::string sum_;  // exclusive or of all seals
};

}  // namespace heddle::study
