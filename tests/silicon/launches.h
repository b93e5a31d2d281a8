// Every launch that is recorded on silicon and replayed in the simulator. Shared by the recorder (driver API)
// and the test, so that both use the same grids and the same inputs. Plain C++17 for nvcc.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace silicon {

// How recorded and simulated words are compared.
enum class Compare {
  Exact,  // word by word
  F32,    // floats, within `tolerance` of max(1, |expected|)
  F64,    // doubles, likewise
  F16,    // halves, likewise
};

struct TextureSpec {
  int width = 0, height = 0;  // 0: no texture; height 0: linear memory for tex1Dfetch
  bool bytes4 = false;        // uchar4 instead of float
  bool linear = false;
  bool normalized = false;  // coordinates
  bool normalized_values = false;
  int mode = 1;  // 0 wrap, 1 clamp, 2 mirror, 3 border
};

struct LaunchSpec {
  const char* file;
  const char* kernel;
  unsigned grid[3], block[3];
  unsigned shared;
  int n;                         // third argument
  unsigned in_words, out_words;  // the output is zero before the launch
  Compare compare = Compare::Exact;
  double tolerance = 0;
  bool cooperative = false;
  TextureSpec texture = {};
};

constexpr unsigned kThreads = 512;  // of most launches, in four blocks

inline LaunchSpec plain(const char* file, const char* kernel, unsigned in_per_thread, unsigned out_per_thread,
                        Compare compare = Compare::Exact, double tolerance = 0) {
  const unsigned in = kThreads * in_per_thread + 16, out = kThreads * out_per_thread;
  return {file, kernel, {4, 1, 1}, {128, 1, 1}, 0, static_cast<int>(kThreads), in, out, compare, tolerance};
}

inline std::vector<LaunchSpec> launches() {
  std::vector<LaunchSpec> all = {
      plain("warp", "warp_shuffle", 1, 1),
      plain("warp", "warp_vote", 1, 1),
      plain("warp", "warp_redux", 1, 1),
      plain("warp", "warp_groups", 1, 1),
      {"warp", "warp_legacy", {4, 1, 1}, {256, 1, 1}, 0, 1024, 2048, 4},
      {"sort", "block_scan", {4, 1, 1}, {256, 1, 1}, 0, 1024, 1024, 1024},
      {"sort", "cub_scan", {2, 1, 1}, {256, 1, 1}, 0, 2048, 2048, 2050},
      {"sort", "cub_radix_sort", {2, 1, 1}, {128, 1, 1}, 0, 1024, 1024, 2048},
      {"sort", "cub_merge_sort", {2, 1, 1}, {128, 1, 1}, 0, 1024, 1024, 1024},
      {"sort", "bitonic_sort", {2, 1, 1}, {256, 1, 1}, 2048, 1024, 1024, 1024},
      {"grid", "grid_barrier", {6, 1, 1}, {128, 1, 1}, 0, 768, 768, 768, Compare::Exact, 0, true},
      {"grid", "histogram", {4, 1, 1}, {128, 1, 1}, 0, 5000, 5000, 64},
      {"grid", "spin_lock", {3, 1, 1}, {64, 1, 1}, 0, 192, 192, 2},
      {"grid", "ticket_lock", {4, 1, 1}, {128, 1, 1}, 0, 512, 512, 4},
      {"grid", "last_block", {8, 1, 1}, {64, 1, 1}, 0, 512, 512, 9},
      {"grid", "message_chain", {16, 1, 1}, {32, 1, 1}, 0, 16, 16, 32},
      {"grid", "atomics", {4, 1, 1}, {128, 1, 1}, 0, 512, 512, 40},
      {"grid", "libcu_atomics", {4, 1, 1}, {128, 1, 1}, 0, 512, 512, 12},
      {"control", "nqueens", {1, 1, 1}, {64, 1, 1}, 0, 64, 64, 64},
      {"control", "recursive_quicksort", {1, 1, 1}, {64, 1, 1}, 0, 64, 1536, 1536},
      plain("control", "recursive_functions", 1, 1),
      plain("control", "virtual_functions", 1, 1),
      plain("control", "function_pointers", 1, 1),
      plain("control", "big_switch", 1, 1),
      plain("control", "divergence", 1, 1),
      plain("structs", "struct_values", 1, 1),
      plain("structs", "struct_memory", 1, 1),
      plain("structs", "small_integers", 1, 1),
      plain("structs", "builtin_copies", 2, 4),
      plain("structs", "device_heap", 1, 1),
      plain("structs", "cache_hints", 1, 4),
      plain("structs", "struct_argument", 1, 1),
      plain("half", "half_scalar", 1, 2),
      plain("half", "half_math", 1, 2, Compare::F16, 0.002),
      plain("half", "half_vector", 1, 2),
      plain("half", "bfloat", 1, 2),
      plain("integer", "int64_arithmetic", 1, 2),
      plain("integer", "int128_arithmetic", 1, 4),
      {"integer", "multi_precision", {2, 1, 1}, {64, 1, 1}, 0, 1024, 1024, 2048},
      plain("integer", "bit_tricks", 1, 1),
      plain("integer", "byte_simd", 1, 1),
      {"random", "mersenne_twister", {2, 1, 1}, {128, 1, 1}, 0, 2, 2, 1248},
      plain("random", "xorshift", 1, 1),
      plain("random", "philox", 1, 4),
      {"random", "sha256", {1, 1, 1}, {64, 1, 1}, 0, 64, 1024, 512},
      {"random", "aes_rounds", {1, 1, 1}, {64, 1, 1}, 0, 64, 256, 256},
      plain("numeric", "mandelbrot", 2, 1),
      {"numeric", "raytracer", {4, 4, 1}, {16, 16, 1}, 0, 0, 80, 8192, Compare::F32, 2e-5},
      plain("numeric", "spmv_csr", 1, 2, Compare::F64, 1e-15),
      plain("numeric", "gather", 1, 1),
      {"numeric", "floyd_warshall", {2, 1, 1}, {32, 32, 1}, 0, 0, 2048, 2048},
      {"numeric", "lu", {2, 1, 1}, {16, 16, 1}, 0, 0, 512, 512},
      {"numeric", "fft", {2, 1, 1}, {128, 1, 1}, 2048, 0, 512, 1024, Compare::F32, 2e-5},
      {"numeric", "matmul", {4, 4, 1}, {16, 16, 1}, 2048, 0, 8192, 4096},
      {"numeric", "stencil3d", {8, 1, 1}, {16, 16, 1}, 0, 0, 2048, 2048},
      plain("misc", "print_and_assert", 1, 1),
      plain("misc", "clocks", 1, 1),
      {"misc", "async_copy", {2, 1, 1}, {256, 1, 1}, 0, 0, 2048, 512},
      {"misc", "special_registers", {2, 2, 1}, {8, 4, 3}, 1024, 0, 384, 384},
  };
  // libdevice is fused and rounded the same way everywhere, but ptxas may fuse more; hence a few ulps.
  for (const char* name :
       {"d_sin", "d_cos", "d_tan", "d_exp", "d_log", "d_pow", "d_erf", "d_gamma", "d_atan2", "d_fmod",
        "d_roots", "d_hyperbolic", "d_round", "d_divide", "d_bessel", "d_convert"})
    all.push_back(plain("math64", name, 2, 2, Compare::F64, 1e-14));
  all.push_back(plain("math64", "d_parts", 2, 3, Compare::Exact));
  all.push_back(plain("math64", "d_sincos", 2, 4, Compare::F64, 1e-14));
  for (const char* name :
       {"f_sin",    "f_cos",   "f_exp",  "f_log",       "f_pow",   "f_erf",        "f_gamma",
        "f_lgamma", "f_atan2", "f_fmod", "f_remainder", "f_roots", "f_hyperbolic", "f_round",
        "f_divide", "f_ieee",  "f_logs", "f_fast",      "f_misc",  "f_bessel",     "f_classify"})
    all.push_back(plain("math32", name, 1, 1, Compare::F32, 1e-5));
  // With fast mathematics the quotient of two approximations: near its poles their errors grow.
  all.push_back(plain("math32", "f_tan", 1, 1, Compare::F32, 1e-4));
  auto texture = [&](const char* kernel, TextureSpec t) {
    LaunchSpec l = plain("texture", kernel, 2, 1, t.linear ? Compare::F32 : Compare::Exact);
    // The last bit of a filtered sum, and one in a thousand weights off by 1/256 where coordinates are
    // normalized, are not modelled.
    l.tolerance = t.normalized ? 0.04 : 1.2e-7;
    l.texture = t;
    all.push_back(l);
  };
  texture("tex_fetch", {512, 0, false, false, false, false, 1});
  for (bool linear : {false, true}) {
    texture("tex_2d", {64, 48, false, linear, false, false, 1});
    texture("tex_2d", {64, 48, false, linear, false, false, 3});
    for (int mode = 0; mode < 4; ++mode)
      texture("tex_2d_normalized", {64, 48, false, linear, true, false, mode});
    texture("tex_2d_vector", {64, 48, true, linear, true, true, 0});
  }
  texture("tex_2d_integer", {64, 48, true, false, false, false, 1});
  return all;
}

// Variants in which a file is compiled (build_ptx.sh).
inline std::vector<std::string> variants(const std::string& file) {
  if (file == "misc") return {"80", "90"};
  if (file == "math32") return {"75", "90", "fast"};
  if (file == "integer" || file == "random") return {"75", "90", "few"};
  if (file == "warp" || file == "control" || file == "structs" || file == "numeric")
    return {"75", "90", "debug"};
  return {"75", "90"};
}

class WordStream {  // SplitMix64: the same inputs on every host
 public:
  explicit WordStream(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<std::uint32_t> input_words(const LaunchSpec& l) {
  std::uint64_t seed = 1;
  for (const char* c = l.kernel; *c != '\0'; ++c) seed = seed * 31 + static_cast<unsigned char>(*c);
  WordStream words(seed);
  std::vector<std::uint32_t> in(l.in_words);
  for (std::uint32_t& w : in) w = words.next();
  return in;
}

// Texels as words: floats in [0, 1), or four bytes.
inline std::vector<std::uint32_t> texel_words(const TextureSpec& t) {
  WordStream words(99);
  std::vector<std::uint32_t> texels(static_cast<std::size_t>(t.width) *
                                    static_cast<std::size_t>(t.height ? t.height : 1));
  for (std::uint32_t& w : texels) {
    w = words.next();
    if (!t.bytes4) {
      const float f = static_cast<float>(w >> 8) * 0x1p-24f;
      std::memcpy(&w, &f, sizeof f);
    }
  }
  return texels;
}

inline std::vector<unsigned char> sbox() {  // any permutation serves
  std::vector<unsigned char> s(256);
  for (unsigned i = 0; i < 256; ++i) s[i] = static_cast<unsigned char>((i * 167u + 13u) ^ (i >> 3));
  return s;
}

// struct_argument's fourth parameter.
struct Arguments {
  char tag;
  double scale;
  int table[20];
  float offset[3];
};
inline Arguments arguments() {
  Arguments a;
  std::memset(&a, 0, sizeof a);
  a.tag = 'q';
  a.scale = 2.75;
  for (int i = 0; i < 20; ++i) a.table[i] = i * i * 37 - 100;
  a.offset[2] = 9.5f;
  return a;
}

}  // namespace silicon
