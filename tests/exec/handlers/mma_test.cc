// wmma.mma's and mma.sync's arithmetic, and the layouts of mma.sync's fragments as the PTX manual gives them
// (sections on mma.m8n8k4 to mma.m16n8k256), transcribed formula by formula.
#include <algorithm>

#include "bench.h"
#include "matrix_values.h"

namespace heddle::exec {
namespace {

struct At {
  int row, column;
};

// ---- the manual's layouts; g: groupID, t: threadID_in_group
// --------------------------------------------------

At a_of(const Form& f, int lane, int i) {
  const int g = lane >> 2, t = lane % 4;
  const int bits = element_bits(f.type);
  if (bits == 64) {
    if (f.m == 8) return {g, t};
    if (f.k == 4) return {i == 0 ? g : g + 8, t};
    if (f.k == 8) return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
    return {i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
  }
  if (bits == 32) {
    if (f.k == 4) return {i == 0 ? g : g + 8, t};
    return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
  }
  if (bits == 16) {
    if (f.k == 8) return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
    return {(i >= 0 && i < 2) || (i >= 4 && i < 6) ? g : g + 8,
            i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
  }
  if (bits == 8) {
    if (f.m == 8) return {g, t * 4 + i};
    if (f.k == 16) return {i < 4 ? g : g + 8, t * 4 + (i & 3)};
    return {(i >= 0 && i < 4) || (i >= 8 && i < 12) ? g : g + 8,
            i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
  }
  if (bits == 4) {
    if (f.m == 8) return {g, t * 8 + i};
    if (f.k == 32) return {i < 8 ? g : g + 8, t * 8 + (i & 7)};
    return {(i >= 0 && i < 8) || (i >= 16 && i < 24) ? g : g + 8,
            i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
  }
  if (f.m == 8) return {g, t * 32 + i};
  if (f.k == 128) return {i < 32 ? g : g + 8, t * 32 + (i & 31)};
  return {(i >= 0 && i < 32) || (i >= 64 && i < 96) ? g : g + 8,
          i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
}

At b_of(const Form& f, int lane, int i) {
  const int g = lane >> 2, t = lane % 4;
  switch (element_bits(f.type)) {
    case 64:
      return {f.k == 16 ? t + i * 4 : i == 0 ? t : t + 4, g};
    case 32:
      return {i == 0 ? t : t + 4, g};
    case 16:
      return {f.k == 8 ? t * 2 + i : i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
    case 8:
      return {f.k == 16 ? t * 4 + i : i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
    case 4:
      return {f.k == 32 ? t * 8 + i : i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
    default:
      return {f.k == 128 ? t * 32 + i : i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
  }
}

At c_of(const Form& f, int lane, int i) {
  const int g = lane >> 2, t = lane % 4;
  if (f.m == 8) return {g, t * 2 + i};
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

// ---- one instruction
// -----------------------------------------------------------------------------------------

// A fragment's registers lane by lane: `per` elements of `bits` each to a register.
template <class Position>
Words fragment(const Form& f, const Matrix& m, const std::string& t, int bits, Position&& position) {
  const int register_bits = bits == 64 ? 64 : 32, per = register_bits / bits;
  const int registers = m.rows * m.columns / 32 / per, words = register_bits / 32;
  Words out(static_cast<std::size_t>(32 * registers * words));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < registers * per; ++i) {
      const At p = position(f, lane, i);
      const std::uint64_t b = encode(t, m.at(p.row, p.column));
      const auto at = static_cast<std::size_t>((lane * registers + i / per) * words);
      out[at] |= static_cast<std::uint32_t>(b << i % per * bits);
      if (words == 2) out[at + 1] = static_cast<std::uint32_t>(b >> 32);
    }
  return out;
}

// Moves n registers of every lane from or to words from `first` on.
std::string transfer(const char* what, const char* name, int n, int first, bool wide) {
  std::string s;
  const int bytes = wide ? 8 : 4;
  s += fmt::format("mad.wide.u32 %rd1, %tid, {}, %out; add.u64 %rd1, %rd1, {};\n", n * bytes, first * 4);
  for (int i = 0; i < n; ++i)
    s += std::string(what) == "ld"
             ? fmt::format("ld.global.b{} %{}{}, [%rd1+{}];\n", bytes * 8, name, i, i * bytes)
             : fmt::format("st.global.b{} [%rd1+{}], %{}{};\n", bytes * 8, i * bytes, name, i);
  return s;
}

// Runs one mma.sync whose fragments are laid out as the manual says; returns D.
Matrix run_mma(const Form& f, const std::string& opcode, const std::string& b_type, const std::string& sum,
               const Matrix& a, const Matrix& b, const Matrix& c) {
  const int bits = element_bits(f.type), sum_bits = sum == "f64" ? 64 : sum == "f16" ? 16 : 32;
  const bool wide = bits == 64;
  Words all = fragment(f, a, f.type, bits, a_of);
  const int na = static_cast<int>(all.size()) / 32 / (wide ? 2 : 1), at_b = static_cast<int>(all.size());
  const Words wb = fragment(f, b, b_type, bits, b_of), wc = fragment(f, c, sum, sum_bits, c_of);
  all.insert(all.end(), wb.begin(), wb.end());
  const int nb = static_cast<int>(wb.size()) / 32 / (wide ? 2 : 1), at_c = static_cast<int>(all.size());
  all.insert(all.end(), wc.begin(), wc.end());
  const int nc = static_cast<int>(wc.size()) / 32 / (wide ? 2 : 1), at_d = static_cast<int>(all.size());
  all.resize(all.size() + wc.size());
  const std::string body = fmt::format(".reg .b{0} %ma<16>, %mb<16>, %mc<16>, %md<16>;\n", wide ? 64 : 32) +
                           transfer("ld", "ma", na, 0, wide) + transfer("ld", "mb", nb, at_b, wide) +
                           transfer("ld", "mc", nc, at_c, wide) +
                           fmt::format("{} {}, {}, {}, {};\n", opcode, registers("md", nc),
                                       registers("ma", na), registers("mb", nb), registers("mc", nc)) +
                           transfer("st", "md", nc, at_d, wide);
  Bench bench(body, {.words = static_cast<std::uint32_t>(all.size())});
  bench.set_out(all);
  const auto& out = bench.run();
  Matrix d(f.m, f.n);
  const int per = wide ? 1 : 32 / sum_bits;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < nc * per; ++i) {
      const auto at = static_cast<std::size_t>(at_d + (lane * nc + i / per) * (wide ? 2 : 1));
      const std::uint64_t word =
          wide ? out[at] | std::uint64_t{out[at + 1]} << 32 : out[at] >> i % per * sum_bits;
      const At p = c_of(f, lane, i);
      d.at(p.row, p.column) = decode(sum, word);
    }
  return d;
}

// ---- mma.sync ---------------------------------------------------------------------------------------------

TEST(Mma, FloatingPointLayoutsAreTheManuals) {
  std::mt19937 random(1);
  const Form forms[] = {{"f16", 16, 8, 8},  {"f16", 16, 8, 16}, {"bf16", 16, 8, 8}, {"bf16", 16, 8, 16},
                        {"tf32", 16, 8, 4}, {"tf32", 16, 8, 8}, {"f64", 8, 8, 4},   {"f64", 16, 8, 4},
                        {"f64", 16, 8, 8},  {"f64", 16, 8, 16}};
  for (const Form& f : forms)
    for (const std::string sum : {"f16", "f32", "f64"}) {
      const std::string type = f.type;
      if ((type == "f64") != (sum == "f64") || (sum == "f16" && type != "f16")) continue;
      SCOPED_TRACE(shape(f) + "." + type + "." + sum);
      const Matrix a = random_integers(f.m, f.k, type, random), b = random_integers(f.k, f.n, type, random);
      const Matrix c = random_integers(f.m, f.n, "f16", random);
      const std::string opcode = fmt::format("mma.sync.aligned.{}.row.col.{}.{}.{}.{}{}", shape(f), sum, type,
                                             type, sum, type == "f64" && f.k == 8 ? ".rn" : "");
      EXPECT_EQ(run_mma(f, opcode, type, sum, a, b, c).v, multiply(a, b, c).v);
    }
}

TEST(Mma, IntegerLayoutsAreTheManuals) {
  std::mt19937 random(2);
  const Form forms[] = {{"s8", 8, 8, 16}, {"s8", 16, 8, 16}, {"s8", 16, 8, 32}, {"u8", 16, 8, 32},
                        {"s4", 8, 8, 32}, {"s4", 16, 8, 32}, {"u4", 16, 8, 64}, {"s4", 16, 8, 64}};
  for (const Form& f : forms)
    for (const char sign : {'s', 'u'}) {
      const std::string a_type = f.type, b_type = sign + a_type.substr(1);
      SCOPED_TRACE(shape(f) + "." + a_type + "." + b_type);
      const Matrix a = random_integers(f.m, f.k, a_type, random),
                   b = random_integers(f.k, f.n, b_type, random);
      const Matrix c = random_integers(f.m, f.n, "s8", random);
      const std::string opcode =
          fmt::format("mma.sync.aligned.{}.row.col.s32.{}.{}.s32", shape(f), a_type, b_type);
      EXPECT_EQ(run_mma(f, opcode, b_type, "s32", a, b, c).v, multiply(a, b, c).v);
    }
}

TEST(Mma, BitsAreCountedAfterAndOrXor) {
  std::mt19937 random(3);
  for (const Form& f : {Form{"b1", 8, 8, 128}, {"b1", 16, 8, 128}, {"b1", 16, 8, 256}})
    for (const bool both : {true, false}) {
      const Matrix a = random_integers(f.m, f.k, "b1", random), b = random_integers(f.k, f.n, "b1", random);
      const Matrix c = random_integers(f.m, f.n, "s8", random);
      Matrix d = c;
      for (int i = 0; i < f.m; ++i)
        for (int j = 0; j < f.n; ++j)
          for (int k = 0; k < f.k; ++k)
            d.at(i, j) += both ? a.at(i, k) * b.at(k, j) : a.at(i, k) != b.at(k, j);
      const std::string opcode =
          fmt::format("mma.sync.aligned.{}.row.col.s32.b1.b1.s32.{}.popc", shape(f), both ? "and" : "xor");
      EXPECT_EQ(run_mma(f, opcode, "b1", "s32", a, b, c).v, d.v) << shape(f);
    }
}

TEST(Mma, IntegerSumsWrapOrSaturate) {
  const Form f{"s8", 8, 8, 16};
  Matrix a(8, 16), b(16, 8), c(8, 8);
  std::fill(a.v.begin(), a.v.end(), 127);
  std::fill(b.v.begin(), b.v.end(), 127);
  std::fill(c.v.begin(), c.v.end(), 2147483647.0 - 100);
  for (int i = 0; i < 8; ++i) {  // the second half of the columns the other way
    for (int k = 0; k < 16; ++k) b.at(k, i) = i < 4 ? 127 : -127;
    for (int j = 4; j < 8; ++j) c.at(i, j) = -2147483648.0 + 100;
  }
  const Matrix wrapped = run_mma(f, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "s8", "s32", a, b, c);
  const Matrix clamped =
      run_mma(f, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", "s8", "s32", a, b, c);
  EXPECT_EQ(wrapped.at(0, 0), 2147483647.0 - 100 + 16 * 127 * 127 - 4294967296.0);
  EXPECT_EQ(clamped.at(0, 0), 2147483647.0);
  EXPECT_EQ(clamped.at(7, 7), -2147483648.0);
}

// Products are exact, and each of the k additions rounds once: the bound of a sum in any order is k units of
// the sum of the magnitudes.
TEST(Mma, SumsOfRandomValuesStayWithinTheBoundOfF32) {
  std::mt19937 random(4);
  for (const Form& f : {Form{"f16", 16, 8, 16}, {"bf16", 16, 8, 16}, {"tf32", 16, 8, 8}}) {
    const std::string type = f.type;
    const int digits = type == "bf16" ? 8 : 11;
    auto fill = [&](Matrix& m) {
      for (double& x : m.v)
        x = std::ldexp(static_cast<double>(static_cast<int>(random() % (1u << digits)) - (1 << (digits - 1))),
                       static_cast<int>(random() % 4) - digits);
    };
    Matrix a(f.m, f.k), b(f.k, f.n), c(f.m, f.n);
    fill(a);
    fill(b);
    fill(c);
    const std::string opcode = fmt::format("mma.sync.aligned.{}.row.col.f32.{}.{}.f32", shape(f), type, type);
    const Matrix d = run_mma(f, opcode, type, "f32", a, b, c), exact = multiply(a, b, c);
    for (int i = 0; i < f.m; ++i)
      for (int j = 0; j < f.n; ++j) {
        double size = std::fabs(c.at(i, j));
        for (int k = 0; k < f.k; ++k) size += std::fabs(a.at(i, k) * b.at(k, j));
        EXPECT_LE(std::fabs(d.at(i, j) - exact.at(i, j)), f.k * std::ldexp(size, -24)) << type;
      }
  }
}

TEST(Mma, SumsStartWithCAndGoInTheOrderOfK) {
  const Form f{"tf32", 16, 8, 4};
  Matrix a(16, 4), b(4, 8), c(16, 8);
  a.at(0, 0) = 0x1p-24;  // half a unit of C: lost at once, twice
  a.at(0, 1) = 0x1p-24;
  a.at(1, 0) = -1;  // C is gone before the small one comes
  a.at(1, 1) = 0x1p-24;
  b.at(0, 0) = b.at(1, 0) = 1;
  c.at(0, 0) = c.at(1, 0) = 1;
  const Matrix d = run_mma(f, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "tf32", "f32", a, b, c);
  EXPECT_EQ(d.at(0, 0), 1);
  EXPECT_EQ(d.at(1, 0), 0x1p-24);
}

TEST(Mma, Tf32DropsTheLowerBitsAndNansAreTheCards) {
  // All lanes the same: A and B are full of one value, and the sums are 4 a b.
  const auto out = run(R"(
mov.b32 %r1, 0x3f801fff; mov.b32 %r2, 0x3f800000; mov.b32 %r3, 0; mov.b32 %r4, 0xff802000;
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r2}, {%f5, %f5, %f5, %f5};
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f6, %f7, %f8, %f9}, {%r4, %r1}, {%r2}, {%f5, %f5, %f5, %f5};
mad.wide.u32 %rd1, %tid, 8, %out; st.global.f32 [%rd1], %f1; st.global.f32 [%rd1+4], %f6;)",
                       {.words = 64});
  EXPECT_EQ(out, expected(64, [](auto i) { return i % 2 == 0 ? 0x40800000u : 0x7fffffffu; }));
}

TEST(Mma, ResultsMayTakeTheRegistersOfSources) {
  const auto out = run(R"(
mov.b32 %r1, 0x3c003c00; mov.f32 %f1, 0f40000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f2, %f3, %f4};
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f2, %f3, %f4};
st.global.f32 [%mine], %f4;)");
  EXPECT_EQ(out, expected(32, [](auto) { return std::bit_cast<std::uint32_t>(18.0f); }));
}

// Lanes that a branch has separated meet at the instruction.
TEST(Mma, SeparatedLanesComeTogether) {
  const auto out = run(R"(
mov.b32 %r1, 0x3c003c00; mov.f32 %f1, 0f00000000; setp.lt.u32 %p1, %tid, 7; @%p1 bra LOW;
mov.b32 %r1, 0x40004000; LOW:
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f1, %f1, %f1};
st.global.f32 [%mine], %f1;)");
  // Lane 4g + t holds row g and columns 2t, of which B has 4 values in lanes 8t..: row 0 is ones.
  EXPECT_EQ(out[0], std::bit_cast<std::uint32_t>(8.0f));
  EXPECT_EQ(out[31], std::bit_cast<std::uint32_t>(32.0f));
}

}  // namespace
}  // namespace heddle::exec
