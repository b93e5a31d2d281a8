// Kernels in windows, as under timing: what the store log, deferred atomics and Retry must guarantee.
#include <map>
#include <set>

#include "bench.h"

namespace heddle::exec {
namespace {

using workload::WarpAccess;

// A kernel on windowed devices with different windows, delays and seeds; `check(words, device)` after each.
template <class Check>
void in_windows(std::string_view body, Case given, Check&& check) {
  const std::string text = kernel_text(body, given.globals, given.params);
  if (given.words == 0) given.words = static_cast<std::uint32_t>(given.grid.count() * given.block.count());
  for (const std::uint64_t seed : {1, 2, 3})
    for (const std::uint32_t issues : {1, 4, 16}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << issues << " issues per window");
      WindowedDevice device({.issues = issues, .most_delay = issues == 4 ? 12u : 2u, .seed = seed});
      device.load_module(text, "windowed.ptx");
      const auto out = device.allocate(std::uint64_t{4} * given.words, "out");
      KernelArgs a = args(out);
      if (!given.more.block().empty()) a.add_bytes(given.more.block().data(), given.more.block().size(), 8);
      device.launch({"k", given.grid, given.block, given.dynamic_shared, a});
      check(device.download<std::uint32_t>(out, given.words), device);
    }
}

// Threads of CTA 0 write data, fence, raise a flag; those of CTA 1 (another SM) wait for it and read the
// data.
TEST(Windowed, AFlagSaysThatTheDataAreThere) {
  in_windows(R"(
add.u64 %rd1, %out, 4096; setp.ne.u32 %p1, %cta, 0; @%p1 bra READER;
xor.b32 %r1, %tid, 21; mad.wide.u32 %rd2, %r1, 4, %out; mul.lo.u32 %r2, %r1, 7; st.global.u32 [%rd2+1024], %r2;
membar.gl; bar.sync 0; setp.eq.u32 %p2, %tid, 0; mov.u32 %r3, 1; @%p2 st.volatile.global.u32 [%rd1], %r3;
ret;
READER: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra READER;
mad.wide.u32 %rd3, %tid, 4, %out; ld.global.u32 %r5, [%rd3+1024]; st.global.u32 [%rd3], %r5;)",
             {.grid = {2, 1, 1}, .block = {64, 1, 1}, .words = 2048},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], 7 * i);
             });
}

TEST(Windowed, AHistogramCountsEveryThread) {
  in_windows(R"(
mul.lo.u32 %r1, %gid, 2654435761; shr.u32 %r1, %r1, 26; mad.wide.u32 %rd1, %r1, 4, %out;
red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r2, [%out+256], 1; mad.wide.u32 %rd2, %r2, 4, %out;
st.global.u32 [%rd2+260], %gid;)",
             {.grid = {6, 1, 1}, .block = {96, 1, 1}, .words = 65 + 576},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice& device) {
               std::map<std::uint32_t, std::uint32_t> want;
               for (std::uint32_t i = 0; i < 576; ++i) ++want[(i * 2654435761u) >> 26];
               for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], want[i]) << i;
               EXPECT_EQ(words[64], 576u);
               // Every old value was handed out once.
               const std::set<std::uint32_t> tickets(words.begin() + 65, words.end());
               EXPECT_EQ(tickets.size(), 576u);
               EXPECT_EQ(device.atomics(), 2u * 18u);
             });
}

// Lanes take a lock in turn and add without an atomic: needs Retry, the log, fences and divergence to be
// right.
TEST(Windowed, ACompareAndSwapLockExcludes) {
  in_windows(R"(
mov.u32 %r9, 0;
TRY: atom.global.cas.b32 %r1, [%out], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra AGAIN;
membar.gl; ld.volatile.global.u32 %r2, [%out+128]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out+128], %r2; membar.gl;
atom.global.exch.b32 %r3, [%out], 0; mov.u32 %r9, 1;
AGAIN: setp.eq.u32 %p2, %r9, 0; @%p2 bra TRY;)",
             {.grid = {3, 1, 1}, .block = {40, 1, 1}, .words = 64},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               EXPECT_EQ(words[32], 120u);
               EXPECT_EQ(words[0], 0u);
             });
}

TEST(Windowed, FloatSumsAreExactWhereEveryOrderIs) {
  in_windows(R"(
cvt.rn.f32.u32 %f1, %gid; red.global.add.f32 [%out], %f1; cvt.f64.f32 %d1, %f1;
atom.global.add.f64 %d2, [%out+8], %d1;)",
             {.grid = {4, 1, 1}, .block = {64, 1, 1}, .words = 4},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               EXPECT_EQ(std::bit_cast<float>(words[0]), 255.0f * 128.0f);
               EXPECT_EQ(std::bit_cast<double>(std::uint64_t{words[3]} << 32 | words[2]), 255.0 * 128.0);
             });
}

// The load is not allowed to run before the thread's own reduction has been executed.
TEST(Windowed, ALoadWaitsForTheReductionOfItsOwnThread) {
  in_windows(
      "red.global.add.u32 [%mine], 5; ld.global.u32 %r1, [%mine]; mul.lo.u32 %r1, %r1, 3; "
      "st.global.u32 [%mine], %r1;",
      {.grid = {2, 1, 1}, .block = {64, 1, 1}},
      [](const std::vector<std::uint32_t>& words, const WindowedDevice& device) {
        EXPECT_EQ(words, expected(128, [](auto) { return 15; }));
        EXPECT_GT(device.retries(), 0u);
      });
}

TEST(Windowed, AGenericStoreWaitsToo) {
  in_windows("red.add.u32 [%mine], 5; st.u32 [%mine], %gid;", {.block = {32, 1, 1}},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice& device) {
               EXPECT_EQ(words, expected(32, [](auto i) { return i; }));
               EXPECT_GT(device.retries(), 0u);
             });
}

// A retry has executed nothing: every instruction is executed once.
TEST(Windowed, RetriesExecuteNothing) {
  in_windows("red.global.add.u32 [%mine], 5; ld.global.u32 %r1, [%mine]; st.global.u32 [%mine], %r1;", {},
             [](const std::vector<std::uint32_t>&, const WindowedDevice& device) {
               std::uint64_t issued = 0, lanes = 0;
               for (const PcCount& c : device.counts()) {
                 issued += c.issued;
                 lanes += c.lanes;
               }
               EXPECT_EQ(issued, 7u + 3u + 1u);  // the heading, the body, ret
               EXPECT_EQ(lanes, 32 * issued);
               EXPECT_GT(device.retries(), 0u);
             });
}

TEST(Windowed, AWarpSeesItsOwnStoresAtOnce) {
  in_windows(R"(
st.global.u32 [%mine], %gid; ld.global.u32 %r1, [%mine]; add.u32 %r1, %r1, 1; st.global.u32 [%mine], %r1;
and.b32 %r2, %tid, 1; setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u8 [%mine+3], %tid; ld.global.u32 %r3, [%mine];
mov.u32 %r4, 100; st.global.v2.u32 [%out+1024], {%r4, %tid}; ld.global.v2.u32 {%r5, %r6}, [%out+1024];
add.u32 %r3, %r3, %r5; st.global.u32 [%mine], %r3;)",
             {.block = {32, 1, 1}, .words = 512},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               for (std::uint32_t i = 0; i < 32; ++i)
                 EXPECT_EQ(words[i], (i + 1 + (i % 2 == 0 ? i << 24 : 0)) + 100) << i;
               EXPECT_EQ(words[257], 31u) << "the highest lane stays";
             });
}

// Lanes of one generic access in global, shared and local memory; atomics in global memory are deferred.
TEST(Windowed, GenericLanesGoWhereTheyPoint) {
  in_windows(R"(
.shared .align 8 .b8 s[128]; .local .align 8 .b8 l[8]; .reg .b32 %k;
cvta.shared.u64 %rd1, s; mad.wide.u32 %rd1, %tid, 4, %rd1; cvta.local.u64 %rd2, l; mov.u64 %rd3, %mine;
rem.u32 %k, %tid, 3; setp.eq.u32 %p1, %k, 1; @%p1 mov.u64 %rd3, %rd1; setp.eq.u32 %p2, %k, 2; @%p2 mov.u64 %rd3, %rd2;
st.u32 [%rd3], %tid; ld.u32 %r1, [%rd3]; mul.lo.u32 %r1, %r1, 10; setp.ne.u32 %p3, %k, 2;
@%p3 atom.add.u32 %r2, [%rd3], 1000; @!%p3 mov.u32 %r2, %tid; ld.u32 %r4, [%rd3]; add.u32 %r1, %r1, %r2;
@%p3 sub.u32 %r4, %r4, 1000; add.u32 %r1, %r1, %r4; membar.gl; st.global.u32 [%mine], %r1;)",
             {.block = {32, 1, 1}},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice& device) {
               EXPECT_EQ(words, expected(32, [](auto i) { return 12 * i; }));
               EXPECT_EQ(device.atomics(), 1u);
               EXPECT_EQ(device.accesses(WarpAccess::Space::Shared), 4u);
               EXPECT_EQ(device.accesses(WarpAccess::Space::Local), 3u);
               EXPECT_EQ(device.accesses(WarpAccess::Space::Global), 5u);
             });
}

// A result comes into the register of a function that calls meanwhile; one that nobody reads must not come
// into the registers of the function called next (`dead` and `spin` use the same storage under different
// numbers, so the scoreboard does not help).
TEST(Windowed, ResultsReachFramesThatCallAndReturn) {
  in_windows(R"(
{ .param .b64 pa; .param .b32 pr; st.param.b64 [pa], %out; call (pr), ticket, (pa); ld.param.b32 %r1, [pr]; }
mad.wide.u32 %rd1, %r1, 4, %out; st.global.u32 [%rd1+128], %r1;)",
             {.globals = R"(
.func (.param .b32 r) spin(.param .b32 n) { .reg .b32 %x; .reg .b64 %a<9>; .reg .pred %p; ld.param.b32 %x, [n];
cvt.u64.u32 %a1, %x; add.u64 %a2, %a1, 1; add.u64 %a3, %a1, 2; add.u64 %a4, %a1, 3; add.u64 %a5, %a1, 4; add.u64 %a6, %a1, 5;
add.u64 %a7, %a1, 6; add.u64 %a8, %a1, 7;
L: sub.u32 %x, %x, 1; setp.ne.u32 %p, %x, 0; @%p bra L;
add.u64 %a1, %a1, %a2; add.u64 %a1, %a1, %a3; add.u64 %a1, %a1, %a4; add.u64 %a1, %a1, %a5; add.u64 %a1, %a1, %a6;
add.u64 %a1, %a1, %a7; add.u64 %a1, %a1, %a8; cvt.u32.u64 %x, %a1; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) dead(.param .b64 a) { .reg .b32 %x, %v<13>; .reg .b64 %y; ld.param.b64 %y, [a];
mov.u32 %v1, 1; mov.u32 %v2, 2; mov.u32 %v3, 3; mov.u32 %v4, 4; mov.u32 %v5, 5; mov.u32 %v6, 6; mov.u32 %v7, 7; mov.u32 %v8, 8; mov.u32 %v9, 9; mov.u32 %v10, 10; mov.u32 %v11, 11; mov.u32 %v12, 12;
atom.global.add.u32 %x, [%y+64], 1;
add.u32 %v1, %v1, %v2; add.u32 %v1, %v1, %v3; add.u32 %v1, %v1, %v4; add.u32 %v1, %v1, %v5; add.u32 %v1, %v1, %v6; add.u32 %v1, %v1, %v7; add.u32 %v1, %v1, %v8; add.u32 %v1, %v1, %v9; add.u32 %v1, %v1, %v10; add.u32 %v1, %v1, %v11; add.u32 %v1, %v1, %v12;
st.param.b32 [r], %v1; ret; }
.func (.param .b32 r) ticket(.param .b64 a) { .reg .b32 %x, %y; .reg .b64 %z; ld.param.b64 %z, [a];
atom.global.add.u32 %x, [%z], 1; mov.u32 %y, 3;
{ .param .b32 pn; .param .b32 pr; st.param.b32 [pn], %y; call (pr), spin, (pn); ld.param.b32 %y, [pr]; }
{ .param .b64 pa; .param .b32 pr; st.param.b64 [pa], %z; call (pr), dead, (pa); ld.param.b32 %y, [pr]; }
{ .param .b32 pn; .param .b32 pr; st.param.b32 [pn], %y; call (pr), spin, (pn); ld.param.b32 %y, [pr]; }
sub.u32 %y, %y, 652; add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; })",
              .grid = {2, 1, 1},
              .block = {64, 1, 1},
              .words = 256},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               EXPECT_EQ(words[0], 128u);
               EXPECT_EQ(words[16], 128u);
               for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[32 + i], i);
             });
}

TEST(Windowed, DivergentLoopsAndBarriersMeet) {
  in_windows(R"(
.shared .align 4 .b8 s[256]; mov.u32 %r1, 0; mov.u32 %r2, 0;
LOOP: add.u32 %r2, %r2, %tid; add.u32 %r1, %r1, 1; and.b32 %r3, %tid, 7; setp.le.u32 %p1, %r1, %r3; @%p1 bra LOOP;
mov.u32 %r4, s; mad.lo.u32 %r5, %tid, 4, %r4; st.shared.u32 [%r5], %r2; bar.sync 0;
xor.b32 %r6, %tid, 33; mad.lo.u32 %r5, %r6, 4, %r4; ld.shared.u32 %r7, [%r5];
and.b32 %r8, %tid, 3; setp.eq.u32 %p2, %r8, 0; bar.red.popc.u32 %r9, 0, %p2; atom.shared.add.u32 %r10, [%r4], 1000;
bar.sync 0; ld.shared.u32 %r11, [%r4]; div.u32 %r11, %r11, 1000; add.u32 %r9, %r9, %r11; mad.lo.u32 %r7, %r9, 10000, %r7;
st.global.u32 [%mine], %r7;)",
             {.grid = {3, 1, 1}, .block = {64, 1, 1}},
             [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               const auto turns = [](std::uint32_t t) { return t * ((t & 7) + 1); };
               EXPECT_EQ(words,
                         expected(192, [&](auto i) { return (16 + 64) * 10000 + turns((i % 64) ^ 33); }));
             });
}

// bar.arrive does not block, but may open a barrier at which others wait.
TEST(Windowed, AnArrivalOpensABarrier) {
  in_windows(R"(
.shared .align 4 .b8 s[4]; mov.u32 %r1, s; setp.lt.u32 %p1, %tid, 32; @%p1 bra CONSUMER;
mov.u32 %r2, 77; st.shared.u32 [%r1], %r2; bar.arrive 1, 64; st.global.u32 [%mine], %r2; ret;
CONSUMER: bar.sync 1, 64; ld.shared.u32 %r3, [%r1]; st.global.u32 [%mine], %r3;)",
             {.block = {64, 1, 1}}, [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
               EXPECT_EQ(words, expected(64, [](auto) { return 77; }));
             });
}

TEST(Windowed, EachSmHasItsNumberAndItsOwnHeap) {
  const char* body = R"(
mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mad.lo.u32 %r1, %r2, 100, %r1;
{ .param .b64 pr; .param .b64 pn; st.param.b64 [pn], 64; call (pr), malloc, (pn); ld.param.b64 %rd1, [pr]; }
st.u32 [%rd1], %r1; ld.u32 %r3, [%rd1]; st.global.u32 [%mine], %r3; mad.wide.u32 %rd2, %gid, 8, %out;
st.global.u64 [%rd2+1024], %rd1;
{ .param .b64 pp; st.param.b64 [pp], %rd1; call free, (pp); })";
  in_windows(
      body,
      {.globals =
           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n",
       .grid = {4, 1, 1},
       .block = {32, 1, 1},
       .words = 1024},
      [](const std::vector<std::uint32_t>& words, const WindowedDevice&) {
        for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(words[i], 200 + i / 32 % 2);
        EXPECT_NE(words[256], words[256 + 64]) << "SM 0 and SM 1";
      });
}

TEST(Windowed, FaultsAreRaisedAtIssue) {
  WindowedDevice device;
  device.load_module(kernel_text("red.global.add.u32 [%out+128], 1;"), "fault.ptx");
  const auto out = device.allocate(128, "out");
  try {
    device.launch({"k", {1, 1, 1}, {32, 1, 1}, 0, args(out)});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("out-of-bounds atomic access"));
  }
}

// Nothing is shared between SMs and slices while a window runs: threads change nothing.
TEST(Windowed, ThreadsGiveTheSameResult) {
  const std::string text = kernel_text(R"(
mov.u32 %r1, 0;
L: mul.lo.u32 %r2, %gid, 2654435761; add.u32 %r2, %r2, %r1; shr.u32 %r3, %r2, 27; mad.wide.u32 %rd1, %r3, 4, %out;
atom.global.add.u32 %r4, [%rd1], 1; ld.global.u32 %r5, [%mine+1024]; add.u32 %r5, %r5, %r4; st.global.u32 [%mine+1024], %r5;
red.global.max.u32 [%mine+256], %r4; add.u32 %r1, %r1, 77777777; setp.lt.u32 %p1, %r1, 400000000; @%p1 bra L;)");
  std::set<std::vector<std::uint32_t>> results;
  std::set<std::uint64_t> retries;
  for (const bool threads : {false, true}) {
    WindowedDevice device({.sms = 3, .issues = 20, .threads = threads});
    device.load_module(text, "threads.ptx");
    const auto out = device.allocate(8192, "out");
    device.launch({"k", {6, 1, 1}, {32, 1, 1}, 0, args(out)});
    results.insert(device.download<std::uint32_t>(out, 2048));
    retries.insert(device.retries());
  }
  EXPECT_EQ(results.size(), 1u);
  EXPECT_EQ(retries.size(), 1u);
}

struct Sink final : OutputSink {
  void write(const std::string& t) override { text += t; }
  std::string text;
};

// Within a thread, output has the program's order; equal runs print equal text.
TEST(Windowed, OutputKeepsTheOrderOfEachThread) {
  const std::string text = kernel_text(
      R"(.local .align 8 .b8 buffer[16]; mov.u32 %r1, 0;
L: cvta.local.u64 %rd1, buffer; st.local.u32 [buffer], %cta; st.local.u32 [buffer+4], %r1; mov.u64 %rd2, format;
{ .param .b64 pf; .param .b64 pb; .param .b32 pr; st.param.b64 [pf], %rd2; st.param.b64 [pb], %rd1;
call (pr), vprintf, (pf, pb); }
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;)",
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 b);\n"
      ".global .align 1 .b8 format[7] = {37, 117, 37, 117, 59, 0, 0};\n");  // "%u%u;"
  std::set<std::string> texts;
  for (int run = 0; run < 2; ++run) {
    Sink sink;
    WindowedDevice device({.output = &sink});
    device.load_module(text, "print.ptx");
    device.launch({"k", {3, 1, 1}, {1, 1, 1}, 0, args(device.allocate(64, "out"))});
    for (const char* cta : {"0", "1", "2"}) {
      std::size_t at = 0;
      for (const char* turn : {"0;", "1;", "2;"}) {
        at = sink.text.find(std::string(cta) + turn, at);
        ASSERT_NE(at, std::string::npos) << sink.text;
      }
    }
    EXPECT_EQ(sink.text.size(), 27u);
    texts.insert(sink.text);
  }
  EXPECT_EQ(texts.size(), 1u);
}

}  // namespace
}  // namespace heddle::exec
