// Kernels whose threads do not depend on each other within a phase, compiled for the host from the same
// source and run thread after thread: a reference that has nothing to do with PTX. Compiled without warnings,
// because the source is CUDA's dialect.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "launches.h"
#include "reference.h"

#define __global__
#define __device__
#define __constant__ static
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline

namespace silicon {
namespace host {

struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  unsigned x, y, z, w;
};
static uint3 threadIdx, blockIdx, blockDim, gridDim;

using std::max;
using std::min;

static void __syncthreads() {}  // the first thread runs first, and only it prepares anything for the others
static unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}
static int __popc(unsigned v) {
  return __builtin_popcount(v);
}
static unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
static unsigned __float_as_uint(float f) {
  unsigned u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}
static long long __double_as_longlong(double d) {
  long long u;
  std::memcpy(&u, &d, sizeof u);
  return u;
}
static float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}

#include "kernels/control.cu"
#define rotate rotate_word  // of another file
#define twice twice_byte
#include "kernels/random.cu"
#undef rotate
#undef twice

}  // namespace host

using Kernel = void (*)(const unsigned*, unsigned*, int);

std::vector<std::uint32_t> host_kernel(const LaunchSpec& spec) {
  static const std::map<std::string, Kernel> kernels = {
      {"nqueens", host::nqueens},
      {"recursive_quicksort", host::recursive_quicksort},
      {"recursive_functions", host::recursive_functions},
      {"virtual_functions", host::virtual_functions},
      {"function_pointers", host::function_pointers},
      {"big_switch", host::big_switch},
      {"divergence", host::divergence},
      {"mersenne_twister", host::mersenne_twister},
      {"xorshift", host::xorshift},
      {"philox", host::philox},
      {"sha256", host::sha256},
      {"aes_rounds", host::aes_rounds},
  };
  const auto at = kernels.find(spec.kernel);
  if (at == kernels.end()) return {};
  const std::vector<std::uint32_t> in = input_words(spec);
  std::vector<std::uint32_t> out(spec.out_words);
  std::memcpy(host::k_sbox, sbox().data(), sizeof host::k_sbox);
  host::gridDim = {spec.grid[0], 1, 1};
  host::blockDim = {spec.block[0], 1, 1};
  for (unsigned block = 0; block < spec.grid[0]; ++block)
    for (unsigned thread = 0; thread < spec.block[0]; ++thread) {
      host::blockIdx = {block, 0, 0};
      host::threadIdx = {thread, 0, 0};
      at->second(in.data(), out.data(), spec.n);
    }
  return out;
}

}  // namespace silicon
