#include "sim/channel.h"

#include <gtest/gtest.h>

namespace heddle::sim {
namespace {

TEST(Channel, MessageArrivesAfterTheLatencyAndOnlyOncePublished) {
  Channel<int> c(8, 4);
  c.send(3, 42);
  EXPECT_EQ(c.next_arrival(), kNever);  // the window is not over
  const auto p = c.publish();
  EXPECT_EQ(p.reader_from, 11u);
  EXPECT_FALSE(c.ready(10));
  ASSERT_TRUE(c.ready(11));
  EXPECT_EQ(c.front(), 42);
  c.pop();
  EXPECT_FALSE(c.ready(100));
}

TEST(Channel, KeepsOrder) {
  Channel<int> c(1, 8);
  for (int i = 0; i < 8; ++i) c.send(static_cast<Cycle>(i), i);
  c.publish();
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(c.ready(100));
    EXPECT_EQ(c.front(), i);
    c.pop();
  }
}

TEST(Channel, FullUntilTheReadersTakingIsPublished) {
  Channel<int> c(1, 3);  // not a power of two
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(c.can_send());
    c.send(0, i);
  }
  EXPECT_FALSE(c.can_send());
  c.publish();
  c.pop();
  EXPECT_FALSE(c.can_send());
  EXPECT_TRUE(c.publish().writer_may_go);
  EXPECT_TRUE(c.can_send());
  // Nobody was refused since: no need to wake the writer again.
  c.pop();
  EXPECT_FALSE(c.publish().writer_may_go);
}

TEST(Channel, WrapsAroundManyTimes) {
  Channel<std::uint64_t> c(2, 5);
  std::uint64_t sent = 0, taken = 0;
  for (Cycle now = 0; now < 10'000; ++now) {
    if (now % 3 != 0 && c.can_send()) c.send(now, sent++);
    if (now % 2 == 0 && c.ready(now)) {
      EXPECT_EQ(c.front(), taken++);
      c.pop();
    }
    c.publish();
  }
  EXPECT_GT(taken, 4'000u);
  EXPECT_EQ(c.sent() - c.taken(), sent - taken);
}

}  // namespace
}  // namespace heddle::sim
