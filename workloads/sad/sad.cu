// Parboil's sad: motion estimation of H.264. Sums of absolute differences between every block of 4 by 4
// pixels and a reference frame, at 33 by 33 displacements; then those of larger blocks, by adding.
#include "heddle_device.h"

constexpr int search_range = 16, search_side = 2 * search_range + 1;
constexpr int positions = search_side * search_side, padded_positions = (positions + 7) / 8 * 8;
constexpr int positions_per_thread = 18;

extern __shared__ unsigned short sums[];  // by position

// A CTA has one block; a thread takes 18 displacements, three at a time, which share their pixels.
extern "C" __global__ void sad_4x4(unsigned short* sads, const unsigned short* frame,
                                   const unsigned short* reference, int mb_width, int mb_height) {
  __shared__ unsigned short block[16];
  const int width = mb_width * 16, height = mb_height * 16;
  const int origin_x = blockIdx.x * 4, origin_y = blockIdx.y * 4;
  if (threadIdx.x < 16)
    block[threadIdx.x] = frame[(origin_y + (threadIdx.x >> 2)) * width + origin_x + (threadIdx.x & 3)];
  __syncthreads();

  const int first = threadIdx.x * positions_per_thread;
  const int end = min(first + positions_per_thread, positions);
  int off_x = first % search_side, y = origin_y - search_range + first / search_side;
  for (int position = first; position < end; position += 3) {
    unsigned short sad1 = 0, sad2 = 0, sad3 = 0;
    int columns[6];
#pragma unroll
    for (int i = 0; i < 6; i++) columns[i] = min(max(origin_x - search_range + off_x + i, 0), width - 1);
#pragma unroll
    for (int row = 0; row < 4; row++) {
      const unsigned short* line = reference + min(max(y + row, 0), height - 1) * width;
      const unsigned short* mine = block + row * 4;
#pragma unroll
      for (int i = 0; i < 6; i++) {
        const int pixel = line[columns[i]];
        if (i < 4) sad1 += abs(pixel - mine[i]);
        if (i >= 1 && i < 5) sad2 += abs(pixel - mine[i - 1]);
        if (i >= 2) sad3 += abs(pixel - mine[i - 2]);
      }
    }
    sums[position] = sad1;
    sums[position + 1] = sad2;
    sums[position + 2] = sad3;
    off_x += 3;
    if (off_x >= search_side) {
      off_x -= search_side;
      y++;
    }
  }
  __syncthreads();

  // Out in pieces of eight bytes, by one warp.
  if (threadIdx.x >= 32) return;
  const int macroblock = (blockIdx.y >> 2) * mb_width + (blockIdx.x >> 2);
  const int in_macroblock = (blockIdx.y & 3) * 4 + (blockIdx.x & 3);
  uint2* to = reinterpret_cast<uint2*>(sads + (mb_width * mb_height * 25 + macroblock * 16 + in_macroblock) *
                                                  padded_positions);
  for (int i = threadIdx.x; i < padded_positions / 4; i += 32) to[i] = reinterpret_cast<uint2*>(sums)[i];
}

__device__ static ushort2 operator+(ushort2 a, ushort2 b) {
  return ushort2{static_cast<unsigned short>(a.x + b.x), static_cast<unsigned short>(a.y + b.y)};
}

// From four blocks, two positions at a time: the two upright pairs, the two level pairs, all four. Arrays are
// given by the number of their first block.
__device__ static void add_blocks(unsigned short* sads, int from, int row, int upright, int level,
                                  int level_step, int all) {
  constexpr int half = padded_positions / 2;
  ushort2* pairs = reinterpret_cast<ushort2*>(sads);
  for (int i = threadIdx.x; i < (positions + 1) / 2; i += 32) {
    const ushort2 s00 = pairs[from * half + i], s01 = pairs[(from + 1) * half + i];
    const ushort2 s10 = pairs[(from + row) * half + i], s11 = pairs[(from + row + 1) * half + i];
    pairs[upright * half + i] = s00 + s10;
    pairs[(upright + 1) * half + i] = s01 + s11;
    pairs[level * half + i] = s00 + s01;
    pairs[(level + level_step) * half + i] = s10 + s11;
    pairs[all * half + i] = s00 + s01 + s10 + s11;
  }
}

// 4 x 8, 8 x 4 and 8 x 8: a CTA per macroblock, threadIdx.y is the quarter of it.
extern "C" __global__ void sad_8(unsigned short* sads, int mb_width, int mb_height) {
  const int x = threadIdx.y & 1, y = threadIdx.y >> 1;
  const int all = mb_width * mb_height, macroblock = blockIdx.y * mb_width + blockIdx.x;
  add_blocks(sads, all * 25 + macroblock * 16 + y * 8 + x * 2, 4, all * 17 + macroblock * 8 + y * 4 + x * 2,
             all * 9 + macroblock * 8 + y * 4 + x, 2, all * 5 + macroblock * 4 + y * 2 + x);
}

// 8 x 16, 16 x 8 and 16 x 16: one warp per macroblock.
extern "C" __global__ void sad_16(unsigned short* sads, int mb_width, int mb_height) {
  const int all = mb_width * mb_height, macroblock = blockIdx.y * mb_width + blockIdx.x;
  add_blocks(sads, all * 5 + macroblock * 4, 2, all * 3 + macroblock * 2, all + macroblock * 2, 1,
             macroblock);
}
