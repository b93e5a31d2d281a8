#include "card/card_turns.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace heddle::card {
namespace {

TEST(CardTurns, NobodyHasTheCardTogether) {
  CardTurns mine, others;
  mine.begin();
  mine.begin();
  std::atomic<bool> has{false};
  std::thread other([&] {
    others.begin();
    has = true;
    others.end();
  });
  mine.end();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(has);
  mine.end();
  other.join();
  EXPECT_TRUE(has);
}

}  // namespace
}  // namespace heddle::card
