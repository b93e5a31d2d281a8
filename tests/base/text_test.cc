#include "base/text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Text, TrimSplitJoin) {
  EXPECT_EQ(trim("  a b\t\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(split("a,b,,c", ',').size(), 4u);
  EXPECT_EQ(split("", ',').size(), 1u);
  const std::vector<std::string> parts = {"x", "y", "z"};
  EXPECT_EQ(join(parts, " -> "), "x -> y -> z");
  EXPECT_EQ(counted(1, "key"), "1 key");
  EXPECT_EQ(counted(2, "key"), "2 keys");
  EXPECT_EQ(counted(2, "launch"), "2 launches");
}

TEST(Text, WholeNumbers) {
  EXPECT_EQ(whole_number("0"), 0u);
  EXPECT_EQ(whole_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "-1", "+1", " 1", "1.job", "18446744073709551616"})
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
}

TEST(Text, PrintableHidesControlBytes) {
  EXPECT_EQ(printable("a\x1b[2J\n"), "a\\x1b[2J\\x0a");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(Text, LineOf) {
  EXPECT_EQ(line_of("one\r\ntwo\nthree", 1), "one");
  EXPECT_EQ(line_of("one\ntwo\nthree", 3), "three");
  EXPECT_EQ(line_of("one\n", 2), "");
  EXPECT_EQ(line_of("one", 9), "");
  EXPECT_EQ(line_of("one", 0), "");
}

TEST(Text, Utf8) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc0\x80"));          // overlong
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond the last code point
}

TEST(Text, Wrapped) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("", 10, 0), "");
}

TEST(Text, VisibleKeepsLettersAndShowsTheRest) {
  EXPECT_EQ(visible("plain"), "plain");
  EXPECT_EQ(visible("Stra\xc3\x9f"
                    "e \xe2\x82\xac"),
            "Stra\xc3\x9f"
            "e \xe2\x82\xac");
  EXPECT_EQ(visible("a\x1b[31mb\x07\x7f"), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m");  // one of the second controls
  EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(visible("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
  EXPECT_EQ(visible("a\nb\tc\r", true), "a\nb\tc\\x0d");
}

TEST(Text, NestingOfJson) {
  EXPECT_EQ(nesting("1"), 0u);
  EXPECT_EQ(nesting(R"({"a":[1,[2]],"b":"[[[[\\\"[["})"), 3u);
  EXPECT_EQ(nesting("]]]["), 1u);
}

}  // namespace
}  // namespace heddle
