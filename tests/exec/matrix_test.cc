// Tensor-core instructions: results, and the layouts of fragments as the PTX manual gives them (sections on
// mma.m8n8k4 to mma.m16n8k256), transcribed formula by formula.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "bench.h"

namespace heddle::exec {
namespace {

struct At {
  int row, column;
};
struct Form {
  const char* type;  // of A and B
  int m, n, k;
};

int element_bits(const std::string& t) {
  return t == "f64"                  ? 64
         : t == "tf32"               ? 32
         : t == "f16" || t == "bf16" ? 16
         : t == "b1"                 ? 1
         : t[1] == '4'               ? 4
                                     : 8;
}
bool is_integer(const std::string& t) {
  return t[0] == 's' || t[0] == 'u' || t == "b1";
}

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

// ---- values -----------------------------------------------------------------------------------------------

// f16 of small integers and of random values of 11 bits: exact.
std::uint64_t f16_bits(double v) {
  if (v == 0) return std::signbit(v) ? 0x8000 : 0;
  int e = 0;
  const double m = std::frexp(std::fabs(v), &e);  // [0.5, 1)
  const auto fraction = static_cast<std::uint64_t>(m * 2048) - 1024;
  return static_cast<std::uint64_t>(v < 0) << 15 | static_cast<std::uint64_t>(e + 14) << 10 | fraction;
}
double f16_value(std::uint64_t b) {
  const int e = static_cast<int>(b >> 10 & 31);
  const double m = static_cast<double>(b & 1023) / 1024;
  const double v = e == 0 ? std::ldexp(m, -14) : std::ldexp(1 + m, e - 15);
  return (b & 0x8000) != 0 ? -v : v;
}
std::uint64_t encode(const std::string& t, double v) {
  if (t == "f64") return std::bit_cast<std::uint64_t>(v);
  if (t == "tf32" || t == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(v));
  if (t == "f16") return f16_bits(v);
  if (t == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16;
  if (t == "s32") return static_cast<std::uint32_t>(static_cast<std::int64_t>(v));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & ((1u << element_bits(t)) - 1);
}
double decode(const std::string& t, std::uint64_t b) {
  if (t == "f64") return std::bit_cast<double>(b);
  if (t == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(b));
  if (t == "f16") return f16_value(b & 0xffff);
  return static_cast<std::int32_t>(b);
}

struct Matrix {
  Matrix(int r, int c) : rows(r), columns(c), v(static_cast<std::size_t>(r * c)) {}
  double& at(int r, int c) { return v[static_cast<std::size_t>(r * columns + c)]; }
  double at(int r, int c) const { return v[static_cast<std::size_t>(r * columns + c)]; }
  int rows, columns;
  std::vector<double> v;
};

Matrix random_integers(int rows, int columns, const std::string& t, std::mt19937& random) {
  Matrix m(rows, columns);
  const bool is_unsigned = t[0] == 'u';
  const int bits = element_bits(t);
  const int high = t == "b1" ? 1 : !is_integer(t) ? 3 : (1 << (bits - (is_unsigned ? 0 : 1))) - 1;
  const int low = t == "b1" || is_unsigned ? 0 : -high;
  for (double& x : m.v) x = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  return m;
}

// A fragment's registers lane by lane: `per` elements of `bits` each to a register.
using Words = std::vector<std::uint32_t>;
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

std::string registers(const char* name, int n) {
  std::string s = "{";
  for (int i = 0; i < n; ++i) s += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
  return s + "}";
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

Matrix multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (int i = 0; i < d.rows; ++i)
    for (int j = 0; j < d.columns; ++j)
      for (int k = 0; k < a.columns; ++k) d.at(i, j) += a.at(i, k) * b.at(k, j);
  return d;
}

std::string shape(const Form& f) {
  return fmt::format("m{}n{}k{}", f.m, f.n, f.k);
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
            (std::vector<std::uint32_t>{0x3f800000, 0x3f802000, 0xbf804000, 0x7f7fe000, 0x7f7fe000, cut, 0,
                                        0x80002000}));
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
