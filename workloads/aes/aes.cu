// AES-128 encryption as S. Manavski's CUDA program does it: a thread per word of the text, four threads per
// block of 16 bytes. The four round tables lie in constant memory and are copied to shared memory by every
// CTA; round keys are read by texture; words pass between the threads of a block through shared memory, by
// turns through two arrays.
#include "heddle_device.h"

constexpr int cta_threads = 256, rounds = 10;

union Word {
  unsigned word;
  unsigned char byte[4];  // of a column, first row first
};

// table[r][b]: what a byte b of row r contributes to the column that it is shifted into.
__constant__ unsigned table0[256], table1[256], table2[256], table3[256];
// Four bytes per column: from which column the byte of each row comes.
__constant__ unsigned char shift_from[16] = {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};

struct Tables {
  Word t0[256], t1[256], t2[256], t3[256];
};

// The bytes that this thread's column has after the rows are shifted.
HEDDLE_DEVICE uint4 shifted(const Word* state, unsigned column, unsigned first) {
  const unsigned char* const from = shift_from + 4 * column;
  return {state[first + from[0]].byte[0], state[first + from[1]].byte[1], state[first + from[2]].byte[2],
          state[first + from[3]].byte[3]};
}

HEDDLE_DEVICE void inner_round(const Word* state, Word* next, const Tables& tables, unsigned key) {
  const unsigned thread = threadIdx.x;
  const uint4 b = shifted(state, thread % 4, thread / 4 * 4);
  next[thread].word =
      tables.t0[b.x].word ^ tables.t1[b.y].word ^ tables.t2[b.z].word ^ tables.t3[b.w].word ^ key;
  __syncthreads();
}

extern "C" __global__ void aes_encrypt128(unsigned* result, const unsigned* text, cudaTextureObject_t keys) {
  __shared__ Word one[cta_threads], other[cta_threads];
  __shared__ Tables tables;
  const unsigned thread = threadIdx.x, column = thread % 4;
  const unsigned at = cta_threads * blockIdx.x + thread;

  one[thread].word = text[at];
  tables.t0[thread].word = table0[thread];
  tables.t1[thread].word = table1[thread];
  tables.t2[thread].word = table2[thread];
  tables.t3[thread].word = table3[thread];
  __syncthreads();

  other[thread].word = one[thread].word ^ tex1Dfetch<unsigned>(keys, column);
  __syncthreads();
#pragma unroll
  for (int round = 1; round < rounds; ++round) {
    const unsigned key = tex1Dfetch<unsigned>(keys, column + 4 * round);
    if (round % 2 == 1)
      inner_round(other, one, tables, key);
    else
      inner_round(one, other, tables, key);
  }

  // No mixing in the last round: the plain substitute of a byte is the last byte of its entry in table1.
  const uint4 b = shifted(one, column, thread / 4 * 4);
  const unsigned key = tex1Dfetch<unsigned>(keys, column + 4 * rounds);
  other[thread].byte[3] = tables.t1[b.w].byte[3] ^ (key >> 24);
  other[thread].byte[2] = tables.t1[b.z].byte[3] ^ (key >> 16 & 255);
  other[thread].byte[1] = tables.t1[b.y].byte[3] ^ (key >> 8 & 255);
  other[thread].byte[0] = tables.t1[b.x].byte[3] ^ (key & 255);
  __syncthreads();
  result[at] = other[thread].word;
}
