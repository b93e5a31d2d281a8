// Which element each lane holds in the fragments of <mma.h>. The manual leaves it open, but some programs rely on it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "check.h"
#include "device_array.h"

using namespace nvcuda;

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

// Which row and column each lane's elements come from.
template <class Use, int M, int N, int K, class T, class Layout>
__global__ void layout(const Stored<T>* rows, const Stored<T>* columns, int stride, int* out) {
  wmma::fragment<Use, M, N, K, T, Layout> r, c;
  if constexpr (std::is_same_v<Use, wmma::accumulator>) {
    wmma::load_matrix_sync(r, rows, stride, wmma::mem_row_major);
    wmma::load_matrix_sync(c, columns, stride, wmma::mem_row_major);
  } else {
    wmma::load_matrix_sync(r, rows, stride);
    wmma::load_matrix_sync(c, columns, stride);
  }
  for (int i = 0; i < r.num_elements; ++i)
    out[threadIdx.x * r.num_elements + i] =
        static_cast<int>(static_cast<float>(r.x[i])) * 100 + static_cast<int>(static_cast<float>(c.x[i]));
}

template <class Use, int M, int N, int K, class T, class Layout>
void print_layout(const char* what, bool row_major) {
  using Fragment = wmma::fragment<Use, M, N, K, T, Layout>;
  const int n = Fragment::num_elements, stride = 32;
  std::vector<Stored<T>> rows(stride * stride), columns(stride * stride);
  for (int line = 0; line < stride; ++line)
    for (int i = 0; i < stride; ++i) {
      rows[line * stride + i] = Stored<T>(static_cast<float>(row_major ? line : i));
      columns[line * stride + i] = Stored<T>(static_cast<float>(row_major ? i : line));
    }
  Device<Stored<T>> dr(rows), dc(columns);
  Device<int> out(32 * n);
  layout<Use, M, N, K, T, Layout><<<1, 32>>>(dr.get(), dc.get(), stride, out.get());
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> v = out.read();
  std::uint32_t hash = 2166136261u;
  for (const int x : v) hash = (hash ^ static_cast<std::uint32_t>(x)) * 16777619u;
  std::printf("%s: %d elements, hash %08x\n", what, n, hash);
  for (const int lane : {0, 6, 31}) {
    std::printf("  lane %2d:", lane);
    for (int i = 0; i < n; ++i) std::printf(" %d,%d", v[lane * n + i] / 100, v[lane * n + i] % 100);
    std::printf("\n");
  }
}

int main() {
  using Row = wmma::row_major;
  using Col = wmma::col_major;
  print_layout<wmma::matrix_a, 16, 16, 16, __half, Row>("a f16 m16n16k16 row", true);
  print_layout<wmma::matrix_a, 16, 16, 16, __half, Col>("a f16 m16n16k16 col", false);
  print_layout<wmma::matrix_b, 16, 16, 16, __half, Col>("b f16 m16n16k16 col", false);
  print_layout<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, Row>("a bf16 m16n16k16 row", true);
  print_layout<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Row>("a tf32 m16n16k8 row", true);
  print_layout<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Col>("b tf32 m16n16k8 col", false);
  print_layout<wmma::matrix_a, 16, 16, 16, signed char, Row>("a s8 m16n16k16 row", true);
  print_layout<wmma::matrix_b, 16, 16, 16, signed char, Col>("b s8 m16n16k16 col", false);
  print_layout<wmma::matrix_a, 8, 8, 4, double, Row>("a f64 m8n8k4 row", true);
  print_layout<wmma::accumulator, 16, 16, 16, float, void>("sums f32 m16n16k16", true);
  print_layout<wmma::accumulator, 16, 16, 16, __half, void>("sums f16 m16n16k16", true);
  print_layout<wmma::accumulator, 32, 8, 16, float, void>("sums f32 m32n8k16", true);
  print_layout<wmma::accumulator, 16, 16, 16, int, void>("sums s32 m16n16k16", true);
  print_layout<wmma::accumulator, 8, 8, 4, double, void>("sums f64 m8n8k4", true);
  return 0;
}
