// What limits an L1 beside its sizes, how lanes become requests and when a load's result is there, shown on
// the whole machine: each parameter changes the cycles by what the description predicts. docs/effects.md
// lists all effects and their tests.
#include <fmt/format.h>

#include "bench.h"
#include "formulas.h"

namespace heddle::gpu {
namespace {

Settings warm(Settings settings) {
  settings.emplace_back("gpu.l2_at_start=host_copies");
  return settings;
}

// From an L1's miss to the reply's arrival there.
sim::Cycle miss_to_reply(const GpuSpec& s) {
  return static_cast<sim::Cycle>(l2_hit(s)) - 1 - s.sm.load_pipeline;
}

// Cycles of `threads` threads that execute `body` with 64 KiB of zeros at %a, which L2 has.
sim::Cycle warm_cycles(const Settings& settings, std::string_view body, std::uint32_t threads = 1) {
  Bench b(lab(warm(settings)));
  b.load(body);
  const auto a = b.words(std::vector<std::uint32_t>(1 << 14));
  return b.run({.threads = threads}, a).cycles;
}

// Cycles from before `body` to the issue of what depends on a load from shared memory behind it: the
// load/store unit is in order, so that load goes when the last request of `body` has been accepted.
std::uint32_t until_accepted(const Settings& settings, const std::string& body, std::uint32_t threads = 32) {
  Bench b(lab(warm(settings)));
  b.load(
      "mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\nmov.u64 %rd2, buffer;\nmov.u32 %r61, "
      "%clock;\n" +
          body +
          "ld.shared.u32 %r60, [%rd2];\nadd.u32 %r60, %r60, 0;\nmov.u32 %r59, %clock;\nsub.u32 %r59, "
          "%r59, %r61;\nadd.u32 %r59, %r59, %r60;\nst.global.u32 [%b], %r59;\n" +
          use(8),
      ".shared .align 4 .b8 buffer[128];\n");
  const auto a = b.words(std::vector<std::uint32_t>(1 << 14)), out = b.words(1);
  b.run({.threads = threads}, a, out);
  return b.read(out, 1)[0];
}

// ---- answers in turns -----------------------------------------------------------------------------------

// Loads of one line, of which the last is waited for: it is answered so many turns after the first.
TEST(L1Effects, WaitersAreAnsweredInTurns) {
  constexpr std::uint32_t kReaders = 8;
  const std::string body =
      times(kReaders, "ld.global.u32 %r#, [%a];") + "add.u32 %r20, %r7, 1;\n" + use(kReaders);
  const auto at = [&](std::uint32_t per_cycle) {
    return warm_cycles({fmt::format("l1.replies_per_cycle={}", per_cycle)}, body);
  };
  for (const std::uint32_t per_cycle : {1u, 2u, 3u, 8u})
    EXPECT_EQ(at(per_cycle) - at(0), (kReaders - 1) / per_cycle) << per_cycle;
}

// The only MSHR is free for another line when the last of them has been answered.
TEST(L1Effects, AnMshrIsHeldUntilItsLastAnswer) {
  constexpr std::uint32_t kReaders = 6;
  const std::string body = times(kReaders, "ld.global.u32 %r#, [%a];") +
                           "ld.global.u32 %r6, [%a+128];\nadd.u32 %r20, %r6, 1;\n" + use(7);
  const auto at = [&](std::uint32_t per_cycle) {
    return warm_cycles({"l1.mshr_entries=1", fmt::format("l1.replies_per_cycle={}", per_cycle)}, body);
  };
  for (const std::uint32_t per_cycle : {1u, 2u, 4u})
    EXPECT_EQ(at(per_cycle) - at(0), (kReaders - 1) / per_cycle) << per_cycle;
}

// ---- refusals -------------------------------------------------------------------------------------------

// Misses before a request network that takes one in 16 cycles: with n places to be found free, n - 1 of the
// queue's are never used.
TEST(L1Effects, PlacesThatAReadMustFind) {
  const std::string body = times(2, "ld.global.u32 %r#, [%rd1+#*4096];");
  const auto at = [&](std::uint32_t queue, std::uint32_t places) {
    return until_accepted(
        {"noc.request.clock=62500kHz", "l1.mshr_entries=512", "l1.sets=512", "cluster.request_buffer=2",
         "cluster.injection_buffer=2", "noc.request.input_buffer=2", fmt::format("l1.miss_queue={}", queue),
         fmt::format("l1.read_places={}", places)},
        body);
  };
  const std::uint32_t all = at(8, 0);
  EXPECT_EQ(at(8, 1), all);
  for (const std::uint32_t places : {2u, 3u, 6u}) {
    EXPECT_EQ(at(8, places) - all, 16 * (places - 1)) << places;
    EXPECT_EQ(at(8, places), at(9 - places, 0)) << places;
  }
}

// 32 lines, four of which could be accepted per cycle: hits are, and misses one or two per cycle. The load
// behind them goes in the cycle after four of them, or in that of the last one if there were fewer in it.
TEST(L1Effects, MissesPerCycle) {
  const std::string misses = "ld.global.u32 %r0, [%rd1];\n";
  const std::string hits = misses +
                           "and.b32 %r0, %r0, 0;\nadd.u32 %r1, %r0, 1;\ncvt.u64.u32 %rd3, %r0;\n"
                           "add.u64 %rd1, %rd1, %rd3;\nld.global.u32 %r2, [%rd1];\n";
  const auto at = [&](const std::string& body, std::uint32_t limit) {
    return until_accepted({"sm.lines_per_cycle=4", "l1.miss_queue=64", "l1.mshr_entries=64",
                           fmt::format("l1.misses_per_cycle={}", limit)},
                          body);
  };
  EXPECT_EQ(at(misses, 1) - at(misses, 0), 32 - 32 / 4 - 1);
  EXPECT_EQ(at(misses, 2) - at(misses, 0), 32 / 2 - 32 / 4 - 1);
  EXPECT_EQ(at(misses, 4), at(misses, 0));
  // Replies come one after another, a reply's flits apart: when the first request left does not matter to the
  // last, and the second load's 32 hits take 8 cycles either way.
  EXPECT_EQ(at(hits, 1), at(hits, 0));
}

// Stores of 32 words apart each hold the way out for two cycles, a sector and its mask. The last is accepted
// when all but the queue's have left, twice as late as it would have come, less the cycles in which the queue
// filled.
TEST(L1Effects, SectorSends) {
  constexpr std::uint32_t kQueue = 4;
  const auto at = [&](const std::string& body, const char* sector_sends) {
    return until_accepted({fmt::format("l1.miss_queue={}", kQueue), "sm.lines_per_cycle=1",
                           std::string("l1.sector_sends=") + sector_sends},
                          body);
  };
  const std::string apart = "st.global.u32 [%rd1], %r1;\n";
  EXPECT_EQ(at(apart, "true") - at(apart, "false"), 32 - 2 * kQueue);
  // One lane in each line: an atomic needs no mask.
  const std::string atomics = "red.global.add.u32 [%rd1], 1;\n";
  EXPECT_EQ(at(atomics, "true"), at(atomics, "false"));
}

// The second of two such stores adds a cycle less for each line that waits: for all that have left when the
// last is accepted.
TEST(L1Effects, StoresThatLeaveTogether) {
  const auto at = [&](std::uint32_t lines) {
    return until_accepted(
        {"l1.miss_queue=4", "l1.sector_sends=true", fmt::format("l1.store_lines={}", lines)},
        "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r1;\n");
  };
  EXPECT_EQ(at(0) - at(32), 32 - 4 - 1);
  EXPECT_EQ(at(31), at(0));
}

// The only way of the set waits for a load's data, and with it a store that takes no way.
TEST(L1Effects, StoresThatNeedAWay) {
  const std::string body = "ld.global.u32 %r0, [%a];\nst.global.u32 [%a+512], %r1;\n";
  const auto at = [&](const char* need) {
    return until_accepted({"l1.sets=4", "l1.ways=1", std::string("l1.stores_need_way=") + need}, body, 1);
  };
  EXPECT_EQ(at("true") - at("false"), miss_to_reply(lab()) - 1);
}

// ---- stores to lines under way --------------------------------------------------------------------------

// A store follows a load of its line at once; a second load waits for the first one. Data that are older than
// the store are fetched again, or not.
TEST(L1Effects, OvertakenFill) {
  const auto at = [](const char* fill) {
    return warm_cycles({std::string("l1.overtaken_fill=") + fill},
                       "ld.global.u32 %r0, [%a];\nst.global.u32 [%a+4], %r1;\nand.b32 %r0, %r0, 0;\n"
                       "cvt.u64.u32 %rd1, %r0;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r2, [%rd1];\n"
                       "add.u32 %r2, %r2, 1;\n");
  };
  const GpuSpec s = lab();
  EXPECT_EQ(at("dropped") - at("kept"), l2_hit(s) - l1_hit(s));
}

// ---- segments -------------------------------------------------------------------------------------------

// 32 lanes, 4 bytes apart, in a line that is there: bytes are four segments of 32 bytes, half-words two of
// 64, words one; each is a request and a cycle.
TEST(SmEffects, SegmentsBySize) {
  constexpr std::uint32_t kRepeats = 20;
  const auto run = [&](const char* segments, const char* type) {
    Bench b(lab(warm({std::string("sm.segments=") + segments})));
    b.load("mul.lo.u32 %r2, %lane, 4;\nmov.u32 %r1, 0;\n" +
           times(kRepeats,
                 "add.u32 %r3, %r1, %r2;\ncvt.u64.u32 %rd1, %r3;\nadd.u64 %rd1, %rd1, %a;\n"
                 "ld.global." +
                     std::string(type) + " %r1, [%rd1];") +
           "add.u32 %r1, %r1, 1;\n");
    const auto a = b.words(std::vector<std::uint32_t>(32));
    const LaunchResult& r = b.run({.threads = 32}, a);
    EXPECT_EQ(r.stats.sm().global_load.sectors, kRepeats * 4);
    return std::pair(r.cycles, r.stats.sm().global_load.lines);
  };
  for (const auto& [type, requests] : {std::pair("u8", 4u), {"u16", 2u}, {"u32", 1u}}) {
    const auto [line, lines] = run("line", type);
    const auto [by_size, segments] = run("by_size", type);
    EXPECT_EQ(lines, kRepeats) << type;
    EXPECT_EQ(segments, kRepeats * requests) << type;
    EXPECT_EQ(by_size - line, (kRepeats - 1) * (requests - 1)) << type << ": all but the first, a miss";
  }
}

// A store of the first and the last word of a line: of its touched sectors, or of the smallest quarter, half
// or whole of the segment that holds them.
TEST(SmEffects, SegmentsShrinkToTheirHalfOrQuarter) {
  const auto sectors = [](const char* segments, std::uint32_t second) {
    Bench b(lab(warm({std::string("sm.segments=") + segments})));
    b.load(fmt::format("mul.wide.u32 %rd1, %lane, {};\nadd.u64 %rd1, %rd1, %a;\nst.global.u32 [%rd1], %r1;\n",
                       second));
    return b.run({.threads = 2}, b.words(std::vector<std::uint32_t>(32))).stats.l1().global.written;
  };
  for (const auto& [second, touched, sent] :
       {std::tuple(4u, 1u, 1u), {32u, 2u, 2u}, {64u, 2u, 4u}, {96u, 2u, 4u}}) {
    EXPECT_EQ(sectors("line", second), touched) << second;
    EXPECT_EQ(sectors("by_size", second), sent) << second;
  }
}

// ---- when a result is there -----------------------------------------------------------------------------

// Loads have a pipeline of their own: alone it changes what follows a load by itself, and nothing else.
TEST(SmEffects, LoadPipeline) {
  constexpr std::uint32_t kRepeats = 20;
  const auto at = [](Settings settings, std::string_view what) {
    settings.emplace_back("sm.pipeline=6");
    return warm_cycles(settings, "mov.u64 %rd1, 0;\nmov.u32 %r1, 0;\n" + times(kRepeats, what) + use(2));
  };
  const std::string load =
      "add.u64 %rd2, %rd1, %a;\nld.global.u64 %rd1, [%rd2];";  // zeros, from the same line
  const std::string add = "add.u32 %r1, %r1, 1;";
  EXPECT_EQ(at({}, load) - at({"sm.load_pipeline=2"}, load), kRepeats * 4 - 4)
      << "nothing depends on the last one";
  EXPECT_EQ(at({}, load), at({"sm.load_pipeline=6"}, load)) << "it follows sm.pipeline";
  EXPECT_EQ(at({}, add), at({"sm.load_pipeline=2"}, add));
  const GpuSpec s = lab({"sm.pipeline=6", "sm.load_pipeline=2", "l1.latency=17"});
  EXPECT_EQ(l1_hit(s), 1 + 17 + 2);
}

// ---- parts ----------------------------------------------------------------------------------------------

// Four CTAs of an SM read the same 16 lines, one after the other by their numbers' turns.
TEST(L1Effects, PartsFetchTheirOwnLines) {
  constexpr std::uint32_t kLines = 16, kCtas = 4;
  const auto fetched = [&](const char* parts) {
    Bench b(lab(warm({"sm.ctas=4", std::string("l1.parts=") + parts, "l1.sets=64", "l1.index=linear"})));
    b.load("mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\nld.global.u32 %r0, [%rd1];\n" + use(1));
    const auto a = b.words(std::vector<std::uint32_t>(1 << 14));
    return b.run({.ctas = kCtas, .threads = kLines}, a).stats.l1().reads.forwarded;
  };
  EXPECT_EQ(fetched("1"), kLines);
  EXPECT_EQ(fetched("2"), 2 * kLines);
  EXPECT_EQ(fetched("4"), 4 * kLines);
}

// A part has its share of the sets: lines that fit the L1 of one CTA do not fit half of it.
TEST(L1Effects, PartsHaveTheirShareOfTheSets) {
  const auto fetched = [&](const char* parts) {
    Bench b(lab(warm({"l1.sets=16", "l1.ways=2", "l1.index=linear", "l1.replacement=lru",
                      std::string("l1.parts=") + parts})));
    b.load("mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %rd1, %a;\n" +
           loop("4", "ld.global.u32 %r0, [%rd1];\nadd.u32 %r1, %r0, 1;\n"));
    const auto a = b.words(std::vector<std::uint32_t>(1 << 14));
    return b.run({.ctas = 1, .threads = 32}, a).stats.l1().reads.forwarded;
  };
  EXPECT_EQ(fetched("1"), 32u);
  EXPECT_EQ(fetched("2"), 4 * 32u);
}

// What one CTA writes, a CTA with another part does not find as it was.
TEST(L1Effects, AStoreIsSeenInAllParts) {
  Bench b(lab(warm({"sm.ctas=2", "l1.parts=2", "l1.sets=64", "l1.write=evict"})));
  // CTA 1 reads, waits until CTA 0 has written, and reads again.
  b.load(R"(
ld.global.u32 %r0, [%a];
add.u32 %r1, %r0, 0;
setp.ne.u32 %p1, %cta, 0;
@%p1 bra OTHER;
)" + loop("200", "add.u32 %r2, %r2, %r1;\n") +
         R"(
st.global.u32 [%a], %r2;
bra DONE;
OTHER:
)" + loop("2000", "add.u32 %r3, %r3, %r1;\n") +
         R"(
ld.global.u32 %r4, [%a];
add.u32 %r5, %r4, %r3;
DONE:
)");
  const auto a = b.words(std::vector<std::uint32_t>(1 << 14));
  EXPECT_EQ(b.run({.ctas = 2, .threads = 1}, a).stats.l1().reads.forwarded, 3u);
}

// Contexts, which choose parts, are numbers of an SM.
TEST(L1Effects, PartsAreThoseOfPrivateL1sOnly) {
  for (const char* organization : {"decoupled", "single"}) {
    try {
      lab({"gpu.sms_per_cluster=2", "l1.parts=2", "l1.sets=64",
           std::string("l1.organization=") + organization});
      ADD_FAILURE() << organization;
    } catch (const Error& e) {
      EXPECT_THAT(std::string(e.what()), testing::HasSubstr("takes an L1 for one whole"));
    }
  }
}

// ---- prefetch instructions ------------------------------------------------------------------------------

// The line is there when the load comes; an address where nothing lies is no mistake.
TEST(L1Effects, APrefetchBringsItsLine) {
  const auto hits = [&](const std::string& first) {
    Bench b(lab(warm({})));
    b.load(first + loop("500", "add.u32 %r2, %r2, 1;\n") +
           "ld.global.u32 %r0, [%a];\nadd.u32 %r1, %r0, %r2;\n");
    const auto a = b.words(std::vector<std::uint32_t>(1 << 14));
    return b.run({.threads = 32}, a).stats.l1().reads.hits;
  };
  EXPECT_EQ(hits(""), 0u);
  EXPECT_EQ(hits("prefetch.global.L1 [%a];\n"), 1u);
  EXPECT_EQ(hits("prefetch.global.L1 [%a+128];\n"), 0u);
  EXPECT_EQ(hits("prefetch.global.L2 [%a];\n"), 0u);
  EXPECT_EQ(hits("mov.u64 %rd1, 16;\nprefetch.global.L1 [%rd1];\n"), 0u);
}

}  // namespace
}  // namespace heddle::gpu
