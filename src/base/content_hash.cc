// FIPS 180-4.
#include "base/content_hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void compress(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

class Sha256 {
 public:
  void add(std::string_view data) {
    bytes_ += data.size();
    if (!rest_.empty()) {
      const std::size_t more = std::min(kBlock - rest_.size(), data.size());
      rest_ += data.substr(0, more);
      data.remove_prefix(more);
      if (rest_.size() < kBlock) return;
      compress(state_, reinterpret_cast<const unsigned char*>(rest_.data()));
      rest_.clear();
    }
    for (; data.size() >= kBlock; data.remove_prefix(kBlock))
      compress(state_, reinterpret_cast<const unsigned char*>(data.data()));
    rest_ = data;
  }

  // Once.
  std::string hex() {
    std::string tail = "\x80";
    while ((rest_.size() + tail.size()) % kBlock != 56) tail += '\0';
    const std::uint64_t bits = bytes_ * 8;
    for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
    add(tail);
    std::string out;
    for (const std::uint32_t s : state_) out += fmt::format("{:08x}", s);
    return out;
  }

 private:
  static constexpr std::size_t kBlock = 64;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string rest_;  // less than a block
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string sha256_hex(std::string_view data) {
  Sha256 sum;
  sum.add(data);
  return sum.hex();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Sha256 sum;
  std::string piece(1 << 20, '\0');
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.add(std::string_view(piece).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) throw Error(SourcePlace{file.string(), 0, 0, {}}, "cannot read the file");
  return sum.hex();
}

std::string sha256_base64(std::string_view data) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256_hex(data);
  std::string out;
  // Three digits are two letters; 64 digits leave one over, whose letter has two bits to spare.
  const auto value = [&](std::size_t i) -> unsigned {
    if (i >= hex.size()) return 0;
    return static_cast<unsigned>(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
  };
  for (std::size_t i = 0; i < hex.size(); i += 3) {
    const unsigned bits = value(i) << 8 | value(i + 1) << 4 | value(i + 2);
    out += kLetters[bits >> 6];
    if (i + 1 < hex.size()) out += kLetters[bits & 63];
  }
  return out + "=";
}

}  // namespace heddle
