#include "base/units.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle {
namespace {

TEST(Units, LiteralsAndArithmetic) {
  EXPECT_EQ((48_KiB).count(), 49152u);
  EXPECT_EQ(64_B * 16, 1_KiB);
  EXPECT_EQ(48_KiB / 128_B, 384u);
  EXPECT_EQ((1_KiB - 1_B) / 2, Bytes{511});
  EXPECT_EQ(Bytes{130} % 128_B, 2_B);
  EXPECT_LT(700_MHz, 1_GHz);
  Cycles c = 10_cycles;
  c += 5_cycles;
  c -= 1_cycles;
  EXPECT_EQ(c, 14_cycles);
  EXPECT_EQ(1_ns, 1000_ps);
}

TEST(Units, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_bytes("48KiB").value, 48_KiB);
  EXPECT_EQ(parse_bytes(" 1.5 MiB ").value, Bytes{1536 * 1024});
  EXPECT_EQ(parse_bytes("64").value, 64_B);
  EXPECT_EQ(parse_bytes("2MB").value, Bytes{2'000'000});
  EXPECT_EQ(parse_cycles("2000 cycles").value, 2000_cycles);
  EXPECT_EQ(parse_cycles("1cycle").value, 1_cycles);
  EXPECT_EQ(parse_frequency("1.4GHz").value, 1400_MHz);
  EXPECT_EQ(parse_frequency("1126 MHz").value, 1126_MHz);
  EXPECT_EQ(parse_duration("12.5ns").value, Duration{12'500});
}

TEST(Units, RefusesWhatIsNotExact) {
  for (const char* bad : {"", "KiB", "-1B", "1.5B", "0.1KiB", "12 parsecs", "1e3B", "1..5KiB", ".5KiB",
                          "5.KiB", "9999999999999999999999B", "100000000000000000TiB", "0x10"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  EXPECT_FALSE(parse_frequency("1400"));
  EXPECT_FALSE(parse_duration("0.5ps"));
  EXPECT_FALSE(parse_cycles("1.5"));
}

TEST(Units, SaysWhatWasExpected) {
  EXPECT_EQ(parse_bytes("4KB").why,
            "expected a size such as 64B, 48KiB or 2MiB; write KiB for 1024 bytes or kB for 1000");
  EXPECT_NE(parse_frequency("1400").why.find("the unit is missing (Hz, kHz, MHz, GHz)"), std::string::npos);
  EXPECT_NE(parse_bytes("1.5B").why.find("not a whole number of bytes"), std::string::npos);
}

TEST(Units, WritesTheLargestExactUnit) {
  EXPECT_EQ(to_string(48_KiB), "48KiB");
  EXPECT_EQ(to_string(Bytes{1536}), "1536B");
  EXPECT_EQ(to_string(Bytes{0}), "0B");
  EXPECT_EQ(to_string(1400_MHz), "1.4GHz");
  EXPECT_EQ(to_string(700_MHz), "700MHz");
  EXPECT_EQ(to_string(Duration{12'500}), "12.5ns");
  EXPECT_EQ(to_string(1_cycles), "1 cycle");
}

TEST(Units, WritingAndReadingGivesTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t n = random() >> (random() % 64);
    if (n < 1'000'000'000'000'000'000ull) {
      EXPECT_EQ(parse_bytes(to_string(Bytes{n})).value, Bytes{n});
      EXPECT_EQ(parse_frequency(to_string(Frequency{n})).value, Frequency{n});
      EXPECT_EQ(parse_duration(to_string(Duration{n})).value, Duration{n});
      EXPECT_EQ(parse_cycles(to_string(Cycles{n})).value, Cycles{n});
    }
  }
}

}  // namespace
}  // namespace heddle
