// Addresses to slices, banks and rows: a bijection for any count, and an even spread with a hash.
#include "mem/address_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "base/error.h"

namespace heddle::mem {
namespace {

struct Shape {
  std::uint32_t partitions, slices;
  PartitionHash hash;
};
AddressMapSpec spec(const Shape& s) {
  AddressMapSpec a;
  a.partitions = s.partitions;
  a.slices = s.slices;
  a.hash = s.hash;
  return a;
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const auto h : {PartitionHash::Linear, PartitionHash::Xor, PartitionHash::Polynomial}) {
    for (const std::uint32_t partitions : {1, 5, 6, 8, 12, 32, 47, 94}) {
      for (const std::uint32_t slices : {1, 3}) all.push_back({partitions, slices, h});
    }
  }
  return all;
}
std::string name_of(const ::testing::TestParamInfo<Shape>& of) {
  static const char* const hashes[] = {"linear", "xor", "polynomial"};
  return std::string(hashes[static_cast<int>(of.param.hash)]) + "_" + std::to_string(of.param.partitions) +
         "x" + std::to_string(of.param.slices);
}
class EveryShape : public ::testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(AddressMap, EveryShape, ::testing::ValuesIn(shapes()), name_of);

TEST_P(EveryShape, NoTwoAddressesShareAPlace) {
  const AddressMap map(spec(GetParam()));
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  constexpr std::uint32_t kLines = 6000;
  for (const Address base : {kDeviceBase, kLocalWindow}) {
    for (std::uint32_t i = 0; i < kLines; ++i) {
      const Location l = map.locate(base + 128 * i + 5);
      ASSERT_LT(l.partition, GetParam().partitions);
      ASSERT_LT(l.slice, GetParam().slices);
      ASSERT_LT(l.bank, map.spec().banks);
      ASSERT_EQ(l.column % 128, 5u);
      ASSERT_TRUE(seen.insert({l.partition, l.bank, l.row, l.column}).second);
    }
  }
}

TEST_P(EveryShape, EverySliceGetsEveryPlaceOnce) {
  const AddressMap map(spec(GetParam()));
  // Rounds of all slices: each round gives each slice one chunk.
  const std::uint32_t n = map.slices();
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::vector<bool> taken(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Address a = (round * n + i) * 256;
      const std::uint32_t s = map.slice(a);
      ASSERT_LT(s, n);
      ASSERT_FALSE(taken[s]);
      taken[s] = true;
      ASSERT_EQ(map.local(a), round * 256);
    }
  }
}

TEST_P(EveryShape, LocalAndGlobalAreInverse) {
  const AddressMap map(spec(GetParam()));
  std::mt19937_64 rng(3);
  for (int i = 0; i < 5000; ++i) {
    const Address a = rng() >> 16;  // below 2^48
    const Location l = map.locate(a);
    ASSERT_EQ(map.slice(a), l.partition * GetParam().slices + l.slice);
    ASSERT_EQ(map.global(map.slice(a), map.local(a)), a);
    ASSERT_EQ(map.slice(a), map.slice(a ^ (a & 255)));  // a chunk stays together
  }
}

TEST(AddressMap, LinearGoesRoundThePartitionsFirst) {
  const AddressMap map(spec({6, 2, PartitionHash::Linear}));
  for (std::uint32_t chunk = 0; chunk < 100; ++chunk) {
    const Location l = map.locate(chunk * 256);
    EXPECT_EQ(l.partition, chunk % 6);
    EXPECT_EQ(l.slice, chunk / 6 % 2);
  }
}

TEST(AddressMap, XorFoldsTheHigherBits) {
  const AddressMap map(spec({32, 1, PartitionHash::Xor}));
  std::mt19937_64 rng(5);
  for (int i = 0; i < 1000; ++i) {
    const Address a = rng() >> 16;
    std::uint32_t expected = 0;
    for (std::uint64_t chunk = a >> 8; chunk != 0; chunk >>= 5) expected ^= chunk & 31;
    EXPECT_EQ(map.slice(a), expected);
  }
}

TEST(AddressMap, PolynomialIsTheChunkModuloThePolynomial) {
  const AddressMap map(spec({64, 1, PartitionHash::Polynomial}));
  const std::uint64_t p = BitHash::irreducible(6);
  std::mt19937_64 rng(5);
  for (int i = 0; i < 1000; ++i) {
    const Address a = rng() >> 16;
    std::uint64_t rest = a >> 8;
    for (int bit = 63; bit >= 6; --bit) {
      if (((rest >> bit) & 1) != 0) rest ^= p << (bit - 6);
    }
    EXPECT_EQ(map.slice(a), rest);
  }
}

TEST(BitHash, PolynomialsAreIrreducible) {
  const auto degree = [](std::uint64_t p) { return 63 - __builtin_clzll(p); };
  for (std::uint32_t d = 1; d <= BitHash::kMaxBits; ++d) {
    const std::uint64_t p = BitHash::irreducible(d);
    ASSERT_EQ(degree(p), static_cast<int>(d));
    for (std::uint64_t q = 2; degree(q) <= static_cast<int>(d) / 2; ++q) {
      std::uint64_t rest = p;
      while (rest != 0 && degree(rest) >= degree(q)) rest ^= q << (degree(rest) - degree(q));
      ASSERT_NE(rest, 0u) << "degree " << d << " divisible by " << q;
    }
  }
}

// The busiest slice's load over the mean, for n accesses of a stride.
double imbalance(const AddressMap& map, std::uint64_t stride_lines, std::uint32_t accesses) {
  std::vector<std::uint32_t> load(map.slices());
  for (std::uint64_t i = 0; i < accesses; ++i) ++load[map.slice(kDeviceBase + i * stride_lines * 128)];
  return static_cast<double>(*std::max_element(load.begin(), load.end())) * map.slices() / accesses;
}

class EveryCount : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(AddressMap, EveryCount, ::testing::Values(6, 8, 12, 32, 64, 94));

// 64 accesses per slice: chance alone makes the busiest slice 1.2 to 1.3 times as busy as the mean. A hash of
// few bits has a few strides it cannot part (127 chunks for 8 slices: x^7 is 1 modulo x^3 + x + 1).
TEST_P(EveryCount, PolynomialSpreadsStrides) {
  const AddressMap map(spec({GetParam(), 1, PartitionHash::Polynomial}));
  double sum = 0;
  std::uint32_t uneven = 0;
  for (std::uint64_t stride = 1; stride <= 1024; ++stride) {
    const double i = imbalance(map, stride, 64 * GetParam());
    sum += i;
    if (i > 2) ++uneven;
  }
  EXPECT_LT(sum / 1024, 1.35);
  EXPECT_LE(uneven, 20u);
}

TEST_P(EveryCount, BothHashesSpreadPowersOfTwoAndMultiplesOfTheCount) {
  for (const auto hash : {PartitionHash::Xor, PartitionHash::Polynomial}) {
    const AddressMap map(spec({GetParam(), 1, hash}));
    for (std::uint64_t stride = 1; stride <= 1024; stride *= 2) {
      EXPECT_LT(imbalance(map, stride, 64 * GetParam()), 2) << "stride " << stride;
      const std::uint64_t rounds = 2 * GetParam() * stride;  // in lines: two to a chunk
      if (stride <= 16) {
        EXPECT_LT(imbalance(map, rounds, 64 * GetParam()), 2) << "stride " << rounds;
      }
    }
  }
}

TEST_P(EveryCount, WithoutAHashMultiplesOfTheCountMeetInOneSlice) {
  const AddressMap map(spec({GetParam(), 1, PartitionHash::Linear}));
  EXPECT_EQ(imbalance(map, 2 * GetParam(), 64 * GetParam()), GetParam());
}

TEST(AddressMap, ConsecutiveRowsOfABankHashToDifferentBanks) {
  for (const std::uint32_t banks : {16u, 12u}) {
    AddressMapSpec s = spec({1, 1, PartitionHash::Linear});
    s.banks = banks;
    const AddressMap hashed(s);
    s.bank_hash = false;
    const AddressMap plain(s);
    std::set<std::uint32_t> with, without;
    for (std::uint64_t i = 0; i < banks; ++i) {
      with.insert(hashed.locate(i * banks * 2048).bank);
      without.insert(plain.locate(i * banks * 2048).bank);
    }
    EXPECT_EQ(with.size(), banks);
    EXPECT_EQ(without.size(), 1u);
  }
}

AddressMapSpec from(std::string_view toml) {
  config::Config c = config::Config::parse(toml, "f.toml");
  return config::read<AddressMapSpec>(c);
}
std::string refusal(std::string_view toml) {
  try {
    from(toml);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(AddressMap, SpecIsReadAndBadOnesRefused) {
  AddressMapSpec v100 = from("partitions = 32\ninterleave = \"256B\"\nhash = \"polynomial\"");
  v100.slices = 2;  // the L2's to say
  EXPECT_EQ(AddressMap(v100).slices(), 64u);
  EXPECT_THAT(refusal("partitions = 0"), ::testing::HasSubstr("partitions"));
  EXPECT_THAT(refusal("interleave = \"300B\""), ::testing::HasSubstr("power of two"));
  EXPECT_THAT(refusal("partitions = 1\nrow = \"256B\""), ::testing::HasSubstr("less than 64KiB"));
}

// ---- a map of bits ----------------------------------------------------------------------------------------

AddressMapSpec mapped(const char* bits) {
  AddressMapSpec a;
  a.partitions = 6;
  a.slices = 2;
  a.row = 4_KiB;
  a.bank_hash = false;
  a.bits = bits;
  return a;
}

// The map of a GTX 480 in GPGPU-Sim 3.2.2: a partition's memory alternates between two banks every 256 bytes.
TEST(BitMap, ChoosesBankRowAndColumn) {
  const AddressMap map(mapped("RRRR.RRRRRRRR.BBBCCCCB.CCCCCCCC"));
  const Address base = 0x4'0000'0000ull * 6;  // the first chunk of a round, in partition 0
  for (std::uint64_t there = 0; there < 1 << 18; there += 96) {
    const Address a = base + there / 256 * 6 * 256 + there % 256;
    const Location l = map.locate(a);
    ASSERT_EQ(l.partition, 0u);
    ASSERT_EQ(l.slice, there >> 8 & 1);
    ASSERT_EQ(l.bank, (there >> 8 & 1) | (there >> 13 & 7) << 1) << there;
    ASSERT_EQ(l.column, (there & 255) | (there >> 9 & 15) << 8) << there;
    ASSERT_EQ(l.row, static_cast<std::uint32_t>((base / 6 + there) >> 16)) << there;
  }
}

TEST(BitMap, WithoutOneRowsAreConsecutive) {
  const AddressMap plain(mapped("")), map(mapped("R.BBBB.CCCC_CCCC CCCC"));
  for (Address a = kDeviceBase; a < kDeviceBase + (1 << 22); a += 160) {
    const Location x = plain.locate(a), y = map.locate(a);
    ASSERT_EQ(std::tie(x.bank, x.row, x.column), std::tie(y.bank, y.row, y.column));
  }
}

TEST(BitMap, SaysHowManyBytesLieTogether) {
  EXPECT_EQ(AddressMap::column_run(mapped("")), 4096u);
  EXPECT_EQ(AddressMap::column_run(mapped("BBBCCCCB.CCCCCCCC")), 256u);
  EXPECT_EQ(AddressMap::column_run(mapped("CCCCCCCC.BBBB.CCCC")), 16u);
}

TEST(BitMap, OneThatDoesNotFitIsRefused) {
  const auto why = [](const char* bits) -> std::string {
    config::Config c =
        config::Config::parse(std::string("row = \"4KiB\"\nbits = \"") + bits + "\"", "m.toml");
    try {
      config::read<AddressMapSpec>(c);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why("RRRR.RRRRRRRR.BBBCCCCB.CCCCCCCC"), "");
  EXPECT_THAT(why("BBBB.xxxx.CCCCCCCC"), ::testing::HasSubstr("no map"));
  EXPECT_THAT(why("BBB.CCCCCCCCCCCC"), ::testing::HasSubstr("16 banks"));
  EXPECT_THAT(why("BBBB.CCCCCCCCCCC"), ::testing::HasSubstr("column bits"));
}

}  // namespace
}  // namespace heddle::mem
