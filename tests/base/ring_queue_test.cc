#include "base/ring_queue.h"

#include <gtest/gtest.h>

#include <deque>

namespace heddle {
namespace {

TEST(RingQueue, HoldsAsManyAsItSays) {
  for (const std::uint32_t capacity : {1u, 3u, 4u, 5u}) {
    RingQueue<int> q(capacity);
    for (std::uint32_t i = 0; i < capacity; ++i) {
      EXPECT_EQ(q.room(), capacity - i);
      EXPECT_FALSE(q.full());
      q.push(static_cast<int>(i));
    }
    EXPECT_TRUE(q.full());
    EXPECT_EQ(q.room(), 0u);
  }
}

// Beside a deque, through many turns of the ring, growing now and then.
TEST(RingQueue, IsFirstInFirstOut) {
  RingQueue<std::uint32_t> q(3);
  std::deque<std::uint32_t> want;
  std::uint32_t random = 1;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    random = random * 1664525 + 1013904223;
    if (i % 1000 == 999) q.reserve(q.size() + 5);
    if ((random >> 16) % 2 == 0 && !q.full()) {
      q.push() = i;
      want.push_back(i);
    } else if (!q.empty()) {
      EXPECT_EQ(q.front(), want.front());
      q.pop();
      want.pop_front();
    }
    ASSERT_EQ(q.size(), want.size());
    ASSERT_EQ(q.empty(), want.empty());
  }
  q.reserve(1);  // never smaller
  EXPECT_GE(q.capacity(), 5u);
}

}  // namespace
}  // namespace heddle
