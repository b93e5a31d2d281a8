// The device's memory: allocations in one fixed window, and copies that stay inside them.
#include "mem/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "base/error.h"

namespace heddle::mem {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

std::string error_of(auto&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(DeviceMemory, AnOffsetMovesEveryAllocationFromTheOneBefore) {
  DeviceMemory plain(64 * kMiB), moved(64 * kMiB, 768);
  for (Address i = 1; i <= 3; ++i) EXPECT_EQ(moved.allocate(1000, "x"), plain.allocate(1000, "x") + i * 768);
  EXPECT_FALSE(moved.has_room(64 * kMiB - 4096));
  EXPECT_EQ(moved.find(kDeviceBase), nullptr);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they have taken these addresses
TEST(DeviceMemory, CanLieAtItsOwnAddresses) {
  DeviceMemory m(64 * kMiB, 0, Placement::SameAddress);
  const Address a = m.allocate(8, "shared");
  EXPECT_EQ(m.host(a), reinterpret_cast<std::byte*>(a));
  EXPECT_THROW(DeviceMemory(64 * kMiB, 0, Placement::SameAddress), Error) << "there is one place";
  const Address front = kDeviceBase - DeviceMemory::kCardPage;
  EXPECT_FALSE(m.is_backed(front - 1));
  for (const Address x : {front, kDeviceBase - 1, kDeviceBase, kDeviceBase + 64 * kMiB - 1}) {
    ASSERT_TRUE(m.is_backed(x));
    *m.host(x) = std::byte{1};
  }
  EXPECT_FALSE(m.is_backed(kDeviceBase + 64 * kMiB));
  EXPECT_FALSE(DeviceMemory(64 * kMiB).is_backed(kDeviceBase - 1));
  // Memory of the host becomes an allocation, and is none again.
  std::array<int, 4> own{1, 2, 3, 4};
  m.adopt(own.data(), sizeof own, "own");
  ASSERT_NE(m.find(reinterpret_cast<Address>(&own[3])), nullptr);
  EXPECT_EQ(m.used(), 8 + sizeof own);
  EXPECT_THROW(m.adopt(&own[1], 4, "twice"), Error);
  const Address b = m.allocate(8, "after it");
  EXPECT_LT(b - kDeviceBase, 64 * kMiB) << "still inside the window";
  m.disown(own.data());
  EXPECT_EQ(m.find(reinterpret_cast<Address>(&own[3])), nullptr);
}
#endif

TEST(DeviceMemory, OnlyAtItsOwnAddressesCanItAdopt) {
  DeviceMemory m(64 * kMiB);
  int own = 0;
  EXPECT_THROW(m.adopt(&own, sizeof own, "own"), Error);
}

TEST(DeviceMemory, AddressesAreTheSameInEveryRun) {
  DeviceMemory a(64 * kMiB), b(64 * kMiB);
  EXPECT_EQ(a.allocate(100, "x"), kDeviceBase);
  EXPECT_EQ(a.allocate(100, "y"), b.allocate(100, "x") + 512);
}

TEST(DeviceMemory, AllocationsAreAlignedAndApart) {
  DeviceMemory m(64 * kMiB);
  for (const std::uint64_t bytes : {0u, 1u, 255u, 256u, 257u, 10000u}) {
    const Address a = m.allocate(bytes, "x");
    EXPECT_EQ(a % 256, 0u);
  }
  Address free_from = 0;
  for (const auto& [begin, a] : m.allocations()) {
    EXPECT_GE(begin, free_from);
    free_from = a.end + 256;
  }
  EXPECT_EQ(m.allocate(8, "wide", 4096) % 4096, 0u);
}

TEST(DeviceMemory, NewMemoryIsZeroEvenWhereOldMemoryWas) {
  DeviceMemory m(64 * kMiB);
  for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{5000}, 3 * kMiB + 17}) {
    const Address a = m.allocate(bytes, "old");
    m.fill(a, 0xab, bytes);
    m.release(a);
    const Address b = m.allocate(bytes, "new");
    ASSERT_EQ(b, a);
    std::vector<std::uint8_t> read(bytes, 1);
    m.read(read.data(), b, bytes);
    EXPECT_THAT(read, testing::Each(0)) << bytes;
    m.release(b);
  }
}

TEST(DeviceMemory, ReleasedRoomIsUsedAgain) {
  DeviceMemory m(64 * kMiB);
  const Address a = m.allocate(1000, "a"), b = m.allocate(1000, "b"), c = m.allocate(1000, "c");
  m.release(b);
  EXPECT_EQ(m.find(b), nullptr);
  EXPECT_EQ(m.allocate(500, "small"), b);
  EXPECT_GT(m.allocate(1000, "big"), c);
  EXPECT_EQ(m.find(a)->label, "a");
}

TEST(DeviceMemory, FindsTheAllocationOfAnAddress) {
  DeviceMemory m(64 * kMiB);
  EXPECT_EQ(m.find(kDeviceBase), nullptr);
  EXPECT_EQ(m.nearest(kDeviceBase), nullptr);
  const Address a = m.allocate(100, "a"), b = m.allocate(100, "b", 256, false);
  EXPECT_EQ(m.find(a)->label, "a");
  EXPECT_EQ(m.find(a + 99)->label, "a");
  EXPECT_EQ(m.find(a + 100), nullptr);
  EXPECT_EQ(m.find(b - 1), nullptr);
  EXPECT_FALSE(m.find(b)->writable);
  EXPECT_EQ(m.find(0), nullptr);
  EXPECT_EQ(m.find(~Address{0}), nullptr);
  EXPECT_EQ(m.nearest(a + 110)->label, "a");
  EXPECT_EQ(m.nearest(b - 10)->label, "b");
  EXPECT_EQ(m.nearest(0)->label, "a");
}

TEST(DeviceMemory, EmptyAllocationsHoldNoAddress) {
  DeviceMemory m(64 * kMiB);
  const Address a = m.allocate(0, "none"), b = m.allocate(0, "none");
  EXPECT_NE(a, b);
  EXPECT_EQ(m.find(a), nullptr);
  m.release(a);
  m.release(b);
}

TEST(DeviceMemory, CopiesStayInsideOneAllocation) {
  DeviceMemory m(64 * kMiB);
  const Address a = m.allocate(16, "numbers");
  std::array<std::uint8_t, 32> bytes{1, 2, 3, 4};
  m.write(a, bytes.data(), 16);
  m.write(a + 15, bytes.data(), 1);
  m.write(a + 16, bytes.data(), 0);
  std::array<std::uint8_t, 16> back{};
  m.read(back.data(), a, 16);
  EXPECT_EQ(back[1], 2);
  EXPECT_EQ(back[15], 1);
  EXPECT_THAT(error_of([&] { m.write(a, bytes.data(), 17); }),
              testing::AllOf(testing::HasSubstr("'numbers'"), testing::HasSubstr("17 bytes")));
  EXPECT_THAT(error_of([&] { m.read(back.data(), a + 16, 1); }), testing::HasSubstr("no allocation"));
  EXPECT_THAT(error_of([&] { m.fill(a + 8, 0, ~std::uint64_t{0}); }), testing::HasSubstr("past the end"));
  EXPECT_THAT(error_of([&] { m.read(back.data(), 0, 1); }), testing::HasSubstr("0x0"));
}

TEST(DeviceMemory, ReleasesOnlyWhatWasAllocated) {
  DeviceMemory m(64 * kMiB);
  const Address a = m.allocate(16, "x");
  EXPECT_THROW(m.release(a + 1), Error);
  EXPECT_THROW(m.release(0), Error);
  m.release(a);
  EXPECT_THROW(m.release(a), Error);
}

TEST(DeviceMemory, FullIsAnErrorThatNamesTheRequest) {
  DeviceMemory m(64 * kMiB);
  m.allocate(40 * kMiB, "big");
  EXPECT_FALSE(m.has_room(40 * kMiB));
  EXPECT_TRUE(m.has_room(10 * kMiB));
  EXPECT_FALSE(m.has_room(~std::uint64_t{0}));
  EXPECT_FALSE(m.has_room(~std::uint64_t{0} - 4096));
  EXPECT_THAT(error_of([&] { m.allocate(40 * kMiB, "more"); }),
              testing::AllOf(testing::HasSubstr("'more'"), testing::HasSubstr("full")));
  EXPECT_NO_THROW(m.allocate(10 * kMiB, "fits"));
}

// Pages that were written before cost nothing more.
TEST(DeviceMemory, WhatTheHostCannotHoldIsRefused) {
  DeviceMemory m(1024 * kMiB);
  const Address a = m.allocate(96 * kMiB, "small"), b = m.allocate(512 * kMiB, "large");
  m.fill(a, 1, 96 * kMiB);
  setenv("HEDDLE_HOST_MEMORY", "256MiB", 1);
  EXPECT_NO_THROW(m.fill(a, 2, 96 * kMiB));
  EXPECT_THAT(error_of([&] { m.fill(b, 1, 512 * kMiB); }),
              testing::AllOf(testing::HasSubstr("'large' of the device: 5368"),
                             testing::HasSubstr("of 268435456 bytes left")));
  EXPECT_NO_THROW(m.fill(b, 1, 4096)) << "the rest is never touched";
  unsetenv("HEDDLE_HOST_MEMORY");
}

// The rule of placement in its plainest form: addresses of allocations are part of every timed result.
class PlainPlacement {
 public:
  explicit PlainPlacement(std::uint64_t capacity) : capacity_(capacity) {}
  Address allocate(std::uint64_t bytes, std::uint64_t align) {
    auto up = [&](Address a) { return (a + align - 1) / align * align; };
    const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
    Address at = up(kDeviceBase);
    for (const auto& [begin, end] : all_) {
      if (at + size + 256 <= begin) break;
      at = up(end + 256);
    }
    if (at - kDeviceBase > capacity_ - size) return 0;
    all_[at] = at + bytes;
    return at;
  }
  void release(Address a) { all_.erase(a); }

 private:
  std::uint64_t capacity_;
  std::map<Address, Address> all_;
};

TEST(DeviceMemory, EveryAllocationGoesToTheLowestPlaceWhereItFits) {
  constexpr std::uint64_t kCapacity = 64 * kMiB;
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    DeviceMemory m(kCapacity);
    PlainPlacement plain(kCapacity);
    std::mt19937 random(seed);
    std::vector<Address> live;
    std::uint64_t refused = 0;
    for (int i = 0; i < 6000; ++i) {
      if (!live.empty() && random() % 5 < 2) {
        std::swap(live[random() % live.size()], live.back());
        m.release(live.back());
        plain.release(live.back());
        live.pop_back();
        continue;
      }
      const std::uint64_t bytes = random() % (random() % 16 == 0 ? 4 * kMiB : 3000);
      const std::uint64_t align = random() % 8 == 0 ? 256u << random() % 6 : 256;
      const Address want = plain.allocate(bytes, align);
      ASSERT_EQ(m.has_room(bytes, align), want != 0) << i;
      if (want == 0) {
        ++refused;
        continue;
      }
      ASSERT_EQ(m.allocate(bytes, "x", align), want) << "step " << i << " of seed " << seed;
      live.push_back(want);
    }
    EXPECT_GT(refused, 0u) << "the window never filled up";
    EXPECT_EQ(m.allocations().size(), live.size());
  }
}

// Minutes if any step looked at all the others.
TEST(DeviceMemory, HoldsManyAllocations) {
  constexpr std::size_t kMany = 300'000;
  DeviceMemory m(std::uint64_t{256} << 20);
  std::vector<Address> all;
  for (std::size_t i = 0; i < kMany; ++i) all.push_back(m.allocate(256, "x"));
  EXPECT_EQ(m.used(), kMany * 256);
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  for (std::size_t i = 0; i < kMany / 2; ++i) m.release(all[i]);
  for (std::size_t i = 0; i < kMany / 2; ++i) {
    const Address a = m.allocate(256, "y");
    EXPECT_LT(a, kDeviceBase + kMany * 512) << "room that was given back is used again";
    EXPECT_EQ(m.nearest(a - 1)->begin, a);
  }
  EXPECT_FALSE(m.has_room(std::uint64_t{200} << 20));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(DeviceMemory, MemoryOfTheHostTakesNoRoomInTheWindow) {
  DeviceMemory m(64 * kMiB, 0, Placement::SameAddress);
  std::array<int, 8> own{};
  m.adopt(&own[0], 8, "above");
  m.adopt(&own[4], 8, "above, too");
  const Address a = m.allocate(300, "a"), b = m.allocate(300, "b"), c = m.allocate(300, "c");
  EXPECT_EQ(a, kDeviceBase);
  m.release(b);
  m.disown(&own[0]);
  EXPECT_EQ(m.allocate(301, "b"), b);
  EXPECT_GT(m.allocate(301, "d"), c);
  m.disown(&own[4]);
  EXPECT_THROW(m.adopt(reinterpret_cast<void*>(a), 8, "its own"), Error);
}
#endif

}  // namespace
}  // namespace heddle::mem
