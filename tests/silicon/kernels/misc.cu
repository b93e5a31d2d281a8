// printf, assert, clocks, asynchronous copies, special registers.
#include <assert.h>
#include <cuda_pipeline.h>
#include <stdio.h>

#include "silicon.cuh"

KERNEL print_and_assert(const u32* in, u32* out, int n) {
  const int i = global_id();
  assert(i < n);
  if (i % 50 == 0) printf("thread %d: %08x %s %5.2f %lld%% %c\n", i, in[i], "text", unit(in[i]), (long long)in[i] << 9, 'a' + i % 26);
  out[i] = in[i] + 1;
}

KERNEL clocks(const u32* in, u32* out, int n) {
  const int i = global_id();
  const long long before = clock64();
  const clock_t short_before = clock();
  u32 v = in[i];
  for (int k = 0; k < 10; ++k) v = v * 3 + 1;
  out[i] = (clock64() - before >= 0) + (clock() - short_before >= 0) * 2 + (v == 0x1234567) * 0;
}

KERNEL async_copy(const u32* in, u32* out, int n) {
  __shared__ alignas(16) u32 s[2][256];
  const int t = threadIdx.x;
  const u32* from = in + blockIdx.x * 1024;
  u32 sum = 0;
  if (t < 64) __pipeline_memcpy_async(&s[0][t * 4], from + t * 4, 16);
  __pipeline_commit();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      __pipeline_memcpy_async(&s[(k + 1) & 1][t], from + (k + 1) * 256 + t, 4, t % 7 == 0 ? 2 : 0);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum = sum * 3 + s[k & 1][255 - t];
    __syncthreads();
  }
  out[global_id()] = sum;
}

KERNEL special_registers(const u32* in, u32* out, int n) {
  const int i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * (blockDim.x * blockDim.y * blockDim.z) +
                (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  u32 lane, eq, lt, le, gt, ge, dynamic, total;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  asm("mov.u32 %0, %lanemask_eq;" : "=r"(eq));
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %lanemask_ge;" : "=r"(ge));
  asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(dynamic));
  asm("mov.u32 %0, %total_smem_size;" : "=r"(total));
  out[i] = lane ^ eq * 3 ^ lt * 5 ^ le * 7 ^ gt * 11 ^ ge * 13 ^ dynamic ^ warpSize + (total >= dynamic) + threadIdx.z * 1000 + in[i];
}
