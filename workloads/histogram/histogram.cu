// The CUDA SDK's histograms of bytes. 64 bins: counters of one byte per thread and bin in shared memory. 256
// bins: a histogram per warp in shared memory, counted with atomics. Both leave one histogram per CTA, which
// others add.
#include "heddle_device.h"

constexpr int cta64 = 64, bins64 = 64;
constexpr int warps256 = 6, cta256 = warps256 * 32, bins256 = 256;
constexpr int merge_cta = 256;

HEDDLE_DEVICE void count_byte(unsigned char* counters, unsigned bin) {
  counters[bin * cta64]++;
}
HEDDLE_DEVICE void count_word(unsigned char* counters, unsigned word) {
  count_byte(counters, (word >> 2) & 63);
  count_byte(counters, (word >> 10) & 63);
  count_byte(counters, (word >> 18) & 63);
  count_byte(counters, (word >> 26) & 63);
}

extern "C" __global__ void histogram64(unsigned* partial, const uint4* data, unsigned count) {
  __shared__ unsigned char counters[cta64 * bins64];
  // Neighbouring threads count in different banks: the bytes of a word belong to threads 16 apart.
  const unsigned thread = threadIdx.x;
  const unsigned place = (thread & ~63u) | (thread & 15) << 2 | (thread & 48) >> 4;
  unsigned* const words = reinterpret_cast<unsigned*>(counters);
  for (unsigned i = 0; i < bins64 / 4; ++i) words[thread + i * cta64] = 0;
  __syncthreads();

  for (unsigned i = blockIdx.x * blockDim.x + thread; i < count; i += blockDim.x * gridDim.x) {
    const uint4 d = data[i];
    count_word(&counters[place], d.x);
    count_word(&counters[place], d.y);
    count_word(&counters[place], d.z);
    count_word(&counters[place], d.w);
  }
  __syncthreads();

  // A thread adds the counters of one bin, each from another word on.
  if (thread < bins64) {
    const unsigned char* const bin = &counters[thread * cta64];
    unsigned sum = 0, at = 4 * (thread & 15);
    for (unsigned i = 0; i < cta64 / 4; ++i) {
      sum += bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
      at = (at + 4) & (cta64 - 1);
    }
    partial[blockIdx.x * bins64 + thread] = sum;
  }
}

// A CTA per bin.
HEDDLE_DEVICE void merge(unsigned* histogram, const unsigned* partial, unsigned histograms, unsigned bins) {
  __shared__ unsigned sums[merge_cta];
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < histograms; i += merge_cta) sum += partial[blockIdx.x + i * bins];
  sums[threadIdx.x] = sum;
  for (unsigned half = merge_cta / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}

extern "C" __global__ void merge_histogram64(unsigned* histogram, const unsigned* partial,
                                             unsigned histograms) {
  merge(histogram, partial, histograms, bins64);
}

extern "C" __global__ void histogram256(unsigned* partial, const unsigned* data, unsigned count) {
  __shared__ unsigned counters[warps256 * bins256];
  unsigned* const own = &counters[(threadIdx.x >> 5) * bins256];
  for (unsigned i = 0; i < warps256 * bins256 / cta256; ++i) counters[threadIdx.x + i * cta256] = 0;
  __syncthreads();

  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    const unsigned word = data[i];
    atomicAdd(&own[word & 255], 1u);
    atomicAdd(&own[word >> 8 & 255], 1u);
    atomicAdd(&own[word >> 16 & 255], 1u);
    atomicAdd(&own[word >> 24], 1u);
  }
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < bins256; bin += cta256) {
    unsigned sum = 0;
    for (unsigned warp = 0; warp < warps256; ++warp) sum += counters[bin + warp * bins256];
    partial[blockIdx.x * bins256 + bin] = sum;
  }
}

extern "C" __global__ void merge_histogram256(unsigned* histogram, const unsigned* partial,
                                              unsigned histograms) {
  merge(histogram, partial, histograms, bins256);
}
