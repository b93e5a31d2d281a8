// Matrix products with <mma.h> in every type and shape that sm_80 has. All values are small integers, so that every
// order of summation gives the same.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "check.h"
#include "device_array.h"

using namespace nvcuda;
namespace sub_byte = nvcuda::wmma::experimental;

// The type of a matrix's elements in memory.
template <class T>
struct InMemory {
  using type = T;
};
template <>
struct InMemory<wmma::precision::tf32> {
  using type = float;
};
template <class T>
using Stored = typename InMemory<T>::type;

// D = 3 A B + C; tile by tile, one warp per tile.
template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
__global__ void multiply(const Stored<T>* a, const Stored<T>* b, const Sum* c, Sum* d, int m, int n, int k, bool c_rows,
                         bool d_rows) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, fc;
  const int row = blockIdx.y * M, column = blockIdx.x * N;
  wmma::fill_fragment(sum, Sum(0));
  for (int i = 0; i < k; i += K) {
    const bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>;
    wmma::load_matrix_sync(fa, a_rows ? a + row * k + i : a + i * m + row, a_rows ? k : m);
    wmma::load_matrix_sync(fb, b_rows ? b + i * n + column : b + column * k + i, b_rows ? n : k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::load_matrix_sync(fc, c_rows ? c + row * n + column : c + column * m + row, c_rows ? n : m,
                         c_rows ? wmma::mem_row_major : wmma::mem_col_major);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = Sum(3) * sum.x[i] + fc.x[i];
  wmma::store_matrix_sync(d_rows ? d + row * n + column : d + column * m + row, sum, d_rows ? n : m,
                          d_rows ? wmma::mem_row_major : wmma::mem_col_major);
}

unsigned noise = 12345;
int small_integer(int low, int high) {
  noise = noise * 1664525u + 1013904223u;
  return low + static_cast<int>((noise >> 16) % static_cast<unsigned>(high - low + 1));
}

template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
void check(Checks& checks, const char* what, int low, int high, bool c_rows, bool d_rows) {
  const int m = 2 * M, n = 2 * N, k = 2 * K;
  const bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>;
  std::vector<int> a(m * k), b(k * n), c(m * n);
  for (int& v : a) v = small_integer(low, high);
  for (int& v : b) v = small_integer(low, high);
  for (int& v : c) v = small_integer(-8, 8);
  std::vector<Stored<T>> ma(m * k), mb(k * n);
  std::vector<Sum> mc(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) ma[a_rows ? i * k + j : j * m + i] = Stored<T>(static_cast<float>(a[i * k + j]));
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j) mb[b_rows ? i * n + j : j * k + i] = Stored<T>(static_cast<float>(b[i * n + j]));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) mc[c_rows ? i * n + j : j * m + i] = Sum(static_cast<float>(c[i * n + j]));
  Device<Stored<T>> da(ma), db(mb);
  Device<Sum> dc(mc), dd(mc.size());
  multiply<M, N, K, T, Sum, LayoutA, LayoutB>
      <<<dim3(2, 2), 32>>>(da.get(), db.get(), dc.get(), dd.get(), m, n, k, c_rows, d_rows);
  CHECK(cudaDeviceSynchronize());
  const std::vector<Sum> d = dd.read();
  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int s = 0;
      for (int l = 0; l < k; ++l) s += a[i * k + l] * b[l * n + j];
      wrong += static_cast<float>(d[d_rows ? i * n + j : j * m + i]) != static_cast<float>(3 * s + c[i * n + j]);
    }
  checks.expect(wrong == 0, what);
}

__global__ void multiply_s4(const void* a, const void* b, int* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, sub_byte::precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, sub_byte::precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

__global__ void multiply_b1(const void* a, const void* b, int* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, sub_byte::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, sub_byte::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::bmma_sync(sum, fa, fb, sum, sub_byte::bmmaBitOpAND, sub_byte::bmmaAccumulateOpPOPC);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

void check_less_than_a_byte(Checks& checks) {
  std::vector<std::uint32_t> a(32), b(32);
  for (std::uint32_t& v : a) v = static_cast<std::uint32_t>(small_integer(0, 65535)) * 40503u;
  for (std::uint32_t& v : b) v = static_cast<std::uint32_t>(small_integer(0, 65535)) * 40503u;
  Device<std::uint32_t> da(a), db(b);
  Device<int> dd(64);
  auto s4 = [](const std::vector<std::uint32_t>& v, int line, int i) {
    return static_cast<std::int32_t>(v[line * 4 + i / 8] << (28 - 4 * (i % 8))) >> 28;
  };
  multiply_s4<<<1, 32>>>(da.get(), db.get(), dd.get());
  std::vector<int> d = dd.read();
  int wrong = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int s = 0;
      for (int k = 0; k < 32; ++k) s += s4(a, i, k) * s4(b, j, k);
      wrong += d[i * 8 + j] != s;
    }
  checks.expect(wrong == 0, "s4 m8n8k32");
  multiply_b1<<<1, 32>>>(da.get(), db.get(), dd.get());
  d = dd.read();
  wrong = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int s = 0;
      for (int k = 0; k < 4; ++k) s += __builtin_popcount(a[i * 4 + k] & b[j * 4 + k]);
      wrong += d[i * 8 + j] != s;
    }
  checks.expect(wrong == 0, "b1 m8n8k128");
}

int main() {
  using Row = wmma::row_major;
  using Col = wmma::col_major;
  Checks checks;
  check<16, 16, 16, __half, float, Row, Col>(checks, "f16 m16n16k16, f32 sums, row col", -4, 4, true, true);
  check<16, 16, 16, __half, float, Col, Row>(checks, "f16 m16n16k16, f32 sums, col row", -4, 4, false, true);
  check<16, 16, 16, __half, __half, Row, Row>(checks, "f16 m16n16k16, f16 sums, row row", -2, 2, true, false);
  check<32, 8, 16, __half, float, Row, Col>(checks, "f16 m32n8k16, f32 sums, row col", -4, 4, true, true);
  check<8, 32, 16, __half, __half, Col, Col>(checks, "f16 m8n32k16, f16 sums, col col", -2, 2, false, false);
  check<16, 16, 16, __nv_bfloat16, float, Row, Col>(checks, "bf16 m16n16k16, row col", -4, 4, true, true);
  check<32, 8, 16, __nv_bfloat16, float, Col, Row>(checks, "bf16 m32n8k16, col row", -4, 4, false, false);
  check<8, 32, 16, __nv_bfloat16, float, Row, Row>(checks, "bf16 m8n32k16, row row", -4, 4, true, false);
  check<16, 16, 8, wmma::precision::tf32, float, Row, Col>(checks, "tf32 m16n16k8, row col", -9, 9, true, true);
  check<16, 16, 8, wmma::precision::tf32, float, Col, Row>(checks, "tf32 m16n16k8, col row", -9, 9, false, true);
  check<8, 8, 4, double, double, Row, Col>(checks, "f64 m8n8k4, row col", -9, 9, true, true);
  check<8, 8, 4, double, double, Col, Row>(checks, "f64 m8n8k4, col row", -9, 9, false, false);
  check<16, 16, 16, signed char, int, Row, Col>(checks, "s8 m16n16k16, row col", -128, 127, true, true);
  check<16, 16, 16, unsigned char, int, Col, Row>(checks, "u8 m16n16k16, col row", 0, 255, false, true);
  check<32, 8, 16, signed char, int, Col, Col>(checks, "s8 m32n8k16, col col", -128, 127, true, false);
  check<8, 32, 16, unsigned char, int, Row, Row>(checks, "u8 m8n32k16, row row", 0, 255, true, true);
  check_less_than_a_byte(checks);
  return checks.finish();
}
