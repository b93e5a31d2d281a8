// Shuffles, votes, matches and reductions of a warp, whole and in part.
#include <vector>

#include "check.h"

constexpr unsigned kAll = 0xffffffffu;

__global__ void shuffles(int* out) {
  const int lane = threadIdx.x;
  int* mine = out + lane * 8;
  mine[0] = __shfl_sync(kAll, lane * 3, 5);
  mine[1] = __shfl_up_sync(kAll, lane, 4);
  mine[2] = __shfl_down_sync(kAll, lane, 7, 16);
  mine[3] = __shfl_xor_sync(kAll, lane, 9);
  const double d = __shfl_sync(kAll, lane * 0.5, (lane + 1) % 32);
  mine[4] = static_cast<int>(d * 2);
  const long long l = __shfl_down_sync(kAll, (static_cast<long long>(lane) << 40) + 1, 1);
  mine[5] = static_cast<int>(l >> 40);
  int inclusive = lane + 1;
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(kAll, inclusive, step);
    if (lane >= step) inclusive += left;
  }
  mine[6] = inclusive;
  mine[7] = 0;
  if (lane % 2 == 1) mine[7] = __shfl_sync(0xaaaaaaaau, lane, 7);
}

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x;
  unsigned* mine = out + lane * 8;
  mine[0] = __ballot_sync(kAll, lane % 3 == 0);
  mine[1] = __any_sync(kAll, lane == 31) ? 1 : 0;
  mine[2] = __all_sync(kAll, lane < 31) ? 1 : 0;
  mine[3] = __match_any_sync(kAll, lane / 5);
  int same = 0;
  mine[4] = __match_all_sync(kAll, 42, &same) + static_cast<unsigned>(same);
  mine[5] = 0;
  if (lane < 10) mine[5] = __activemask() & __ballot_sync(0x3ffu, lane > 4);
  mine[6] =
      __popc(mine[0]) * 100 + __ffs(static_cast<int>(mine[3])) + __clz(static_cast<int>(mine[3])) * 10000;
  __syncwarp();
  mine[7] = __brev(lane) ^ __byte_perm(0x11223344u, 0x55667788u, 0x7531);
}

__global__ void block_votes(int* out) {
  const int count = __syncthreads_count(threadIdx.x % 7 == 0);
  const int any = __syncthreads_or(threadIdx.x == 99);
  const int all = __syncthreads_and(threadIdx.x < 99);
  if (threadIdx.x == 0) {
    out[0] = count;
    out[1] = any != 0;
    out[2] = all != 0;
  }
}

int main() {
  Checks checks;
  int* device;
  CHECK(cudaMalloc(&device, 32 * 8 * sizeof(int)));
  std::vector<int> s(256);
  shuffles<<<1, 32>>>(device);
  CHECK(cudaMemcpy(s.data(), device, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  bool good = true;
  for (int lane = 0; lane < 32; ++lane) {
    const int* m = &s[lane * 8];
    good = good && m[0] == 15 && m[1] == (lane < 4 ? lane : lane - 4) &&
           m[2] == (lane % 16 + 7 < 16 ? lane + 7 : lane);
    good = good && m[3] == (lane ^ 9) && m[4] == (lane + 1) % 32 && m[5] == (lane < 31 ? lane + 1 : lane);
    good = good && m[6] == (lane + 1) * (lane + 2) / 2 && m[7] == (lane % 2 == 1 ? 7 : 0);
  }
  checks.expect(good, "shuffles");
  for (const int lane : {0, 1, 9, 31}) {
    for (int k = 0; k < 8; ++k) std::printf("%d ", s[lane * 8 + k]);
    std::printf("\n");
  }
  std::vector<unsigned> v(256);
  votes<<<1, 32>>>(reinterpret_cast<unsigned*>(device));
  CHECK(cudaMemcpy(v.data(), device, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (const int lane : {0, 1, 9, 31}) {
    for (int k = 0; k < 8; ++k) std::printf("%x ", v[lane * 8 + k]);
    std::printf("\n");
  }
  checks.expect(
      v[0] == 0x49249249u && v[1] == 1 && v[2] == 0 && v[9 * 8 + 3] == 0x3e0u && v[9 * 8 + 5] == 0x3e0u,
      "votes and matches");
  block_votes<<<1, 100>>>(device);
  CHECK(cudaMemcpy(s.data(), device, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  checks.expect(s[0] == 15 && s[1] == 1 && s[2] == 0, "votes of a block");
  return checks.finish();
}
