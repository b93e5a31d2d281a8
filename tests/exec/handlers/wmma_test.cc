// wmma in every type, shape and layout, matrices of 8x8, and the conversions that come with them.
#include <cstring>

#include "bench.h"
#include "matrix_values.h"

namespace heddle::exec {
namespace {

// ---- wmma -------------------------------------------------------------------------------------------------

// Bytes of a matrix in memory with `stride` elements from line to line.
std::vector<std::uint8_t> in_memory(const Matrix& m, const std::string& t, int bits, bool column_major,
                                    int stride) {
  const int lines = column_major ? m.columns : m.rows;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(lines * stride * bits / 8));
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.columns; ++c) {
      const auto at = static_cast<std::size_t>((column_major ? c * stride + r : r * stride + c) * bits);
      const std::uint64_t v = encode(t, m.at(r, c));
      if (bits >= 8)
        std::memcpy(&out[at / 8], &v, static_cast<std::size_t>(bits / 8));
      else
        out[at / 8] |= static_cast<std::uint8_t>(v << at % 8);
    }
  return out;
}

int put(Words& words, const std::vector<std::uint8_t>& bytes) {
  const std::size_t at = (words.size() + 7) / 8 * 8;
  words.resize(at + (bytes.size() + 31) / 32 * 8);
  std::memcpy(&words[at], bytes.data(), bytes.size());
  return static_cast<int>(at) * 4;
}

struct WmmaCase {
  Form form;
  std::string sum;
  bool a_column, b_column, c_column, d_column;
  std::string space;  // ".global", or empty: generic
  std::string extra = {};
};

int registers_of(int elements, const std::string& t, bool factor) {
  if (factor && t == "f16") return 8;
  const int bits = t == "f32" || t == "s32" ? 32 : element_bits(t);
  return elements / 32 * bits / (bits == 64 ? 64 : 32);
}

void check_wmma(const WmmaCase& w, std::mt19937& random) {
  const Form& f = w.form;
  const std::string t = f.type;
  SCOPED_TRACE(fmt::format("{} {} {} {}{}{}{}{}", shape(f), t, w.sum, w.a_column, w.b_column, w.c_column,
                           w.d_column, w.space));
  const Matrix a = random_integers(f.m, f.k, t, random), b = random_integers(f.k, f.n, t, random);
  const Matrix c = random_integers(f.m, f.n, "f16", random);
  const int bits = element_bits(t), sum_bits = w.sum == "f64" ? 64 : w.sum == "f16" ? 16 : 32;
  const int lda = t == "b1" ? 256 : 64, ldc = 48;
  Words all;
  const int at_a = put(all, in_memory(a, t, bits, w.a_column, lda));
  const int at_b = put(all, in_memory(b, t, bits, w.b_column, lda));
  const int at_c = put(all, in_memory(c, w.sum, sum_bits, w.c_column, ldc));
  const int at_d = put(all, in_memory(Matrix(f.m, f.n), w.sum, sum_bits, w.d_column, ldc));
  const int na = registers_of(f.m * f.k, t, true), nb = registers_of(f.k * f.n, t, true);
  const int nc = registers_of(f.m * f.n, w.sum, false);
  auto layout = [](bool column) { return column ? "col" : "row"; };
  const std::string types = t == "f16" ? w.sum + "." + w.sum : fmt::format("{0}.{1}.{1}.{0}", w.sum, t);
  std::string body =
      fmt::format(".reg .b{0} %ma<8>, %mb<8>, %mc<8>; .reg .b32 %lda, %ldc;\n", bits == 64 ? 64 : 32);
  body += fmt::format("mov.u32 %lda, {}; mov.u32 %ldc, {};\n", lda, ldc);
  auto load = [&](const char* part, const char* name, int n, int at, bool column, const std::string& type,
                  const char* stride) {
    body += fmt::format("wmma.load.{}.sync.aligned.{}.{}{}.{} {}, [%out+{}], %{};\n", part, layout(column),
                        shape(f), w.space, type, registers(name, n), at, stride);
  };
  load("a", "ma", na, at_a, w.a_column, t, "lda");
  load("b", "mb", nb, at_b, w.b_column, t, "lda");
  load("c", "mc", nc, at_c, w.c_column, w.sum, "ldc");
  body += fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", w.extra, layout(w.a_column),
                      layout(w.b_column), shape(f), types, registers("mc", nc), registers("ma", na),
                      registers("mb", nb), registers("mc", nc));
  body += fmt::format("wmma.store.d.sync.aligned.{}.{}{}.{} [%out+{}], {}, %ldc;\n", layout(w.d_column),
                      shape(f), w.space, w.sum, at_d, registers("mc", nc));
  Bench bench(body, {.words = static_cast<std::uint32_t>(all.size())});
  bench.set_out(all);
  const auto& out = bench.run();
  Words wanted = all;
  const auto d = in_memory(multiply(a, b, c), w.sum, sum_bits, w.d_column, ldc);
  std::memcpy(&wanted[static_cast<std::size_t>(at_d) / 4], d.data(), d.size());
  EXPECT_EQ(out, wanted);
}

TEST(Wmma, HalvesInEveryShapeAndLayout) {
  std::mt19937 random(5);
  unsigned n = 0;
  for (const Form& f : {Form{"f16", 16, 16, 16},
                        {"f16", 32, 8, 16},
                        {"f16", 8, 32, 16},
                        {"bf16", 16, 16, 16},
                        {"bf16", 32, 8, 16},
                        {"bf16", 8, 32, 16}})
    for (unsigned layouts = 0; layouts < 16; ++layouts) {
      const bool halves = std::string(f.type) == "f16" && layouts % 3 == 0;
      check_wmma({f, halves ? "f16" : "f32", (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0,
                  (layouts & 8) != 0, n++ % 2 == 0 ? ".global" : ""},
                 random);
    }
}

TEST(Wmma, BytesTf32AndDoublesInEveryLayout) {
  std::mt19937 random(6);
  for (const Form& f : {Form{"s8", 16, 16, 16},
                        {"u8", 16, 16, 16},
                        {"s8", 32, 8, 16},
                        {"u8", 8, 32, 16},
                        {"tf32", 16, 16, 8},
                        {"f64", 8, 8, 4}})
    for (unsigned layouts = 0; layouts < 16; ++layouts)
      check_wmma({f,
                  is_integer(f.type)             ? "s32"
                  : std::string(f.type) == "f64" ? "f64"
                                                 : "f32",
                  (layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0, (layouts & 8) != 0, ".global"},
                 random);
}

TEST(Wmma, LessThanAByte) {
  std::mt19937 random(7);
  check_wmma({{"s4", 8, 8, 32}, "s32", false, true, false, true, ".global"}, random);
  check_wmma({{"u4", 8, 8, 32}, "s32", false, true, true, false, ".global"}, random);
  check_wmma({{"b1", 8, 8, 128}, "s32", false, true, false, false, ".global", ".and.popc"}, random);
}

TEST(Wmma, SharedMemoryAndTheStrideThatIsNotWritten) {
  // A and B are ones, laid out without gaps; C comes from the lanes.
  const auto out = run(R"(
.shared .align 32 .b16 tile[512]; .reg .b32 %ma<8>, %mb<8>; .reg .f32 %mc<8>;
mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 4, %r1; mov.u32 %r3, 0; mov.b32 %r4, 0x3c003c00;
FILL: st.shared.b32 [%r2], %r4; add.u32 %r2, %r2, 128; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 8; @%p1 bra FILL;
bar.sync 0; mov.f32 %f1, 0f3f800000;
wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%ma0, %ma1, %ma2, %ma3, %ma4, %ma5, %ma6, %ma7}, [%r1]; //A
wmma.load.b.sync.aligned.col.m16n16k16.shared::cta.f16 {%mb0, %mb1, %mb2, %mb3, %mb4, %mb5, %mb6, %mb7}, [tile+512];
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7},
  {%ma0, %ma1, %ma2, %ma3, %ma4, %ma5, %ma6, %ma7}, {%mb0, %mb1, %mb2, %mb3, %mb4, %mb5, %mb6, %mb7},
  {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out], {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7};)",
                       {.words = 256});
  EXPECT_EQ(out, expected(256, [](auto) { return std::bit_cast<std::uint32_t>(17.0f); }));
}

TEST(Wmma, AccessesAreCountedAsTheAssemblersLoadsAndStores) {
  // A tile of f16 is four loads of 4 bytes per lane, each 8 rows of 16 bytes; sums of f32 in rows are pairs.
  Bench b(R"(
.reg .b32 %ma<8>; .reg .f32 %mc<8>; mov.u32 %r1, 64;
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%ma0, %ma1, %ma2, %ma3, %ma4, %ma5, %ma6, %ma7}, [%out], %r1; //A
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7}, [%out], %r1; //C
wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%out], {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7}, %r1; //D
)",
          {.words = 1024});
  b.run();
  EXPECT_EQ(b.access("A").accesses, 4u);
  EXPECT_EQ(b.access("A").bytes, 512u);
  EXPECT_EQ(b.access("A").lines, 4u * 8);
  EXPECT_EQ(b.access("A").sectors, 4u * 8);
  EXPECT_EQ(b.access("C").accesses, 4u);
  EXPECT_EQ(b.access("C").bytes, 1024u);
  EXPECT_EQ(b.access("C").sectors, 4u * 8);
  EXPECT_EQ(b.access("D").accesses, 8u);
  EXPECT_EQ(b.access("D").sectors, 8u * 4);
}

// Under timing an atomic may be under way to a line that the fragment lies in.
TEST(Wmma, LoadsAndStoresWaitForAtomics) {
  const auto out = run(R"(
.reg .b32 %mc<8>; mov.u32 %r1, 16; shl.b32 %r2, %tid, 5; cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, %out;
red.global.add.u32 [%rd1], 5; atom.global.add.u32 %r3, [%rd1], 7;
wmma.load.c.sync.aligned.row.m16n16k16.global.s32 {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7}, [%out], %r1;
red.global.add.u32 [%rd1], 1;
wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%out], {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7}, %r1;
red.global.add.u32 [%rd1], 100;)",
                       {.words = 256});
  EXPECT_EQ(out, expected(256, [](auto i) { return i % 8 == 0 ? 112 : 0; }));
}

TEST(Wmma, PastTheEndOfAnAllocationIsAFault) {
  Bench b(R"(
.reg .f32 %mc<8>; mov.u32 %r1, 16;
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%mc0, %mc1, %mc2, %mc3, %mc4, %mc5, %mc6, %mc7}, [%out+64], %r1;)",
          {.words = 256});
  EXPECT_THAT(std::string(b.run_error().what()), testing::HasSubstr("out-of-bounds"));
}

// ---- matrices of 8x8
// ------------------------------------------------------------------------------------------

// The body of a kernel that fills 512 halves with their numbers and has the address of row %tid in %r1.
const std::string kRows = R"(
.shared .align 16 .b16 tile[512]; mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 4, %r1; mov.u32 %r3, %tid;
FILL: shl.b32 %r4, %r3, 1; add.u32 %r5, %r4, 1; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5; st.shared.b32 [%r2], %r4;
add.u32 %r2, %r2, 128; add.u32 %r3, %r3, 32; setp.lt.u32 %p1, %r3, 256; @%p1 bra FILL; bar.sync 0;
mad.lo.u32 %r1, %tid, 16, %r1;
)";

std::uint32_t pair_of(unsigned low, unsigned high) {
  return low | high << 16;
}

TEST(MatrixMoves, LoadsGiveEachLaneAPairOfItsRowOrColumn) {
  for (const bool transpose : {false, true})
    for (const unsigned n : {1u, 2u, 4u}) {
      std::string list, stores = fmt::format("mad.wide.u32 %rd1, %tid, {}, %out;\n", n * 4);
      for (unsigned i = 0; i < n; ++i) {
        list += fmt::format("{}%r{}", i == 0 ? "" : ", ", 10 + i);
        stores += fmt::format("st.global.b32 [%rd1+{}], %r{};\n", 4 * i, 10 + i);
      }
      Bench b(kRows +
                  fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [%r1]; //X\n", n,
                              transpose ? ".trans" : "", list) +
                  stores,
              {.words = 32 * n});
      EXPECT_EQ(b.run(), expected(32 * n, [&](auto w) {
                  const unsigned lane = w / n, j = w % n, g = lane / 4, t = lane % 4;
                  auto element = [&](unsigned r, unsigned c) { return j * 64 + r * 8 + c; };
                  return transpose ? pair_of(element(2 * t, g), element(2 * t + 1, g))
                                   : pair_of(element(g, 2 * t), element(g, 2 * t + 1));
                }));
      // Rows follow each other: each matrix is one pass over the banks.
      EXPECT_EQ(b.access("X").shared_accesses, 1u);
      EXPECT_EQ(b.access("X").shared_bytes, n * 128);
      EXPECT_EQ(b.access("X").passes, n);
    }
}

TEST(MatrixMoves, RowsInTheSameBanksConflict) {
  Bench b(R"(
.shared .align 16 .b16 tile[2048]; mov.u32 %r1, tile; and.b32 %r2, %tid, 7; mad.lo.u32 %r1, %r2, 128, %r1;
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1]; //X
st.global.b32 [%mine], %r3;)");
  b.run();
  EXPECT_EQ(b.access("X").passes, 8u);
}

TEST(MatrixMoves, StoresAreTheInverseOfLoads) {
  for (const std::string trans : {"", ".trans"})
    EXPECT_EQ(run(kRows + fmt::format(R"(
ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r1]; bar.sync 0;
mov.u32 %r2, tile; mad.lo.u32 %r2, %tid, 16, %r2; add.u32 %r2, %r2, 512;
stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 [%r2], {{%r10, %r11, %r12, %r13}}; bar.sync 0;
ld.shared.v4.b32 {{%r10, %r11, %r12, %r13}}, [%r2]; mad.wide.u32 %rd1, %tid, 16, %out;
st.global.v4.b32 [%rd1], {{%r10, %r11, %r12, %r13}};)",
                                      trans),
                  {.words = 128}),
              expected(128, [](auto w) { return pair_of(2 * w, 2 * w + 1); }))
        << trans;
}

TEST(MatrixMoves, MovmatrixTransposes) {
  EXPECT_EQ(run(R"(
shl.b32 %r1, %tid, 1; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;
movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1; st.global.b32 [%mine], %r3;)"),
            expected(32, [](auto lane) {
              const unsigned g = lane / 4, t = lane % 4;
              return pair_of(2 * t * 8 + g, (2 * t + 1) * 8 + g);
            }));
}

// ---- conversions that come with them
// ------------------------------------------------------------------------

std::vector<std::uint32_t> convert(const std::string& opcode, std::vector<std::uint32_t> values) {
  const bool half = opcode.find(".f16.") != std::string::npos;
  Bench b("ld.global.f32 %f1, [%mine];\n" +
              (half ? opcode + " %h1, %f1; cvt.u32.u16 %r1, %h1;\n" : opcode + " %r1, %f1;\n") +
              "st.global.b32 [%mine], %r1;",
          {.block = {static_cast<std::uint32_t>(values.size()), 1, 1}});
  b.set_out(values);
  return b.run();
}

TEST(MatrixConversions, Tf32) {
  const std::uint32_t inf = 0x7f800000, nan = 0x7fffe000, cut = 0xffc00000;  // as an H200 has them
  const std::vector<std::uint32_t> x = {0x3f800fff, 0x3f801000, 0xbf803000, 0x7f7fffff,
                                        inf,        0xffc00001, 0x00000fff, 0x80001000};
  EXPECT_EQ(convert("cvt.rna.tf32.f32", x),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f802000, 0xbf804000, inf, inf, cut, 0, 0x80002000}));
  EXPECT_EQ(convert("cvt.rna.satfinite.tf32.f32", x),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f802000, 0xbf804000, 0x7f7fe000, 0x7f7fe000,
                                        cut - 0x2000, 0, 0x80002000}));
  EXPECT_EQ(convert("cvt.rn.tf32.f32", x),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f800000, 0xbf804000, inf, inf, nan, 0, 0x80000000}));
  EXPECT_EQ(convert("cvt.rz.relu.tf32.f32", x),
            (std::vector<std::uint32_t>{0x3f800000, 0x3f800000, 0, 0x7f7fe000, inf, nan, 0, 0}));
}

TEST(MatrixConversions, SatfiniteF16) {
  const std::vector<std::uint32_t> x = {0x47800000, 0xff800000, 0x3f800000,
                                        0x7fc00000};  // 65536, -inf, 1, NaN
  EXPECT_EQ(convert("cvt.rn.satfinite.f16.f32", x),
            (std::vector<std::uint32_t>{0x7bff, 0xfbff, 0x3c00, 0x7fff}));
  EXPECT_EQ(convert("cvt.rn.f16.f32", x), (std::vector<std::uint32_t>{0x7c00, 0xfc00, 0x3c00, 0x7fff}));
}

}  // namespace
}  // namespace heddle::exec
