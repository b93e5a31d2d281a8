// Parboil's histo: a histogram of many bins that saturate at 255.
//
// Most values fall into a few ranges of 24 Ki bins. For each of those, CTAs count in shared memory, four bins
// of a byte in a word; values outside go to global memory.
#include "heddle_device.h"

constexpr int prescan_threads = 512;
constexpr int rows_per_cta = 16;
constexpr int range_kib = 24;
constexpr unsigned bins_per_range = range_kib * 1024, most = 255;

// The ranges within ten standard deviations of the mean, from an eighth of the input.
extern "C" __global__ void histo_prescan(const unsigned* input, int size, unsigned* ranges) {
  __shared__ float means[prescan_threads];
  __shared__ float deviations[prescan_threads];
  const int stride = size / gridDim.x;
  const int first = blockIdx.x * stride + threadIdx.x, end = blockIdx.x * stride + stride / 8;
  float mean = 0.0f;
  unsigned count = 0;
  for (int i = first; i < end; i += blockDim.x) {
    mean += input[i];
    count++;
  }
  mean /= count;
  means[threadIdx.x] = mean;
  float deviation = 0.0f;
  for (int i = first; i < end; i += blockDim.x) deviation += (input[i] - mean) * (input[i] - mean);
  deviations[threadIdx.x] = sqrtf(deviation / count);
#pragma unroll
  for (unsigned s = prescan_threads / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) {
      means[threadIdx.x] += means[threadIdx.x + s];
      deviations[threadIdx.x] += deviations[threadIdx.x + s];
    }
  }
  if (threadIdx.x == 0) {
    const float middle = means[0] / prescan_threads, width = 10 * (deviations[0] / prescan_threads);
    atomicMin(&ranges[0], static_cast<unsigned>(fmaxf(middle - width, 0.0f)) / bins_per_range);
    atomicMax(&ranges[1], static_cast<unsigned>(middle + width) / bins_per_range);
  }
}

// Where a bin lies: its range, the word in the range's shared memory in two parts, the bit in the word.
__device__ static uchar4 place_of(unsigned bin) {
  return uchar4{static_cast<unsigned char>(bin / bins_per_range),
                static_cast<unsigned char>((bin >> 10) % range_kib),
                static_cast<unsigned char>((bin >> 2) % 256), static_cast<unsigned char>(bin % 4 * 8)};
}
__device__ static unsigned bin_of(uchar4 place) {
  return place.x * bins_per_range + place.w / 8 + (place.z << 2) + (place.y << 10);
}

// A CTA takes 16 rows of the image, a thread two pixels of each.
extern "C" __global__ void histo_intermediates(const uint2* input, unsigned width, unsigned input_pitch,
                                               uchar4* places) {
  const unsigned row = rows_per_cta * blockIdx.x;
  const uint2* from = input + row * input_pitch + threadIdx.x;
  unsigned to = row * width + threadIdx.x;
  const bool skip = width % 2 && threadIdx.x == blockDim.x - 1;
#pragma unroll
  for (int i = 0; i < rows_per_cta; i++) {
    const uint2 pixels = *from;
    places[to] = place_of(pixels.x);
    if (!skip) places[to + blockDim.x] = place_of(pixels.y);
    from += input_pitch;
    to += width;
  }
}

// A byte that runs over is 256 more, and its carry one too many in the next byte, which may run over in turn.
__device__ static void count_locally(unsigned* overflow, unsigned (*counts)[256], unsigned my_range,
                                     uchar4 place) {
  if (place.x != my_range) return;
  const unsigned bit = place.w;
  const unsigned before = atomicAdd(&counts[place.y][place.z], 1u << bit);
  if ((before >> bit & 255) != 255) return;
  const unsigned bin = bin_of(place);
  const unsigned next[3] = {before >> ((bit + 8) & 31) & 255, before >> ((bit + 16) & 31) & 255,
                            before >> ((bit + 24) & 31) & 255};
  atomicAdd(&overflow[bin], 256u);
  bool carry = bit < 24;
  if (carry) atomicAdd(&overflow[bin + 1], next[0] < 255 ? ~0u : 255u);
  carry = bit < 16 && next[0] == 255;
  if (carry) atomicAdd(&overflow[bin + 2], next[1] < 255 ? ~0u : 255u);
  carry = bit < 8 && carry && next[1] == 255;
  if (carry) atomicAdd(&overflow[bin + 3], next[2] < 255 ? ~0u : 255u);
}

__device__ static void count_globally(unsigned* outside, unsigned first_range, unsigned last_range,
                                      uchar4 place) {
  if (place.x >= first_range && place.x <= last_range) return;
  const unsigned bin = bin_of(place), bit = bin % 2 * 16;
  if ((outside[bin / 2] >> bit & 0xffff) < most) atomicAdd(&outside[bin / 2], 1u << bit);
}

// blockIdx.y is the range, blockIdx.x the part of the input. The CTAs of the first range also count what lies
// outside of all.
extern "C" __global__ void histo_main(const uchar4* places, unsigned count, unsigned first_range,
                                      unsigned last_range, unsigned* inside, unsigned* outside,
                                      unsigned* overflow) {
  __shared__ unsigned counts[range_kib][256];
  unsigned* words = &counts[0][0];
  const unsigned range = first_range + blockIdx.y;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = threadIdx.x; i < bins_per_range / 4; i += blockDim.x) words[i] = 0;
  __syncthreads();
  if (blockIdx.y == 0) {
    for (; at < count; at += blockDim.x * gridDim.x) {
      const uchar4 place = places[at];
      count_locally(overflow, counts, range, place);
      count_globally(outside, first_range, last_range, place);
    }
  } else {
    for (; at < count; at += blockDim.x * gridDim.x) count_locally(overflow, counts, range, places[at]);
  }
  __syncthreads();
  unsigned* mine = &inside[range * bins_per_range];
  for (unsigned i = threadIdx.x; i < bins_per_range / 4; i += blockDim.x) {
    atomicAdd(&mine[i * 4], words[i] & 255);
    atomicAdd(&mine[i * 4 + 1], words[i] >> 8 & 255);
    atomicAdd(&mine[i * 4 + 2], words[i] >> 16 & 255);
    atomicAdd(&mine[i * 4 + 3], words[i] >> 24);
  }
}

// What was counted outside of the ranges; cleared for the next round.
__device__ static void finish_outside(ushort4* outside, uchar4* histogram, unsigned i) {
  const ushort4 counts = outside[i];
  outside[i] = ushort4{0, 0, 0, 0};
  histogram[i] = uchar4{
      static_cast<unsigned char>(min(counts.x, most)), static_cast<unsigned char>(min(counts.y, most)),
      static_cast<unsigned char>(min(counts.z, most)), static_cast<unsigned char>(min(counts.w, most))};
}

extern "C" __global__ void histo_final(unsigned first_range, unsigned last_range, unsigned bins,
                                       uint4* inside, ushort4* outside, uint4* overflow, uchar4* histogram) {
  const unsigned start = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
  const unsigned low = first_range * bins_per_range / 4;
  const unsigned middle = (last_range - first_range + 1) * bins_per_range / 4;
  for (unsigned i = start; i < low; i += stride) finish_outside(outside, histogram, i);
  for (unsigned i = low + start; i < low + middle; i += stride) {
    const uint4 counts = inside[i], more = overflow[i];
    inside[i] = uint4{0, 0, 0, 0};
    overflow[i] = uint4{0, 0, 0, 0};
    histogram[i] = uchar4{static_cast<unsigned char>(min(counts.x + more.x, most)),
                          static_cast<unsigned char>(min(counts.y + more.y, most)),
                          static_cast<unsigned char>(min(counts.z + more.z, most)),
                          static_cast<unsigned char>(min(counts.w + more.w, most))};
  }
  for (unsigned i = low + middle + start; i < bins / 4; i += stride) finish_outside(outside, histogram, i);
}
