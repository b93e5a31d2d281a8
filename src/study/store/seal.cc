#include "study/store/seal.h"

#include <bit>

#include <fmt/format.h>

#include "base/content_hash.h"

namespace heddle::study {
namespace {

// Lengths before texts: "ab", "c" is not "a", "bc".
void add(std::string& to, char type, std::string_view bytes) {
  to += fmt::format("{}{}:", type, bytes.size());
  to += bytes;
}

std::string seal(const std::string& all) {
  return sha256_hex(all).substr(0, kSealDigits);
}

int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

}  // namespace

std::string seal_of(std::string_view kind, std::string_view key, std::string_view bytes) {
  std::string all;
  for (const std::string_view part : {kind, key, bytes}) add(all, 'b', part);
  return seal(all);
}

std::string seal_of_row(const Statement& row, int columns) {
  std::string all;
  for (int i = 0; i < columns; ++i) switch (row.type(i)) {
      case Statement::Type::Integer:
        add(all, 'i', fmt::format("{}", row.integer(i)));
        break;
      case Statement::Type::Real:
        add(all, 'r', fmt::format("{:x}", std::bit_cast<std::uint64_t>(row.real(i))));
        break;
      case Statement::Type::Bytes:
        add(all, 'b', row.text(i));
        break;
      case Statement::Type::Nothing:
        add(all, 'n', {});
        break;
    }
  return seal(all);
}

void SealTally::change(std::string_view seal, std::int64_t by) {
  rows_ += by;
  for (std::size_t i = 0; i < sum_.size() && i < seal.size(); ++i)
    sum_[i] = "0123456789abcdef"[digit(sum_[i]) ^ digit(seal[i])];
}

}  // namespace heddle::study
