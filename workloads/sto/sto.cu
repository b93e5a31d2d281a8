// StoreGPU's sliding-window hashing: MD5 of windows of the data that begin four bytes apart, a window per
// thread, the first word of each hash. A warp has 512 words of shared memory for its threads' blocks, laid
// out so that lanes never meet in a bank.
#include "heddle_device.h"
#include "workloads/sto/md5_constants.h"

constexpr int block_words = 16, tail_words = 3;
constexpr int warp_words = 512;
// More than the four warps of a CTA use: with it, a CTA has an SM of 16 KB for itself.
constexpr int shared_words = 4 * 1024 - 32;

// Words of the warp's threads lie beside each other.
HEDDLE_DEVICE unsigned place(unsigned word) {
  return 32 * word + (threadIdx.x & 31);
}

// A block of data into shared memory. The last one of a window has the end mark and the length behind the
// data; windows are as long as leaves room for these.
HEDDLE_DEVICE void load_block(unsigned* words, const unsigned* data, int window, int index, bool last) {
  if (last) {
    const int padding = (64 - 4 * tail_words - (window - index * 64)) / 4;
#pragma unroll 1
    for (int i = 0; i < padding; ++i) words[place(13 - i)] = 0;
#pragma unroll 1
    for (int i = 0; i < block_words - tail_words - padding; ++i)
      words[place(i)] = data[i + block_words * index];
    words[place(13 - padding)] = 0x80;
    words[place(14)] = static_cast<unsigned>(window) << 3;
    words[place(15)] = static_cast<unsigned>(window) >> 29;
  } else {
#pragma unroll
    for (int i = 0; i < block_words; ++i) words[place(i)] = data[i + block_words * index];
  }
}

// Puts every word together from its bytes, for hosts of any byte order. The compiler would see that this
// changes nothing here.
HEDDLE_DEVICE void to_little_endian(unsigned* words) {
#pragma unroll
  for (int i = 0; i < block_words; ++i) {
    const volatile unsigned char* const bytes = reinterpret_cast<unsigned char*>(words + place(i));
    const unsigned b0 = bytes[0], b1 = bytes[1], b2 = bytes[2], b3 = bytes[3];
    words[place(i)] = b0 | b1 << 8 | b2 << 16 | b3 << 24;
  }
}

HEDDLE_DEVICE unsigned mixed(int round, unsigned x, unsigned y, unsigned z) {
  if (round == 0) return z ^ (x & (y ^ z));
  if (round == 1) return y ^ (z & (x ^ y));
  if (round == 2) return x ^ y ^ z;
  return y ^ (x | ~z);
}

HEDDLE_DEVICE int word_of_step(int round, int step) {
  if (round == 0) return step;
  if (round == 1) return (5 * step + 1) % block_words;
  if (round == 2) return (3 * step + 5) % block_words;
  return 7 * step % block_words;
}

HEDDLE_DEVICE unsigned md5_first_word(const unsigned* data, unsigned* words, int window) {
  const int blocks = window / 64 + 1;
  unsigned s0 = md5_begin[0], s1 = md5_begin[1], s2 = md5_begin[2], s3 = md5_begin[3];
#pragma unroll 1
  for (int index = 0; index < blocks; ++index) {
    load_block(words, data, window, index, index == blocks - 1);
    to_little_endian(words);
    unsigned a = s0, b = s1, c = s2, d = s3;
#pragma unroll
    for (int step = 0; step < 64; ++step) {
      const int round = step / 16;
      const unsigned turn = md5_turns[round][step % 4];
      const unsigned sum =
          a + mixed(round, b, c, d) + words[place(word_of_step(round, step % 16))] + md5_sines[step];
      a = d;
      d = c;
      c = b;
      b += sum << turn | sum >> (32 - turn);
    }
    s0 += a;
    s1 += b;
    s2 += c;
    s3 += d;
  }
  return s0;
}

extern "C" __global__ void md5_overlap(const unsigned char* data, int window, int offset, int windows,
                                       unsigned char* hashes) {
  __shared__ unsigned words[shared_words];
  const int thread = threadIdx.x + blockDim.x * blockIdx.x;
  if (thread >= windows) return;
  const unsigned* const mine = reinterpret_cast<const unsigned*>(data + thread * offset);
  const unsigned hash = md5_first_word(mine, words + (threadIdx.x >> 5) * warp_words, window);
  unsigned char* const to = hashes + 4 * thread;
  to[0] = static_cast<unsigned char>(hash);
  to[1] = static_cast<unsigned char>(hash >> 8);
  to[2] = static_cast<unsigned char>(hash >> 16);
  to[3] = static_cast<unsigned char>(hash >> 24);
}
