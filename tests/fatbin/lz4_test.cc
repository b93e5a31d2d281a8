#include "fatbin/lz4.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "tests/fatbin/bytes.h"

namespace heddle::fatbin {
namespace {

std::string unpacked(const std::string& block, std::uint64_t size) {
  return unpack_lz4(bytes_of(block), size);
}

TEST(Lz4, Literals) {
  EXPECT_EQ(unpacked(std::string("\x30"
                                 "abc"),
                     3),
            "abc");
  EXPECT_EQ(unpacked(std::string(1, '\0'), 0), "");
}

TEST(Lz4, ARepeatMayOverlapWhatItAppends) {
  // Two literals, then 8 bytes from two places back, then a last literal.
  EXPECT_EQ(unpacked(std::string("\x24"
                                 "ab\x02\x00\x10"
                                 "c",
                                 7),
                     11),
            "ababababab"
            "c");
}

TEST(Lz4, LengthsGoOnInFurtherBytes) {
  const std::string text(15 + 255 + 7, 'q');
  EXPECT_EQ(unpacked(std::string("\xf0\xff\x07") + text, text.size()), text);
  // One literal repeated 4 + 15 + 255 + 0 times.
  EXPECT_EQ(unpacked(std::string("\x1f"
                                 "z\x01\x00\xff\x00",
                                 6),
                     275),
            std::string(275, 'z'));
}

TEST(Lz4, DamageIsFound) {
  EXPECT_THROW(unpacked(std::string("\x30"
                                    "ab"),
                        3),
               Error);                        // ends in its literals
  EXPECT_THROW(unpacked("\xf0", 20), Error);  // ends in a length
  EXPECT_THROW(unpacked(std::string("\x10"
                                    "a\x00\x00",
                                    4),
                        5),
               Error);  // a distance of 0
  EXPECT_THROW(unpacked(std::string("\x10"
                                    "a\x02\x00",
                                    4),
                        5),
               Error);  // before the beginning
  EXPECT_THROW(unpacked(std::string("\x10"
                                    "a\x01",
                                    3),
                        5),
               Error);  // half a distance
  EXPECT_THROW(unpacked(std::string("\x30"
                                    "abc"),
                        2),
               Error);  // more than it should hold
  EXPECT_THROW(unpacked(std::string("\x30"
                                    "abc"),
                        4),
               Error);  // less
}

// A plain packer: literals and repeats as given.
struct Piece {
  std::string literals;
  std::uint16_t distance = 1;
  std::uint32_t length = 4;
};

void put_length(std::string& out, std::uint64_t n) {
  if (n < 15) return;
  for (n -= 15; n >= 255; n -= 255) out.push_back('\xff');
  out.push_back(static_cast<char>(n));
}

RC_GTEST_PROP(Lz4, WhatWasPackedComesBack, ()) {
  std::string block, expected;
  const auto count = *rc::gen::inRange(0, 20);
  for (int i = 0; i < count; ++i) {
    const auto literals =
        *rc::gen::container<std::string>(*rc::gen::inRange(1, 40), rc::gen::arbitrary<char>());
    expected += literals;
    const auto distance =
        *rc::gen::inRange<std::uint64_t>(1, std::min<std::uint64_t>(expected.size(), 65535) + 1);
    const auto length = *rc::gen::inRange<std::uint64_t>(4, 700);
    block.push_back(static_cast<char>(std::min<std::size_t>(literals.size(), 15) << 4 |
                                      std::min<std::uint64_t>(length - 4, 15)));
    put_length(block, literals.size());
    block += literals;
    put(block, block.size(), distance, 2);
    put_length(block, length - 4);
    for (std::uint64_t k = 0; k < length; ++k) expected += expected[expected.size() - distance];
  }
  block += std::string("\x10!");
  expected += '!';
  RC_ASSERT(unpacked(block, expected.size()) == expected);
}

}  // namespace
}  // namespace heddle::fatbin
