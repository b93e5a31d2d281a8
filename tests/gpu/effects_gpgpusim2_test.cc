// What cores of GPGPU-Sim 2 have and later ones do not, shown on the whole machine: one instruction under way
// per warp, half-warps, stores without acknowledgements, a cache for textures alone.
#include "base/error.h"
#include "bench.h"
#include "everything.h"
#include "formulas.h"
#include "slot_cases.h"

namespace heddle::gpu {
namespace {

using testing::HasSubstr;

constexpr std::string_view kLaneAddress = "mul.wide.u32 %rd1, %lane, 4;\nadd.u64 %rd1, %a, %rd1;\n";

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

LaunchResult run(const Settings& settings, const std::string& body, const Shape& shape = {}) {
  Bench b(lab(settings));
  b.load(body);
  return b.run(shape, b.words(1 << 18));
}
sim::Cycle cycles(const Settings& settings, const std::string& body, const Shape& shape = {}) {
  return run(settings, body, shape).cycles;
}

// ---- one instruction per warp ---------------------------------------------------------------------------

// Independent additions of one warp: latency instead of 1 for each.
TEST(CoreEffects, WarpOverlap) {
  const auto at = [](const char* overlap, std::uint32_t n) {
    return cycles({std::string("sm.warp_overlap=") + overlap}, times(n, "add.u32 %r#, %lane, 1;") + use(n));
  };
  // use() adds what it reads to one register: dependent in both cases.
  EXPECT_EQ((at("false", 30) - at("false", 10)) - (at("true", 30) - at("true", 10)), 20 * (4 - 1u));
}

// Two independent loads take one after the other's way.
TEST(CoreEffects, LoadsOfAWarpDoNotOverlap) {
  const std::string one = "ld.global.u32 %r1, [%a];\n", two = one + "ld.global.u32 %r2, [%a+4096];\n";
  const Settings off = {"sm.warp_overlap=false"};
  const auto slower = [&](const Settings& s, const std::string& body) {
    const Settings slow = {"l2.latency=" + std::to_string(lab().l2().latency + 300)};
    return cycles(with(s, slow), body + use(3)) - cycles(s, body + use(3));
  };
  EXPECT_EQ(slower({}, two), 300u);
  EXPECT_EQ(slower(off, two), 600u);
  EXPECT_EQ(slower(off, one), 300u);
}

// A store of n lines holds its warp, and with one pipeline everybody, for its n cycles; not for its way.
TEST(CoreEffects, StoresOfAWarpLeaveOneAfterTheOther) {
  const std::string lines = "mul.wide.u32 %rd1, %lane, 128;\nadd.u64 %rd1, %a, %rd1;\n";
  const Settings off = {"sm.warp_overlap=false", "gpu.store_replies=false", "l1.miss_queue=64",
                        "cluster.request_buffer=64", "l2.write_miss=validate"};
  const std::string store = "st.global.u32 [%rd1], %lane;\n";
  const auto clocks = [&](const std::string& body) {
    Bench b(lab(off));
    b.load(lines + "mov.u32 %r9, %clock;\n" + body +
           "mov.u32 %r8, %clock;\nsub.u32 %r8, %r8, %r9;\nst.global.u32 [%b], %r8;\n");
    const auto a = b.words(1 << 16), to = b.words(1);
    b.run({}, a, to);
    return b.read(to, 1)[0];
  };
  EXPECT_EQ(clocks(store) - clocks(""), 32u + 1);
  EXPECT_EQ(clocks(store + store) - clocks(store), 32u + 1);
}

// ---- stores without acknowledgements --------------------------------------------------------------------

// The reply network carries no packet for a store; the request network carries the same.
TEST(CoreEffects, StoresWithoutReplies) {
  for (const char* l1 : {"l1.enabled=true", "l1.enabled=false"})
    for (const char* l2 : {"l2.enabled=true", "l2.enabled=false"}) {
      const Settings base = {l1, l2}, off = with(base, {"gpu.store_replies=false"});
      const std::string body = std::string(kLaneAddress) + times(12, "st.global.u32 [%rd1+#*128], %lane;") +
                               times(5, "ld.global.u32 %r#, [%rd1+#*128+65536];") + use(5);
      const LaunchResult with_replies = run(base, body), without = run(off, body);
      EXPECT_EQ(with_replies.stats.request_network().injected, 17u);
      EXPECT_EQ(without.stats.request_network().injected, 17u);
      EXPECT_EQ(with_replies.stats.reply_network().injected, 17u);
      EXPECT_EQ(without.stats.reply_network().injected, 5u);
      EXPECT_EQ(without.stats.partition().posted, 12u);
      EXPECT_EQ(with_replies.stats.partition().posted, 0u);
      EXPECT_EQ(without.stats.dram().write_bytes, with_replies.stats.dram().write_bytes);
    }
}

// A kernel ends when L2 has its last store, not when an acknowledgement has come back.
TEST(CoreEffects, AKernelEndsWhenItsStoresAreOver) {
  const std::string body = std::string(kLaneAddress) + "st.global.u32 [%rd1], %lane;\n";
  const Settings base = {"l2.write_miss=validate"};
  const GpuSpec s = lab(base);
  const LatencySpec& l = s.latency;
  const sim::Cycle back =
      s.l2().latency + l.partition_to_network + 2 + l.network_to_cluster + 1 + l.cluster_to_sm;
  EXPECT_EQ(cycles(base, body) - cycles(with(base, {"gpu.store_replies=false"}), body), back);
}

// Without an L2: when DRAM has written it.
TEST(CoreEffects, AKernelEndsWhenDramHasItsStores) {
  const std::string body = std::string(kLaneAddress) + "st.global.u32 [%rd1], %lane;\n";
  const Settings off = {"gpu.store_replies=false", "l2.enabled=false"};
  EXPECT_EQ(cycles(with(off, {"dram.tWL=90"}), body) - cycles(with(off, {"dram.tWL=10"}), body), 80u);
  EXPECT_EQ(cycles(with(off, {"dram.tWL=90", "gpu.store_replies=true"}), body) -
                cycles(with(off, {"dram.tWL=10", "gpu.store_replies=true"}), body),
            0u)
      << "an acknowledgement says that the store is on its way";
}

// A fence waits until the stores before it have left.
TEST(CoreEffects, FencesWithoutReplies) {
  const std::string body = std::string(kLaneAddress) + times(6, "st.global.u32 [%rd1], %lane;\nmembar.gl;");
  const Settings slow = {"l2.latency=" + std::to_string(lab().l2().latency + 200)};
  const Settings off = {"gpu.store_replies=false"};
  EXPECT_EQ(cycles(slow, body) - cycles({}, body), 6 * 200u);
  EXPECT_EQ(cycles(with(off, slow), body) - cycles(off, body), 0u);
}

// Reads under way are limited, stores without answers are not.
TEST(CoreEffects, StoresWithoutRepliesTakeNoPlace) {
  const std::string stores = std::string(kLaneAddress) + times(20, "st.global.u32 [%rd1+#*128], %lane;");
  const std::string loads =
      std::string(kLaneAddress) + times(20, "ld.global.u32 %r#, [%rd1+#*128];") + use(20);
  const Settings one = {"l1.enabled=false", "l1.passing=1"}, off = with(one, {"gpu.store_replies=false"});
  EXPECT_GT(run(one, stores).stats.l1().passing_full, 0u);
  EXPECT_EQ(run(off, stores).stats.l1().passing_full, 0u);
  EXPECT_GT(run(off, loads).stats.l1().passing_full, 0u);
}

// Whatever merges requests at the clusters' ports.
TEST(CoreEffects, EveryMergerWithoutStoreReplies) {
  for (const SlotCase& c : every_implementation()) {
    if (!c.settings.front().starts_with("cluster.merger=")) continue;
    SCOPED_TRACE(c.settings.front());
    const Settings settings =
        with({"gpu.clusters=2", "gpu.sms_per_cluster=2", "gpu.store_replies=false"}, c.settings);
    EXPECT_EQ(run_everything(lab(settings), 2), run_everything(lab(settings)));
  }
}

TEST(CoreEffects, WhatNeedsRepliesIsRefused) {
  const auto refusal = [](const Settings& settings) -> std::string {
    try {
      lab(settings);
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  };
  EXPECT_THAT(refusal({"gpu.store_replies=false", "l1.organization=decoupled"}),
              testing::AllOf(HasSubstr("gpu.store_replies"), HasSubstr("l1.organization = private")));
  EXPECT_THAT(refusal({"sm.warp_overlap=false", "sm.load_front=warppool"}),
              testing::AllOf(HasSubstr("sm.warp_overlap"), HasSubstr("in_order")));
  EXPECT_THAT(refusal({"sm.lsu_stalls_issue=true", "sm.load_front=mrpb"}), HasSubstr("sm.lsu_stalls_issue"));
  EXPECT_THAT(refusal({"sm.texture_cache.bytes=100B"}), HasSubstr("no whole sets"));
  EXPECT_THAT(refusal({"sm.texture_cache.bytes=8KiB", "sm.texture_cache.line=256B"}),
              HasSubstr("sm.texture_cache.line"));
}

// ---- coalescing -----------------------------------------------------------------------------------------

TEST(CoreEffects, HalfWarps) {
  const std::string body = std::string(kLaneAddress) + times(7, "ld.global.u32 %r#, [%rd1+#*128];") + use(7);
  const Settings off = {"l1.enabled=false", "sm.segments=by_size"};
  const LaunchResult whole = run(off, body), half = run(with(off, {"sm.coalesced_lanes=16"}), body);
  EXPECT_EQ(whole.stats.cluster().injected_reads, 7u);
  EXPECT_EQ(half.stats.cluster().injected_reads, 14u);
  EXPECT_EQ(whole.stats.sm().global_load.sectors, half.stats.sm().global_load.sectors);
}

// ---- packets --------------------------------------------------------------------------------------------

// With flits of 32 bytes, a header of 16 for requests and none for replies: a read is 1 flit and its data are
// 1, 2 or 4; a write is its data and 8 + 8 bytes: 2, 3 or 5.
TEST(CoreEffects, PacketsOfGpgpusim2) {
  const Settings off = {"l1.enabled=false",     "l2.enabled=false",        "sm.segments=by_size",
                        "noc.request.flit=32B", "noc.reply.flit=32B",      "noc.request.header=16B",
                        "noc.reply.header=0B",  "gpu.store_replies=false", "sm.coalesced_lanes=16"};
  const auto flits = [&](const std::string& op, std::uint32_t stride) {
    const std::string body = "mul.wide.u32 %rd1, %lane, " + std::to_string(stride) +
                             ";\nadd.u64 %rd1, %a, %rd1;\n" + op + "\nadd.u32 %r2, %r1, 1;\n";
    const LaunchResult r = run(off, body, {.threads = 16});
    return std::pair(r.stats.request_network().flits, r.stats.reply_network().flits);
  };
  using Flits = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(flits("ld.global.u16 %r1, [%rd1];", 2), (Flits{1, 1}));
  EXPECT_EQ(flits("ld.global.u32 %r1, [%rd1];", 4), (Flits{1, 2}));
  EXPECT_EQ(flits("ld.global.u32 %r1, [%rd1];", 8), (Flits{1, 4}));
  EXPECT_EQ(flits("st.global.u16 [%rd1], %r1;", 2), (Flits{2, 0}));
  EXPECT_EQ(flits("st.global.u32 [%rd1], %r1;", 4), (Flits{3, 0}));
  EXPECT_EQ(flits("st.global.u32 [%rd1], %r1;", 8), (Flits{5, 0}));
}

// ---- textures and local memory --------------------------------------------------------------------------

// 32 lanes fetch 16 floats each of a texture, all SM's warps the same: with the cache every block of 64 bytes
// crosses the network once.
TEST(CoreEffects, TextureCache) {
  const auto at = [](const Settings& settings) {
    Bench b(lab(with(settings, {"l1.enabled=false"})));
    b.load(loop("16",
                "mad.lo.u32 %r1, %r63, 32, %lane;\ntex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%b, {%r1}];\n"
                "add.f32 %f5, %f5, %f1;") +
           "mul.wide.u32 %rd1, %gid, 4;\nadd.u64 %rd1, %a, %rd1;\nst.global.f32 [%rd1], %f5;\n");
    const auto a = b.words(256), texels = b.words(2048);
    const std::uint64_t handle = b.device().float_texture(texels, 2048);
    return b.run({.threads = 256}, a, workload::DevicePtr{handle});
  };
  const LaunchResult none = at({}), cached = at({"sm.texture_cache.bytes=8KiB"});
  EXPECT_EQ(none.stats.cluster().injected_reads, 8 * 16u) << "a line for each fetch of each warp";
  EXPECT_EQ(cached.stats.cluster().injected_reads, 16 * 2u) << "two blocks for each line";
  const auto& t = cached.stats.groups.get<sm::TextureCacheStats>("texture_cache");
  EXPECT_EQ(t.reads, 8 * 16 * 2u);
  EXPECT_EQ(t.misses, 32u);
  EXPECT_EQ(t.hits + t.merged, 8 * 16 * 2u - 32);
}

TEST(CoreEffects, TexelsTakeLonger) {
  const auto at = [](const char* latency) {
    Bench b(lab({std::string("sm.texture_latency=") + latency}));
    b.load("mov.u32 %r1, 0;\n" + times(10,
                                       "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%b, {%r1}];\n"
                                       "mov.b32 %r1, %f1; and.b32 %r1, %r1, 0;"));
    const auto a = b.words(1), texels = b.words(2048);
    const std::uint64_t handle = b.device().float_texture(texels, 2048);
    return b.run({.threads = 32}, a, workload::DevicePtr{handle}).cycles;
  };
  EXPECT_EQ(at("60") - at("0"), 10 * 60u);
}

// What nobody reads of a texel shares a register with the same of others: it makes no fetch wait.
TEST(CoreEffects, TexelsAreFetchedTogether) {
  const auto at = [](const char* latency) {
    Bench b(lab({std::string("sm.texture_latency=") + latency}));
    b.load(
        "mov.u32 %r1, 0;\ntex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%b, {%r1}];\n"
        "tex.1d.v4.f32.s32 {%f5,%f6,%f7,%f8}, [%b, {%r1}];\nadd.f32 %f1, %f1, %f5;\nst.global.f32 [%a], "
        "%f1;");
    const auto a = b.words(1), texels = b.words(2048);
    const std::uint64_t handle = b.device().float_texture(texels, 2048);
    return b.run({.threads = 32}, a, workload::DevicePtr{handle}).cycles;
  };
  EXPECT_EQ(at("60") - at("0"), 60u);
}

// CTAs on four SMs write one local word: in four rows of DRAM, or in one.
TEST(CoreEffects, LocalMemoryOverSms) {
  const std::string body = ".local .align 4 .b8 stack[64];\nst.local.u32 [stack+8], %gid;\n";
  const auto rows = [&](const char* layout) {
    const LaunchResult r = run(
        {"gpu.clusters=4", "l1.enabled=false", "l2.enabled=false", std::string("sm.local_layout=") + layout},
        body, {.ctas = 4});
    EXPECT_EQ(r.stats.sm().local_store.lines, 4u);
    return r.stats.dram().activations;
  };
  EXPECT_EQ(rows("per_warp"), 4u);
  EXPECT_EQ(rows("interleaved"), 1u);
}

// ---- who could issue ------------------------------------------------------------------------------------

TEST(CoreEffects, AvailableWarpsAreMeasuredOnDemand) {
  const std::string body = times(50, "add.u32 %r1, %r1, 1;");
  const LaunchResult off = run({}, body, {.threads = 64});
  const LaunchResult on = run({"measure.available=true", "sm.warp_overlap=false"}, body, {.threads = 64});
  EXPECT_EQ(off.stats.available().cycles, 0u);
  EXPECT_EQ(on.stats.available().cycles, on.stats.sm().active_cycles);
  EXPECT_GE(on.stats.available().warps, on.stats.sm().instructions);
  EXPECT_LE(on.stats.available().warps, 2 * on.stats.sm().instructions);
}

}  // namespace
}  // namespace heddle::gpu
