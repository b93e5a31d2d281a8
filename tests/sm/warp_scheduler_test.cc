// Every scheduler: the contract, then what makes each different.
#include "sm/warp_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "sm/sm_spec.h"

namespace heddle::sm {
namespace {

TEST(WarpScheduler, ContractOfAll) {
  for (const auto& entry : warp_schedulers()) {
    WarpAges ages;
    for (unsigned w = 0; w < 64; ++w) ages.launched[w] = (w * 37) % 64;
    config::Reader defaults(nullptr, nullptr);
    auto s = entry.read(defaults)(ages, {4});
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
      const WarpMask m = (random() & random()) | WarpMask{1} << random() % 64;
      const unsigned w = s->pick(m, random() & ~m);
      ASSERT_TRUE(m >> w & 1) << entry.name;
      // Only one that limits leaves some out, and never all of those that do not wait.
      const WarpMask waiting = m & random();
      const WarpMask admitted = s->admitted(m, waiting);
      ASSERT_EQ(admitted & ~m, 0u) << entry.name;
      ASSERT_TRUE(s->limits() || admitted == m) << entry.name;
      ASSERT_TRUE((admitted & ~waiting) != 0 || waiting == m) << entry.name;
      if (i % 50 == 0) s->ended(w);
    }
    // Nobody starves when everybody is ready and each pick makes the warp busy for a while.
    std::array<int, 64> picked{};
    WarpMask busy = 0;
    std::array<int, 64> until{};
    for (int t = 0; t < 64 * 50; ++t) {
      for (unsigned w = 0; w < 64; ++w)
        if ((busy >> w & 1) != 0 && until[w] <= t) busy &= ~(WarpMask{1} << w);
      if (~busy == 0) continue;
      const unsigned w = s->pick(~busy, 0);
      ++picked[w];
      busy |= WarpMask{1} << w;
      until[w] = t + 64;
    }
    for (unsigned w = 0; w < 64; ++w) EXPECT_GT(picked[w], 0) << entry.name << " warp " << w;
  }
}

TEST(WarpScheduler, RoundRobinGoesOn) {
  auto s = make_warp_scheduler("lrr", {}, {});
  const WarpMask m = 0b1011;
  EXPECT_EQ(s->pick(m, 0), 0u);
  EXPECT_EQ(s->pick(m, 0), 1u);
  EXPECT_EQ(s->pick(m, 0), 3u);
  EXPECT_EQ(s->pick(m, 0), 0u);
}

TEST(WarpScheduler, GreedyStaysThenTakesTheOldest) {
  WarpAges ages;
  ages.launched = {5, 3, 9, 1};
  auto s = make_warp_scheduler("gto", ages, {});
  EXPECT_EQ(s->pick(0b0111, 0), 1u);
  EXPECT_EQ(s->pick(0b1111, 0), 1u);  // still ready: greedy
  EXPECT_EQ(s->pick(0b1101, 0), 3u);
  s->ended(3);
  EXPECT_EQ(s->pick(0b0101, 0), 0u);
}

TEST(WarpScheduler, TwoLevelStaysInsideItsGroup) {
  auto s = make_warp_scheduler("two_level", {}, {2});
  EXPECT_EQ(s->pick(0b1111, 0), 0u);
  EXPECT_EQ(s->pick(0b1111, 0), 1u);
  EXPECT_EQ(s->pick(0b1111, 0), 0u);
  // Warp 0 waits for memory: warp 2 takes its place.
  EXPECT_EQ(s->pick(0b1110, 0b0001), 1u);
  EXPECT_EQ(s->pick(0b1110, 0b0001), 2u);
  EXPECT_EQ(s->pick(0b1111, 0), 1u);
}

// Launched in the order 3, 1, 0, 2, 4.
TEST(WarpScheduler, StaticLimitAdmitsTheOldest) {
  WarpAges ages;
  ages.launched = {5, 3, 9, 1, 10};
  config::Config config = config::Config::parse("warps = 2", "swl.toml");
  config::Reader reader(&config, nullptr);
  const auto kinds = warp_schedulers();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [](const auto& k) { return k.name == "swl"; });
  ASSERT_NE(kind, kinds.end());
  const auto s = kind->read(reader)(ages, {});
  ASSERT_TRUE(s->limits());
  EXPECT_EQ(s->admitted(0b11111, 0), 0b01010u);
  EXPECT_EQ(s->admitted(0b10101, 0), 0b00101u);  // 3 and 1 have ended
  // Who waits for others does not count, and is not held back when it waits no longer than for an atomic.
  EXPECT_EQ(s->admitted(0b11111, 0b01000), 0b01011u);
  EXPECT_EQ(s->admitted(0b11111, 0b11111), 0b11111u);
  // 3 comes back: 0, which issued last, may go on until another one has.
  EXPECT_EQ(s->pick(0b00001, 0), 0u);
  EXPECT_EQ(s->admitted(0b11111, 0), 0b01011u);
  EXPECT_EQ(s->pick(0b01011, 0), 0u);
  EXPECT_EQ(s->pick(0b01010, 0), 3u);
  EXPECT_EQ(s->admitted(0b11111, 0), 0b01010u);
  // Context 1 is given to a warp that is younger than all.
  s->ended(1);
  ages.launched[1] = 11;
  EXPECT_EQ(s->admitted(0b11111, 0), 0b01001u);
}

TEST(WarpScheduler, UnknownNameIsAnError) {
  EXPECT_THROW(make_warp_scheduler("none", {}, {}), Error);
}

// A kind that comes from elsewhere stands beside those of sm/, with a section of its own.
TEST(WarpScheduler, OthersBringTheirOwnKinds) {
  class Highest final : public WarpScheduler {
   public:
    explicit Highest(std::uint32_t most) : most_(most) {}
    unsigned pick(WarpMask candidates, WarpMask) override {
      unsigned best = first(candidates);
      for (WarpMask m = candidates; m != 0; m &= m - 1)
        if (first(m) <= most_) best = first(m);
      return best;
    }

   private:
    std::uint32_t most_;
  };
  std::vector<WarpSchedulerKind> kinds(warp_schedulers().begin(), warp_schedulers().end());
  kinds.push_back({"highest", "for this test", [](config::Reader& r) -> WarpSchedulerFactory {
                     std::uint32_t most = 63;
                     r.field("most", most, config::range(0, 63), "of the test");
                     return [most](const WarpAges&, const SchedulerParams&) {
                       return std::make_unique<Highest>(most);
                     };
                   }});
  const auto read = [&](const char* toml) {
    config::Config config = config::Config::parse(toml, "sm.toml");
    config::Reader reader(&config, nullptr);
    SmSpec spec;
    spec.fields(reader, kinds);
    config.check_all_read();
    return spec;
  };
  const SmSpec spec = read("scheduler = \"highest\"\nhighest.most = 2");
  EXPECT_EQ(spec.make_scheduler({}, {})->pick(0b1111, 0), 2u);
  EXPECT_THROW(read("highest.most = 64"), Error);
  EXPECT_THROW(read("highest.least = 1"), Error);
}

}  // namespace
}  // namespace heddle::sm
