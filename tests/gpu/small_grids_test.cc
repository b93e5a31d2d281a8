// cta.cap_small_grids: an SM has no more CTAs of a kernel than its grid has for each SM (GPGPU-Sim 3.2.2).
#include <algorithm>

#include "bench.h"

namespace heddle::gpu {
namespace {

// Writes the number of its SM, and stays for a while.
constexpr std::string_view kWhere = R"(
mov.u32 %r2, %clock;
WAIT:
mov.u32 %r3, %clock;
sub.u32 %r4, %r3, %r2;
setp.lt.u32 %p2, %r4, %n;
@%p2 bra WAIT;
mov.u32 %r5, %smid;
mul.wide.u32 %rd2, %cta, 4;
add.u64 %rd2, %rd2, %a;
st.global.u32 [%rd2], %r5;
)";

struct Spread {
  std::uint32_t sms = 0, most = 0;  // that got CTAs; CTAs of the fullest
  sm::Occupancy occupancy;
};
Spread spread(const Settings& settings, std::uint32_t ctas) {
  Bench b(spec_of("clustered60", settings));
  b.load(kWhere);
  const auto out = b.words(ctas);
  const LaunchResult r = b.run({ctas, 32, 2000}, out, out);
  std::vector<std::uint32_t> count(b.spec().sms());
  for (const std::uint32_t sm : b.read(out, ctas)) ++count[sm];
  Spread s;
  s.sms =
      static_cast<std::uint32_t>(std::count_if(count.begin(), count.end(), [](auto n) { return n != 0; }));
  s.most = *std::max_element(count.begin(), count.end());
  s.occupancy = r.occupancy;
  return s;
}

const Settings kGreedy = {"cta.scheduler=greedy"};
const Settings kCapped = {"cta.scheduler=greedy", "cta.cap_small_grids=true"};

TEST(SmallGrids, FillTheFirstSmsWhereNothingCapsThem) {
  const Spread s = spread(kGreedy, 90);
  EXPECT_LT(s.sms, 20u);
  EXPECT_GT(s.most, 8u);
}

TEST(SmallGrids, AreSpreadOverAllSmsWhereAsked) {
  const Spread s = spread(kCapped, 90);  // 1.5 for each of 60
  EXPECT_EQ(s.most, 2u);
  EXPECT_EQ(s.sms, 45u);
  EXPECT_EQ(s.occupancy.ctas, 2u);
  EXPECT_EQ(s.occupancy.limited_by, "CTAs of the grid");
}

TEST(SmallGrids, ASingleCtaHasAPlace) {
  EXPECT_EQ(spread(kCapped, 1).most, 1u);
}

TEST(SmallGrids, LargeGridsAreAsWithoutACap) {
  const Spread with = spread(kCapped, 3000), without = spread(kGreedy, 3000);
  EXPECT_EQ(with.occupancy.ctas, without.occupancy.ctas);
  EXPECT_EQ(with.most, without.most);
}

}  // namespace
}  // namespace heddle::gpu
