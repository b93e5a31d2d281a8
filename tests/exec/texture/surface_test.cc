// Surface objects: bytes of an array, read, written and added to.
#include "texture_bench.h"

#include "exec/warp/kernel_fault.h"

namespace heddle::exec {
namespace {

using Words = std::vector<std::uint32_t>;

Texture surface(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  Texture t = float_texture(width, height, depth);
  t.surface = true;
  return t;
}

// A word for every texel: its number.
Words numbers(const Texture& t) {
  Words w(t.slice / 4 * t.depth);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::uint32_t>(i);
  return w;
}

// Runs one read or write per thread; returns the threads' words, and what the surface holds then.
struct Ran {
  Words out, surface;
};
Ran run(const Texture& shape, const std::string& access, const Words& in) {
  TextureBench b("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%mine];\n" + access +
                 "\nst.global.v4.u32 [%mine], {%r1,%r2,%r3,%r4};");
  Texture t = shape;
  const Words texels = numbers(t);
  t.address = b.upload(texels);
  b.create(t);
  Ran r;
  r.out = b.run(in);
  r.surface = b.download<std::uint32_t>(t.address, texels.size());
  return r;
}

TEST(Surface, LoadsOfEveryGeometry) {
  const Texture t = surface(8, 4, 3);  // rows of 8 words, slices of 32
  EXPECT_EQ(run(t, "suld.b.1d.b32.trap {%r1}, [%rd1, {%r1}];", {12, 0, 0, 0}).out[0], 3u);
  EXPECT_EQ(run(t, "suld.b.2d.b32.trap {%r1}, [%rd1, {%r1,%r2}];", {12, 2, 0, 0}).out[0], 19u);
  EXPECT_EQ(run(t, "suld.b.3d.b32.trap {%r1}, [%rd1, {%r1,%r2,%r3,%r3}];", {12, 2, 1, 0}).out[0], 51u);
  EXPECT_EQ(run(t, "suld.b.a2d.b32.trap {%r1}, [%rd1, {%r3,%r1,%r2,%r2}];", {12, 2, 2, 0}).out[0], 83u);
  const Texture rows = surface(8, 1, 3);
  EXPECT_EQ(run(rows, "suld.b.a1d.b32.trap {%r1}, [%rd1, {%r3,%r1}];", {12, 0, 2, 0}).out[0], 19u);
}

TEST(Surface, LoadsOfEverySize) {
  const Texture t = surface(8, 4, 1);
  EXPECT_EQ(run(t, "suld.b.2d.v4.b32.trap {%r1,%r2,%r3,%r4}, [%rd1, {%r1,%r2}];", {16, 1, 0, 0}).out,
            (Words{12, 13, 14, 15}));
  EXPECT_EQ(run(t, "suld.b.2d.v2.b64.cg.clamp {%rd3,%rd4}, [%rd1, {%r1,%r2}]; mov.b64 {%r1,%r2}, %rd4;",
                {0, 1, 0, 0})
                .out[0],
            10u);
  EXPECT_EQ(run(t, "suld.b.2d.v2.b16.trap {%h1,%h2}, [%rd1, {%r1,%r2}]; cvt.u32.u16 %r1, %h1;", {4, 1, 0, 0})
                .out[0],
            9u);
  EXPECT_EQ(run(t, "suld.b.2d.b8.trap {%h1}, [%rd1, {%r1,%r2}]; cvt.u32.u16 %r1, %h1;", {29, 3, 0, 0}).out[0],
            0u);
  EXPECT_EQ(run(t, "suld.b.2d.b8.trap {%h1}, [%rd1, {%r1,%r2}]; cvt.u32.u16 %r1, %h1;", {28, 3, 0, 0}).out[0],
            31u);
}

TEST(Surface, StoresGoWhereLoadsCameFrom) {
  const Texture t = surface(8, 4, 3);
  Words want = numbers(t);
  want[32 + 8 + 4] = 7, want[32 + 8 + 5] = 9;
  const Ran r = run(t, "sust.b.3d.v2.b32.trap [%rd1, {%r1,%r2,1,1}], {%r3,%r4};", {16, 1, 7, 9});
  EXPECT_EQ(r.surface, want);
  want = numbers(t);
  want[0] = 0x00aa0000u;
  EXPECT_EQ(run(t, "cvt.u16.u32 %h1, %r3; sust.b.1d.b8.trap [%rd1, {%r1}], {%h1};", {2, 0, 0xaa, 0}).surface,
            want);
  want[0] = 0;
  want[64 + 31] = 5;
  EXPECT_EQ(run(t, "sust.b.a2d.v4.b32.trap [%rd1, {2,%r1,%r2,%r2}], {%r3,%r3,%r3,%r4};", {16, 3, 93, 5})
                .surface[95],
            5u);
}

TEST(Surface, WhatLiesOutside) {
  const Texture t = surface(8, 4, 1);
  // Clamped to the edge; or zero, and not written.
  EXPECT_EQ(run(t, "suld.b.2d.b32.clamp {%r1}, [%rd1, {%r1,%r2}];", {400, ~0u, 0, 0}).out[0], 7u);
  EXPECT_EQ(run(t, "suld.b.2d.b32.zero {%r1}, [%rd1, {%r1,%r2}];", {32, 0, 0, 0}).out[0], 0u);
  EXPECT_EQ(run(t, "sust.b.2d.b32.zero [%rd1, {%r1,%r2}], {%r3};", {0, 4, 99, 0}).surface, numbers(t));
  EXPECT_EQ(run(t, "sust.b.2d.b32.clamp [%rd1, {%r1,%r2}], {%r3};", {0, 4, 99, 0}).surface[24], 99u);
  try {
    run(t, "suld.b.2d.b32.trap {%r1}, [%rd1, {%r1,%r2}];", {0, 4, 0, 0});
    FAIL() << "outside, but not stopped";
  } catch (const KernelFault& e) {
    EXPECT_EQ(e.kind(), FaultKind::Other);
    EXPECT_NE(e.message().find("row 4"), std::string::npos) << e.message();
  }
  EXPECT_THROW(run(t, "sust.b.2d.b32.trap [%rd1, {%r1,%r2}], {%r3};", {2, 0, 0, 0}), KernelFault)
      << "misaligned";
}

// A thread reads what it wrote, also before other SMs can see it.
TEST(Surface, ReadAfterWrite) {
  const Texture t = surface(64, 1, 1);
  Words in;
  for (std::uint32_t i = 0; i < 64; ++i) in.insert(in.end(), {4 * i, 0, 1000 + i, 0});
  const Ran r = run(t,
                    "sust.b.1d.b32.trap [%rd1, {%r1}], {%r3}; suld.b.1d.b32.trap {%r2}, [%rd1, {%r1}];\n"
                    "add.u32 %r2, %r2, 1; sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};",
                    in);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(r.out[4 * i + 1], 1001 + i);
    EXPECT_EQ(r.surface[i], 1001 + i);
  }
}

// A row that comes from an atomic, in an instruction with more operands than the scoreboard sees.
TEST(Surface, WaitsForTheResultsOfAtomics) {
  const Texture t = surface(256, 2, 2);
  Words in;
  for (std::uint32_t i = 0; i < 64; ++i) in.insert(in.end(), {i, i, i & 1, i});
  const Ran r = run(t,
                    "shl.b32 %r7, %tid, 4; mov.u32 %r5, 5; mov.u32 %r6, 6; mov.u32 %r8, 8;\n"
                    "atom.global.exch.b32 %r9, [%mine+8], 0;\n"
                    "@!%p1 sust.b.3d.v4.b32.trap [%rd1, {%r7,%r9,1,1}], {%r5,%r6,%r8,%r1};",
                    in);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(r.surface[512 + 256 * (i & 1) + 4 * i + 3], i);
}

TEST(Surface, Reductions) {
  const Texture t = surface(8, 2, 1);
  Words in;
  for (std::uint32_t i = 0; i < 64; ++i) in.insert(in.end(), {4 * (i % 8), 1, i, 0});
  Words want = numbers(t);
  for (std::uint32_t i = 0; i < 64; ++i) want[8 + i % 8] += i;
  EXPECT_EQ(run(t, "sured.b.add.2d.u32.trap [%rd1, {%r1,%r2}], %r3;", in).surface, want);
  for (std::uint32_t i = 0; i < 8; ++i) want[8 + i] = 56 + i;
  EXPECT_EQ(run(t, "sured.b.max.2d.s32.clamp [%rd1, {%r1,9}], %r3;", in).surface, want);
}

TEST(Surface, HandlesOfTexturesAreRefused) {
  Texture t = surface(8, 4, 1);
  t.surface = false;
  EXPECT_THROW(run(t, "suld.b.1d.b32.trap {%r1}, [%rd1, {%r1}];", {0, 0, 0, 0}), Error);
  t.surface = true;
  EXPECT_THROW(run(t, "tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {%r1}];", {0, 0, 0, 0}), Error);
}

// Loads through the texture path, stores as global ones.
TEST(Surface, Traffic) {
  TextureBench b(
      "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%mine];\n"
      "suld.b.1d.b32.trap {%r2}, [%rd1, {%r1}]; sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};");
  Texture t = surface(64, 1, 1);
  t.address = b.upload(numbers(t));
  b.create(t);
  Words in;
  for (std::uint32_t i = 0; i < 64; ++i) in.insert(in.end(), {4 * i, 0, 0, 0});
  b.run(in);
  EXPECT_EQ(b.windowed().accesses(workload::WarpAccess::Space::Texture), 2u);
  EXPECT_EQ(b.windowed().accesses(workload::WarpAccess::Space::Global), 4u) << "two loads, two stores";
}

}  // namespace
}  // namespace heddle::exec
