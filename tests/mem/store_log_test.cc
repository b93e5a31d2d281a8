#include "mem/store_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::mem {
namespace {

class StoreLogTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kBytes = 4096;

  void store(Address at, std::uint32_t value) { log.append(at, &value, 4); }
  std::uint32_t load(Address at) {
    std::uint32_t v = 0;
    memory.read(&v, at, 4);
    log.overlay(at, &v, 4);
    return v;
  }
  std::uint32_t committed(Address at) {
    std::uint32_t v = 0;
    memory.read(&v, at, 4);
    return v;
  }

  DeviceMemory memory{std::uint64_t{64} << 20};
  Address block = memory.allocate(kBytes, "block");
  StoreLog log;
};

TEST_F(StoreLogTest, StoresAreSeenByOverlayAndInMemoryOnlyAfterCommit) {
  store(block + 8, 7);
  EXPECT_EQ(load(block + 8), 7u);
  EXPECT_EQ(committed(block + 8), 0u);
  log.commit(memory);
  EXPECT_EQ(committed(block + 8), 7u);
  EXPECT_TRUE(log.empty());
}

TEST_F(StoreLogTest, TheLaterStoreWinsInOverlayAndInCommit) {
  store(block, 1);
  store(block, 2);
  const std::uint8_t byte = 0xff;
  log.append(block + 1, &byte, 1);
  EXPECT_EQ(load(block), 0xff02u);
  log.commit(memory);
  EXPECT_EQ(committed(block), 0xff02u);
}

TEST_F(StoreLogTest, AnOldStoreShowsAroundANewerSmallerOne) {
  std::vector<std::uint8_t> line(128, 0x11);
  log.append(block, line.data(), 128);
  store(block + 64, 0x22222222);
  std::vector<std::uint8_t> got(128, 0);
  log.overlay(block, got.data(), 128);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(got[i], i >= 64 && i < 68 ? 0x22 : 0x11) << i;
}

TEST_F(StoreLogTest, StoresAcrossLinesAreFoundInBoth) {
  std::vector<std::uint32_t> span(64);
  for (std::uint32_t i = 0; i < 64; ++i) span[i] = i + 1;
  log.append(block + 100, span.data(), 256);  // three lines
  EXPECT_EQ(log.size(), 3u);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(load(block + 100 + 4 * i), i + 1);
  EXPECT_EQ(load(block + 96), 0u);
  EXPECT_EQ(load(block + 356), 0u);
  std::vector<std::uint32_t> got(64, 0);
  log.overlay(block + 100, got.data(), 256);
  EXPECT_EQ(got, span);
}

TEST_F(StoreLogTest, LinesNobodyWroteAreNotTouchedUnlessTheyShareABucket) {
  EXPECT_FALSE(log.may_touch(block, 4));
  store(block + 130, 5);
  EXPECT_TRUE(log.may_touch(block + 128, 4));
  EXPECT_TRUE(log.may_touch(block + 120, 16)) << "reaches into the line";
  EXPECT_FALSE(log.may_touch(block, 128));
  EXPECT_FALSE(log.may_touch(block + 256, 4));
  log.commit(memory);
  EXPECT_FALSE(log.may_touch(block + 128, 4)) << "forgotten after commit";
}

// Lines that share a bucket must not see each other's bytes.
TEST_F(StoreLogTest, LinesOfOneBucketStayApart) {
  const Address big = memory.allocate(std::uint64_t{8} << 20, "big");
  for (std::uint32_t i = 0; i < 65536; i += 16) store(big + Address{i} * 128, i + 1);
  for (std::uint32_t i = 0; i < 65536; i += 16) EXPECT_EQ(load(big + Address{i} * 128), i + 1);
  for (std::uint32_t i = 1; i < 65536; i += 16) EXPECT_EQ(load(big + Address{i} * 128), 0u);
}

// Against a plain array: random stores of 1 to 200 bytes, random loads, commits now and then.
TEST_F(StoreLogTest, BehavesLikeMemoryForItsOwnUnit) {
  std::vector<std::uint8_t> model(kBytes, 0);
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<std::uint32_t>((std::uint64_t{state} * below) >> 32);
  };
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t n = 1 + next(200), at = next(kBytes - n);
    if (next(2) == 0) {
      std::vector<std::uint8_t> data(n);
      for (auto& b : data) b = static_cast<std::uint8_t>(next(256));
      log.append(block + at, data.data(), n);
      std::memcpy(model.data() + at, data.data(), n);
    } else {
      std::vector<std::uint8_t> got(n);
      memory.read(got.data(), block + at, n);
      if (log.may_touch(block + at, n)) log.overlay(block + at, got.data(), n);
      ASSERT_EQ(std::memcmp(got.data(), model.data() + at, n), 0) << step;
    }
    if (next(50) == 0) log.commit(memory);
  }
}

}  // namespace
}  // namespace heddle::mem
