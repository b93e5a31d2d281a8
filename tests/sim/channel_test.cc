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
  c.pop(100);
  EXPECT_FALSE(c.ready(100));
}

TEST(Channel, KeepsOrder) {
  Channel<int> c(1, 8);
  for (int i = 0; i < 8; ++i) c.send(static_cast<Cycle>(i), i);
  c.publish();
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(c.ready(100));
    EXPECT_EQ(c.front(), i);
    c.pop(100);
  }
}

// A place is given back when the message is taken; the writer hears of it as long after as messages take.
TEST(Channel, FullUntilTheNewsOfAFreePlaceHasTravelledBack) {
  Channel<int> c(5, 3);  // not a power of two
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(c.can_send(0));
    c.send(0, i);
  }
  EXPECT_FALSE(c.can_send(0));
  EXPECT_EQ(c.room_at(), kNever);
  c.publish();
  c.pop(7);
  EXPECT_EQ(c.room_at(), kNever) << "not published";
  EXPECT_EQ(c.publish().writer_from, 12u);
  EXPECT_FALSE(c.can_send(11));
  EXPECT_TRUE(c.can_send(12));
  // Nobody was refused since: no need to wake the writer again.
  c.pop(8);
  EXPECT_EQ(c.publish().writer_from, kNever);
  c.send(12, 3);
  EXPECT_EQ(c.room_at(), 13u);
}

// One message per cycle without a pause needs twice the latency and one place; fewer carry as many as there
// are in that time.
TEST(Channel, PlacesCoverTheWireThereAndBack) {
  for (const Cycle latency : {1u, 4u, 9u})
    for (std::uint32_t places = 1; places <= 2 * latency + 4; ++places) {
      Channel<int> c(latency, places);
      std::uint64_t taken = 0;
      for (Cycle now = 0; now < 10'000; ++now) {
        if (c.ready(now)) {
          c.pop(now);
          ++taken;
        }
        if (c.can_send(now)) c.send(now, 1);
        c.publish();
      }
      const double rate = std::min(1.0, static_cast<double>(places) / static_cast<double>(2 * latency));
      EXPECT_NEAR(static_cast<double>(taken), 10'000 * rate, 2.0 * static_cast<double>(latency) + 2)
          << latency << " " << places;
    }
}

// Virtual channels share the wire and its order, not their places. A place is free when it is given back, not
// when its message leaves the wire.
TEST(Channel, VirtualChannelsHavePlacesOfTheirOwn) {
  Channel<int> c(4, 2, 3);
  c.send(0, 1, 0);
  c.send(0, 2, 0);
  c.send(1, 3, 2);
  EXPECT_FALSE(c.can_send(1, 0));
  EXPECT_TRUE(c.can_send(1, 1));
  EXPECT_TRUE(c.can_send(1, 2));
  c.publish();
  for (int expected : {1, 2, 3}) {
    ASSERT_TRUE(c.ready(5));
    EXPECT_EQ(c.front(), expected);
    c.take();
  }
  c.give_back(6, 2);
  c.publish();
  EXPECT_EQ(c.room_at(0), kNever);
  EXPECT_TRUE(c.can_send(1, 2));
  c.give_back(9, 0);
  EXPECT_EQ(c.publish().writer_from, 13u);
  EXPECT_TRUE(c.can_send(13, 0));
}

// Places that are never used take no memory: what is under way grows only as far as it must.
TEST(Channel, HoldsAsManyAsItHasPlacesAndKeepsTheirOrder) {
  Channel<int> c(3, 1000);
  int sent = 0, taken = 0;
  for (Cycle now = 0; now < 400; ++now) {
    for (int n = 0; n < 5 && c.can_send(now); ++n) c.send(now, sent++);
    for (int n = 0; n < (now < 200 ? 2 : 9) && c.ready(now); ++n) {
      ASSERT_EQ(c.front(), taken++);
      c.pop(now);
    }
    if (now % 3 == 2) c.publish();
    ASSERT_LE(sent - taken, 1000);
  }
  EXPECT_GT(taken, 1000);
}

TEST(Channel, WrapsAroundManyTimes) {
  Channel<std::uint64_t> c(2, 5);
  std::uint64_t sent = 0, taken = 0;
  for (Cycle now = 0; now < 10'000; ++now) {
    if (now % 3 != 0 && c.can_send(now)) c.send(now, sent++);
    if (now % 2 == 0 && c.ready(now)) {
      EXPECT_EQ(c.front(), taken++);
      c.pop(now);
    }
    c.publish();
  }
  EXPECT_GT(taken, 4'000u);
  EXPECT_EQ(c.sent() - c.taken(), sent - taken);
}

// A message of several places goes when all of them are free; they may come back one by one, and the writer
// is woken for as many as it asked for.
TEST(Channel, AMessageMayTakeSeveralPlaces) {
  Channel<int> c(5, 7);
  c.send(0, 1, 0, 4);
  EXPECT_TRUE(c.can_send(0, 0, 3));
  EXPECT_FALSE(c.can_send(0, 0, 4));
  c.send(0, 2, 0, 3);
  EXPECT_EQ(c.room_at(0, 2), kNever);
  EXPECT_EQ(c.room_at(0, 3), kNever);  // of several askers the least
  c.publish();
  c.take();
  c.give_back(10);
  EXPECT_EQ(c.publish().writer_from, kNever) << "two are wanted";
  c.give_back(11);
  c.give_back(13);  // ahead of time
  EXPECT_EQ(c.publish().writer_from, 16u);
  EXPECT_EQ(c.room_at(0, 1), 15u);
  EXPECT_EQ(c.room_at(0, 3), 18u);
  c.send(18, 3, 0, 3);
  c.give_back(20);
  c.take();
  for (int i = 0; i < 3; ++i) c.give_back(21);
  c.publish();
  EXPECT_EQ(c.room_at(0, 1), 25u);
  EXPECT_EQ(c.room_at(0, 4), 26u);
  EXPECT_EQ(c.room_at(0, 5), kNever);
}

}  // namespace
}  // namespace heddle::sim
