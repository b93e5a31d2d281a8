// Tags: lookup, sectors, victims, set hashes, refused specs.
#include "cache/tag_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "mem/device_memory.h"

namespace heddle::cache {
namespace {

using ::testing::HasSubstr;

TagSpec shape(std::uint32_t sets, std::uint32_t ways, IndexHash index = IndexHash::Linear) {
  TagSpec s;
  s.sets = sets;
  s.ways = ways;
  s.index = index;
  s.sectored = true;
  return s;
}

TEST(TagStore, SectorsGoFromPendingToValidToDirty) {
  TagStore t(shape(4, 2));
  const auto w = t.victim(0x1000);
  t.allocate(w, 0x1000);
  EXPECT_EQ(t.find(0x1000), w);
  EXPECT_EQ(t.line(w), 0x1000u);
  EXPECT_EQ(t.valid(w), 0);
  t.set_pending(w, 0b0110);
  t.fill(w, 0b0010);
  EXPECT_EQ(t.valid(w), 0b0010);
  EXPECT_EQ(t.pending(w), 0b0100);
  t.end_pending(w, 0b0100);
  EXPECT_EQ(t.valid(w), 0b0010);
  EXPECT_EQ(t.pending(w), 0);
  t.set_valid(w, 0b1000);
  t.set_dirty(w, 0b1010);
  t.drop_sectors(w, 0b0010);
  EXPECT_EQ(t.valid(w), 0b1000);
  EXPECT_EQ(t.dirty(w), 0b1000);
  t.clean(w);
  EXPECT_EQ(t.dirty(w), 0);
  t.invalidate(w);
  EXPECT_EQ(t.find(0x1000), TagStore::kNone);
  EXPECT_EQ(t.valid(w), 0);
}

TEST(TagStore, AFreeWayIsTakenBeforeALineMakesRoom) {
  TagStore t(shape(1, 3));
  for (std::uint64_t i = 0; i < 3; ++i) t.allocate(t.victim(i * 128), i * 128);
  const auto middle = t.find(128);
  t.invalidate(middle);
  EXPECT_EQ(t.victim(999 * 128), middle);
}

TEST(TagStore, PendingWaysAreNoVictims) {
  for (const char* replacement : {"lru", "fifo", "random", "pseudo_lru"}) {
    for (const std::uint32_t ways : {1u, 4u, 256u}) {
      TagSpec s = shape(2, ways);
      s.replacement = replacement;
      TagStore t(s);
      for (std::uint64_t i = 0; i < ways; ++i) t.allocate(t.victim(i * 256), i * 256);
      std::vector<TagStore::Way> left;
      for (std::uint32_t w = 0; w < ways; ++w) left.push_back(w);
      std::mt19937 rng(1);
      while (!left.empty()) {
        const auto v = t.victim(1u << 20);
        ASSERT_TRUE(std::find(left.begin(), left.end(), v) != left.end()) << replacement;
        const auto at = left.begin() + rng() % left.size();
        t.set_pending(*at, 1);
        left.erase(at);
      }
      EXPECT_EQ(t.victim(1u << 20), TagStore::kNone);
      EXPECT_NE(t.victim((1u << 20) + 128), TagStore::kNone);  // the other set
      t.fill(ways / 2, 1);
      EXPECT_EQ(t.victim(1u << 20), ways / 2);
    }
  }
}

TEST(TagStore, DirtyWaysAreVisitedInOrderAndFlushForgetsAll) {
  TagStore t(shape(4, 2));
  for (std::uint64_t i = 0; i < 8; ++i) t.allocate(t.victim(i * 128), i * 128);
  std::vector<TagStore::Way> expected;
  for (const std::uint64_t line : {5 * 128, 0 * 128, 7 * 128}) {
    t.set_dirty(t.find(line), 1);
    expected.push_back(t.find(line));
  }
  std::sort(expected.begin(), expected.end());
  std::vector<TagStore::Way> visited;
  t.for_each_dirty([&](TagStore::Way w) { visited.push_back(w); });
  EXPECT_EQ(visited, expected);
  t.flush();
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(t.find(i * 128), TagStore::kNone);
  t.for_each_dirty([&](TagStore::Way) { ADD_FAILURE() << "dirty after a flush"; });
}

// Against a list of (line, last use) per set: what is held, and who is the victim.
class LruModel : public ::testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(TagStore, LruModel,
                         ::testing::Values(std::pair{1u, 1u}, std::pair{4u, 6u}, std::pair{3u, 16u},
                                           std::pair{4u, 17u}, std::pair{2u, 256u}, std::pair{5u, 64u}));
TEST(TagStore, EveryLineIsVisitedAlsoWhenItIsInvalidated) {
  TagSpec spec;
  spec.sets = 2, spec.ways = 70;
  spec.line = 128_B;
  TagStore tags(spec);
  for (const std::uint64_t number : {0u, 1u, 128u, 139u}) {
    tags.allocate(tags.victim(number * 128), number * 128);
  }
  std::vector<std::uint64_t> seen;
  tags.for_each_line([&](TagStore::Way w) {
    seen.push_back(tags.line(w) / 128);
    tags.invalidate(w);
  });
  EXPECT_THAT(seen, testing::UnorderedElementsAre(0u, 1u, 128u, 139u));
  tags.for_each_line([](TagStore::Way) { FAIL(); });
}

TEST_P(LruModel, BehavesLikeTimestamps) {
  struct Held {
    std::uint64_t last_use = 0;
    bool pending = false;
  };
  const auto [sets, ways] = GetParam();
  TagStore t(shape(sets, ways));
  std::vector<std::map<std::uint64_t, Held>> model(sets);
  std::mt19937 rng(7);
  std::uint64_t victims = 0;
  for (std::uint64_t step = 1; step < 20000; ++step) {
    const std::uint64_t number = rng() % (sets * ways * 3 / 2 + 2), line = number * 128;
    auto& set = model[number % sets];
    const auto w = t.find(line);
    ASSERT_EQ(w != TagStore::kNone, set.contains(line));
    const std::uint32_t what = rng() % 8;
    if (w != TagStore::kNone) {
      if (what == 0 && t.pending(w) == 0) {
        t.invalidate(w);
        set.erase(line);
      } else if (what == 1) {
        t.set_pending(w, 1);
        set[line].pending = true;
      } else if (what <= 3) {
        t.fill(w, 1);
        set[line].pending = false;
      } else {
        t.touch(w);
        set[line].last_use = step;
      }
      continue;
    }
    const auto v = t.victim(line);
    if (set.size() == ways) {
      auto oldest = set.end();
      for (auto i = set.begin(); i != set.end(); ++i) {
        if (!i->second.pending && (oldest == set.end() || i->second.last_use < oldest->second.last_use))
          oldest = i;
      }
      ASSERT_EQ(v == TagStore::kNone, oldest == set.end());
      if (v == TagStore::kNone) continue;
      ASSERT_EQ(t.line(v), oldest->first);
      set.erase(oldest);
      ++victims;
    } else {
      ASSERT_EQ(t.line(v), TagStore::kFree);
    }
    t.allocate(v, line);
    set[line] = {step, false};
  }
  EXPECT_GT(victims, 500u);
}

TEST(SetIndex, LinearIsModuloForAnyNumberOfSets) {
  for (const std::uint32_t sets : {1u, 4u, 48u, 64u, 96u}) {
    const SetIndex index(IndexHash::Linear, sets, 128);
    for (std::uint64_t line = 0; line < 1000; ++line) {
      EXPECT_EQ(index(mem::kDeviceBase + line * 128), (mem::kDeviceBase / 128 + line) % sets);
    }
  }
}

TEST(SetIndex, FermiTakesThePublishedBits) {
  const auto bit = [](std::uint64_t a, int i) { return (a >> i) & 1; };
  std::mt19937_64 rng(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = (rng() >> 16) & ~std::uint64_t{127};
    const int with[] = {13, 14, 15, 17, 19};
    std::uint32_t expected = 0;
    for (int b = 0; b < 5; ++b) expected |= static_cast<std::uint32_t>(bit(a, 7 + b) ^ bit(a, with[b])) << b;
    EXPECT_EQ(SetIndex(IndexHash::Fermi, 32, 128)(a), expected);
    EXPECT_EQ(SetIndex(IndexHash::Fermi, 64, 128)(a), expected | (bit(a, 12) << 5));
  }
}

// Consecutive lines fill sets evenly under every hash; strides of the cache's size spread only when hashed.
TEST(SetIndex, MaskedReachesThePowersOfTwoInTheNumberOfSets) {
  const SetIndex index(IndexHash::Masked, 96, 128);  // 95: all bits but the sixth
  std::set<std::uint32_t> used;
  for (std::uint64_t n = 0; n < 4096; ++n) {
    EXPECT_EQ(index(n * 128), n & 95);
    used.insert(index(n * 128));
  }
  EXPECT_EQ(used.size(), 64u);
  const SetIndex whole(IndexHash::Masked, 64, 128), linear(IndexHash::Linear, 64, 128);
  for (std::uint64_t n = 0; n < 4096; n += 7) EXPECT_EQ(whole(n * 128), linear(n * 128));
}

TEST(SetIndex, HashesSpreadStridesThatLinearGathers) {
  const auto used = [](const SetIndex& index, std::uint64_t stride) {
    std::vector<std::uint32_t> load(64);
    for (std::uint64_t i = 0; i < 1024; ++i) ++load[index(i * stride)];
    return static_cast<std::uint32_t>(1024 / *std::max_element(load.begin(), load.end()));
  };
  const std::uint64_t size = 64 * 128;
  for (const auto h : {IndexHash::Linear, IndexHash::Fermi, IndexHash::Polynomial, IndexHash::Xor})
    EXPECT_EQ(used(SetIndex(h, 64, 128), 128), 64u);
  EXPECT_EQ(used(SetIndex(IndexHash::Linear, 64, 128), size), 1u);
  EXPECT_EQ(used(SetIndex(IndexHash::Fermi, 64, 128), size), 32u);
  EXPECT_EQ(used(SetIndex(IndexHash::Polynomial, 64, 128), size), 64u);
  EXPECT_EQ(used(SetIndex(IndexHash::Xor, 64, 128), size), 64u);
  EXPECT_EQ(used(SetIndex(IndexHash::Polynomial, 64, 128), 2 * size), 64u);
}

TEST(SetIndex, XorWorksForAnyNumberOfSets) {
  const SetIndex index(IndexHash::Xor, 48, 128);
  std::vector<std::uint32_t> load(48);
  for (std::uint64_t i = 0; i < 4800; ++i) {
    const std::uint32_t set = index(i * 48 * 128);
    ASSERT_LT(set, 48u);
    ++load[set];
  }
  EXPECT_GT(*std::min_element(load.begin(), load.end()), 0u);
}

std::string tag_refusal(std::string_view toml) {
  config::Config c = config::Config::parse(toml, "f.toml");
  try {
    config::read<TagSpec>(c);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(TagSpec, BadOnesAreRefusedWithKeyAndRule) {
  EXPECT_THAT(tag_refusal("sets = 0"), HasSubstr("sets"));
  EXPECT_THAT(tag_refusal("ways = 0"), HasSubstr("ways"));
  EXPECT_THAT(tag_refusal("line = \"96B\""), HasSubstr("line: a line of 96 bytes is no power of two"));
  EXPECT_THAT(tag_refusal("line = \"16B\""), HasSubstr("line: a line of 16 bytes"));
  EXPECT_THAT(tag_refusal("line = \"512B\""), HasSubstr("line: a line of 512 bytes has more than 8 sectors"));
  EXPECT_THAT(tag_refusal("index = \"fermi\"\nsets = 128"), HasSubstr("index: the fermi hash"));
  EXPECT_THAT(tag_refusal("index = \"polynomial\"\nsets = 48"), HasSubstr("index: the polynomial hash"));
  EXPECT_THAT(tag_refusal("replacement = \"pseudo_lru\"\nways = 6"), HasSubstr("replacement: pseudo_lru"));
  EXPECT_THAT(tag_refusal("replacement = \"mru\""), HasSubstr("mru"));
  EXPECT_THAT(tag_refusal("sets = 65536\nways = 4096"), HasSubstr("ways"));
  EXPECT_EQ(tag_refusal("sets = 48\nways = 96\nindex = \"xor\""), "accepted");
}

}  // namespace
}  // namespace heddle::cache
