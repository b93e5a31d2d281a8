// Accesses of whole warps along a line have a short way when nobody counts them; Bench compares it with the
// other ways.
#include "bench.h"

#include <fmt/format.h>

namespace heddle::exec {
namespace {

constexpr std::uint32_t kWords = 8192;

std::vector<std::uint32_t> numbers() {
  return expected(kWords, [](auto i) { return 3 * i + 1; });
}

// Every thread adds 5 to the element `stride` bytes behind its neighbour's and puts it `to` bytes further on.
std::vector<std::uint32_t> shifted(int stride, int from, int to, int threads, bool wide) {
  std::vector<std::uint32_t> w = numbers(), read = w;
  for (int t = 0; t < threads; ++t)
    for (int half = 0; half < (wide ? 2 : 1); ++half) {
      const auto source = static_cast<std::size_t>((from + t * stride) / 4 + half);
      w[source + static_cast<std::size_t>(to / 4)] = read[source] + (half == 0 ? 5 : 0);
    }
  return w;
}

std::vector<std::uint32_t> run_shift(int stride, int from, int to, std::uint32_t threads, bool wide) {
  const std::string address = fmt::format("mul.wide.s32 %rd1, %tid, {}; add.s64 %rd1, %rd1, %out; ", stride);
  const std::string body =
      address + (wide ? fmt::format("ld.global.u64 %rd2, [%rd1+{}]; add.u64 %rd2, %rd2, 5; bar.sync 0; "
                                    "st.global.u64 [%rd1+{}], %rd2;",
                                    from, from + to)
                      : fmt::format("ld.global.u32 %r1, [%rd1+{}]; add.u32 %r1, %r1, 5; bar.sync 0; "
                                    "st.global.u32 [%rd1+{}], %r1;",
                                    from, from + to));
  Bench b(body, {.block = {threads, 1, 1}, .words = kWords, .options = {.count_accesses = false}});
  b.set_out(numbers());
  b.run();  // finds the allocation
  b.set_out(numbers());
  return b.run();
}

TEST(LineAccess, StridesOfEveryKind) {
  for (const bool wide : {false, true})
    for (const int stride : {0, 8, 16, -8, 136, -136, 256, -256})
      for (const std::uint32_t threads : {32u, 64u, 45u})
        EXPECT_EQ(run_shift(stride, 16384, 8, threads, wide),
                  shifted(stride, 16384, 8, static_cast<int>(threads), wide))
            << stride << (wide ? " wide" : "") << ", threads " << threads;
  EXPECT_EQ(run_shift(4, 64, 512, 32, false), shifted(4, 64, 512, 32, false));
  EXPECT_EQ(run_shift(-4, 512, 1024, 32, false), shifted(-4, 512, 1024, 32, false));
}

TEST(LineAccess, OfLanesThatStoreAtOnePlaceTheHighestStays) {
  Bench b("st.global.u32 [%out], %tid;", {.options = {.count_accesses = false}});
  b.run();
  EXPECT_EQ(b.run()[0], 31u);
}

// The first turn is good and remembers where; in the second the same instruction goes astray.
std::string second_turn(std::string_view stride, std::string_view offset) {
  return fmt::format(R"(
mov.u64 %rd2, 4; mov.u64 %rd3, 0; mov.u32 %r1, 0; cvt.u64.u32 %rd4, %tid;
TURN: mad.lo.u64 %rd1, %rd4, %rd2, %out; add.u64 %rd1, %rd1, %rd3;
ld.global.u32 %r2, [%rd1]; //load
mov.u64 %rd2, {}; mov.u64 %rd3, {}; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2; @%p1 bra TURN;)",
                     stride, offset);
}

TEST(LineAccess, WhatIsWrongIsFoundAsEver) {
  struct Wrong {
    const char *stride, *offset;
  };
  // Past the end, before the beginning, misaligned at the start, misaligned by the step, and steps that lead
  // around the address space: the first lane and the last are in the array (31 steps make 4 bytes).
  for (const Wrong& w : {Wrong{"4", "32644"}, Wrong{"-4", "120"}, Wrong{"4", "2"}, Wrong{"6", "0"},
                         Wrong{"0xbdef7bdef7bdef7c", "0"}}) {
    Bench counted(second_turn(w.stride, w.offset), {.words = kWords});
    Bench plain(second_turn(w.stride, w.offset), {.words = kWords, .options = {.count_accesses = false}});
    const Error expected = counted.run_error(), error = plain.run_error();
    EXPECT_STREQ(error.what(), expected.what()) << w.stride << " " << w.offset;
    EXPECT_THAT(error.what(), testing::HasSubstr("load of 4 bytes")) << w.stride << " " << w.offset;
  }
}

}  // namespace
}  // namespace heddle::exec
