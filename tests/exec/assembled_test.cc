// Code as the assembler makes it computes what the code as written does: counted loops of every kind, with
// any start and bound and a number of rounds of its own in each lane, conditional code in them, and
// neighbouring loads from shared memory.
#include <rapidcheck.h>

#include <limits>

#include "bench.h"

namespace heddle::exec {
namespace {

constexpr std::uint32_t kThreads = 40, kMostRounds = 200;
constexpr std::uint32_t kWordsEach = 8, kTable = kThreads * kWordsEach;

struct Loop {
  bool wide = false;     // a counter of 64 bits
  bool sign = true;      // of the comparison
  bool negated = false;  // leaves with @!p instead of going on with @p
  bool moved = false;    // a test of the sum, which is then moved into the counter
  std::string cmp = "lt";
  std::int64_t step = 1;
  bool immediate = false;  // bound
  std::int64_t bound = 0;  // of all threads, if immediate
};

std::string opposite(const std::string& cmp) {
  const std::vector<std::pair<const char*, const char*>> pairs = {{"lt", "ge"}, {"le", "gt"}, {"ne", "eq"}};
  for (const auto& [a, b] : pairs) {
    if (cmp == a) return b;
    if (cmp == b) return a;
  }
  return cmp;
}

// A thread's words: start, bound (64 bits each). They are overwritten by its results.
std::string body(const Loop& l) {
  const std::string i = l.wide ? "%rd10" : "%r10", v = !l.moved ? i : l.wide ? "%rd12" : "%r12";
  const std::string type = (l.sign ? "s" : "u") + std::string(l.wide ? "64" : "32");
  const std::string bound = l.immediate ? std::to_string(l.bound) : l.wide ? "%rd11" : "%r11";
  return "mad.wide.u32 %rd1, %gid, 32, %out; add.u64 %rd2, %out, " + std::to_string(4 * kTable) +
         ";\n"
         "ld.global.u64 %rd10, [%rd1]; ld.global.u64 %rd11, [%rd1+8]; cvt.u32.u64 %r10, %rd10; cvt.u32.u64 "
         "%r11, %rd11;\n"
         "mov.u32 %r3, 7; mov.u32 %r4, 0; mov.u32 %r6, 0; mov.u64 %rd4, %rd2;\n"
         "L: ld.global.u32 %r5, [%rd2]; mad.lo.u32 %r3, %r3, 31, %r5;\n"
         "ld.global.u32 %r7, [%rd4+4]; add.u64 %rd4, %rd2, 8; xor.b32 %r3, %r3, %r7;\n" +
         (l.wide ? "cvt.u32.u64 %r8, " : "mov.u32 %r8, ") + i +
         "; xor.b32 %r3, %r3, %r8; add.u32 %r4, %r4, 1;\n"
         "setp.gt.u32 %p3, %r5, 100; @%p3 add.u32 %r6, %r6, %r4; @!%p3 mov.u32 %r9, %r4;\n"
         "@%p3 bra A; xor.b32 %r15, %r5, 77; mad.lo.u32 %r3, %r3, %r15, 1; A:\n"
         "setp.lt.u32 %p4, %r5, 50; @%p4 bra B; add.u32 %r16, %r4, 3; bra C; B: shl.b32 %r16, %r5, 1; C: "
         "add.u32 "
         "%r3, %r3, %r16;\n"
         "add.u64 %rd2, %rd2, 4;\n"
         "add." +
         type + " " + v + ", " + i + ", " + std::to_string(l.step) + ";\nsetp." +
         (l.negated ? opposite(l.cmp) : l.cmp) + "." + type + " %p1, " + v + ", " + bound + ";\n" +
         (l.moved ? "mov.b" + std::string(l.wide ? "64 " : "32 ") + i + ", " + v + ";\n" : "") +
         (l.negated ? "@!%p1" : "@%p1") +
         " bra L;\n"
         "selp.u32 %r13, 1, 0, %p1; sub.u64 %rd5, %rd2, %rd4; cvt.u32.u64 %r14, %rd5; " +
         (l.wide ? "cvt.u32.u64 %r10, %rd10;" : "") +
         "\nst.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4; st.global.u32 [%rd1+8], %r6;\n"
         "st.global.u32 [%rd1+12], %r9; st.global.u32 [%rd1+16], %r10; st.global.u32 [%rd1+20], %r13;\n"
         "st.global.u32 [%rd1+24], %r14;";
}

template <class T>
bool holds(const std::string& cmp, T a, T b) {
  return cmp == "ne" ? a != b : cmp == "lt" ? a < b : cmp == "le" ? a <= b : cmp == "gt" ? a > b : a >= b;
}

// 0: more than kMostRounds.
std::uint32_t rounds(const Loop& l, std::uint64_t start, std::uint64_t bound) {
  for (std::uint32_t n = 1; n <= kMostRounds; ++n) {
    start += static_cast<std::uint64_t>(l.step);
    const auto a32 = static_cast<std::uint32_t>(start), b32 = static_cast<std::uint32_t>(bound);
    const bool on =
        l.wide ? (l.sign ? holds(l.cmp, static_cast<std::int64_t>(start), static_cast<std::int64_t>(bound))
                         : holds(l.cmp, start, bound))
               : (l.sign ? holds(l.cmp, static_cast<std::int32_t>(a32), static_cast<std::int32_t>(b32))
                         : holds(l.cmp, a32, b32));
    if (!on) return n;
  }
  return 0;
}

struct Outcome {
  std::vector<std::uint32_t> words;
  std::size_t instructions = 0;
};

Outcome execute(const std::string& text, std::vector<std::uint32_t> words, CodeOrder order) {
  FunctionalDevice device({.code_order = order});
  device.load_module(text, "loop.ptx");
  const auto out = device.allocate(4 * words.size(), "out");
  device.copy_in(out, words.data(), 4 * words.size());
  device.launch({"k", {1, 1, 1}, {kThreads, 1, 1}, 0, args(out)});
  device.copy_out(words.data(), out, 4 * words.size());
  return {words, device.launches().back().image->code.size()};
}

// A value near one of the places where something may go wrong.
std::uint64_t near_an_edge(const Loop& l) {
  const std::uint64_t edges[] = {0,
                                 100,
                                 static_cast<std::uint64_t>(std::int64_t{std::numeric_limits<int>::min()}),
                                 std::numeric_limits<int>::max(),
                                 std::numeric_limits<unsigned>::max(),
                                 std::uint64_t{1} << 63,
                                 (std::uint64_t{1} << 63) - 1,
                                 ~std::uint64_t{0}};
  const std::uint64_t e = edges[*rc::gen::inRange<std::size_t>(0, l.wide ? 8 : 5)];
  return e + static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(-40, 40));
}

Loop any_loop() {
  Loop l;
  l.wide = *rc::gen::arbitrary<bool>();
  l.sign = *rc::gen::arbitrary<bool>();
  l.negated = *rc::gen::arbitrary<bool>();
  l.moved = *rc::gen::arbitrary<bool>();
  l.immediate = *rc::gen::arbitrary<bool>();
  l.step = *rc::gen::element<std::int64_t>(1, 2, 3, 4, 7, 16, 1000);
  const bool down = *rc::gen::arbitrary<bool>();
  if (down) l.step = -l.step;
  l.cmp = *rc::gen::elementOf(down ? std::vector<std::string>{"ne", "gt", "ge"}
                                   : std::vector<std::string>{"ne", "lt", "le"});
  return l;
}

TEST(Assembled, CountedLoopsRunTheSameRounds) {
  unsigned unrolled = 0;
  const bool ok = rc::check([&] {
    Loop l = any_loop();
    const std::uint64_t common = near_an_edge(l);
    l.bound = l.wide ? static_cast<std::int64_t>(common) : static_cast<std::int32_t>(common);
    std::vector<std::uint32_t> words(kTable + kMostRounds + 8);
    for (std::uint32_t i = kTable; i < words.size(); ++i) words[i] = i * 2654435761u >> 22;
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      const std::uint64_t bound = l.immediate ? static_cast<std::uint64_t>(l.bound) : near_an_edge(l);
      const auto n = *rc::gen::element<std::int64_t>(0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63);
      std::uint64_t start = bound - static_cast<std::uint64_t>(n * l.step);
      if (l.cmp != "ne") start += static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(-3, 4));
      // What would run (nearly) for ever does not run at all.
      if (rounds(l, start, bound) == 0) start = bound - static_cast<std::uint64_t>(l.step);
      if (rounds(l, start, bound) == 0) RC_DISCARD("no end");
      for (unsigned w = 0; w < 2; ++w) {
        words[t * kWordsEach + w] = static_cast<std::uint32_t>(start >> 32 * w);
        words[t * kWordsEach + 2 + w] = static_cast<std::uint32_t>(bound >> 32 * w);
      }
    }
    const std::string text = kernel_text(body(l));
    const Outcome written = execute(text, words, CodeOrder::AsWritten);
    const Outcome assembled = execute(text, words, CodeOrder::AsAssembled);
    RC_LOG() << text;
    RC_ASSERT(written.words == assembled.words);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      const std::uint64_t start = words[t * kWordsEach] | std::uint64_t{words[t * kWordsEach + 1]} << 32;
      const std::uint64_t bound = words[t * kWordsEach + 2] | std::uint64_t{words[t * kWordsEach + 3]} << 32;
      RC_ASSERT(written.words[t * kWordsEach + 1] == rounds(l, start, bound));
    }
    // The assembler unrolls those that go back while their test holds.
    RC_ASSERT((assembled.instructions > written.instructions + 40) == !l.negated);
    unrolled += l.negated ? 0 : 1;
  });
  EXPECT_TRUE(ok);
  EXPECT_GE(unrolled, 25u);
}

// Four words, two words and words that are not aligned, with stores between them; every lane elsewhere.
TEST(Assembled, SharedLoadsSeeTheStoresBeforeThem) {
  EXPECT_EQ(run(R"(
.shared .align 4 .b8 pad[4]; .shared .align 8 .b8 words[2048];
mov.u32 %r1, words; shl.b32 %r2, %tid, 6; add.u32 %r3, %r1, %r2; mov.u32 %r4, 0;
st.shared.u32 [pad], 1;
FILL: shl.b32 %r5, %r4, 2; add.u32 %r6, %r3, %r5; mad.lo.u32 %r7, %tid, 100, %r4; st.shared.u32 [%r6], %r7;
add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 16; @%p1 bra FILL;
bar.sync 0;
xor.b32 %r8, %tid, 1; shl.b32 %r8, %r8, 6; add.u32 %r9, %r1, %r8;
ld.shared.u32 %r10, [%r9]; ld.shared.u32 %r11, [%r9+4]; ld.shared.u32 %r12, [%r9+8]; ld.shared.u32 %r13, [%r9+12];
ld.shared.u32 %r14, [%r9+20]; ld.shared.u32 %r15, [%r9+24]; ld.shared.u32 %r16, [%r9+40];
bar.sync 0;
st.shared.u32 [%r3+44], 5;
ld.shared.u32 %r17, [%r3+40]; ld.shared.u32 %r18, [%r3+44];
ld.shared.u64 %rd1, [%r3+48]; ld.shared.u64 %rd2, [%r3+56]; xor.b64 %rd1, %rd1, %rd2; cvt.u32.u64 %r19, %rd1;
mad.lo.u32 %r20, %r10, 3, %r11; mad.lo.u32 %r20, %r20, 3, %r12; mad.lo.u32 %r20, %r20, 3, %r13;
mad.lo.u32 %r20, %r20, 3, %r14; mad.lo.u32 %r20, %r20, 3, %r15; mad.lo.u32 %r20, %r20, 3, %r16;
mad.lo.u32 %r20, %r20, 3, %r17; mad.lo.u32 %r20, %r20, 3, %r18; mad.lo.u32 %r20, %r20, 3, %r19;
st.global.u32 [%mine], %r20;)"),
            expected(32, [](std::uint32_t t) {
              const std::uint32_t o = (t ^ 1) * 100;
              std::uint32_t v = o;
              for (const std::uint32_t w : {o + 1, o + 2, o + 3, o + 5, o + 6, o + 10, t * 100 + 10, 5u,
                                            (t * 100 + 12) ^ (t * 100 + 14)})
                v = v * 3 + w;
              return v;
            }));
}

}  // namespace
}  // namespace heddle::exec
