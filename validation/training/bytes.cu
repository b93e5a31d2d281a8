// Text and other data of 8 and 16 bits.
#include <cuda_fp16.h>

#include "training.cuh"

KERNEL count_char(const unsigned char* text, unsigned* count, int per_thread, unsigned char wanted) {
  const int i = global_id(), threads = gridDim.x * blockDim.x;
  unsigned c = 0;
  for (int k = 0; k < per_thread; ++k) c += text[k * threads + i] == wanted;
  count[i] = c;
}
// Words and lines of a piece of text per thread: neighbouring lanes are far apart.
KERNEL count_words(const unsigned char* text, unsigned* words, int per_thread) {
  const int i = global_id();
  const unsigned char* t = text + i * per_thread;
  unsigned n = 0;
  bool in = false;
  for (int k = 0; k < per_thread; ++k) {
    const unsigned char c = t[k];
    if (c < 64)
      in = false;
    else if (!in)
      in = true, ++n;
  }
  words[i] = n;
}
// A pattern at every position, compared until it differs.
KERNEL match_naive(const unsigned char* text, const unsigned char* pattern, unsigned* found, int n,
                   int length) {
  const int i = global_id();
  if (i >= n) return;
  int k = 0;
  while (k < length && (text[i + k] & 3) == (pattern[k] & 3)) ++k;
  found[i] = k;
}
// An automaton: a table of transitions, state after state.
KERNEL match_automaton(const unsigned char* text, const unsigned char* next, unsigned* hits, int n,
                       int per_thread) {
  __shared__ unsigned char s[64 * 16];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = next[k] & 63;
  __syncthreads();
  const int i = global_id();
  unsigned state = 0, h = 0;
  for (int k = 0; k < per_thread; ++k) {
    state = s[state * 16 + (text[k * n + i] & 15)];
    h += state == 7;
  }
  hits[i] = h;
}
// Edit distance of short words, a row in registers or local memory.
KERNEL edit_distance(const unsigned char* a, const unsigned char* b, unsigned* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  unsigned char x[12];
  int row[13];
#pragma unroll
  for (int k = 0; k < 12; ++k) x[k] = a[k * n + i] & 3;
#pragma unroll
  for (int k = 0; k <= 12; ++k) row[k] = k;
  for (int j = 0; j < 12; ++j) {
    const unsigned char c = b[j * n + i] & 3;
    int diagonal = row[0];
    row[0] = j + 1;
#pragma unroll
    for (int k = 1; k <= 12; ++k) {
      const int v = min(min(row[k], row[k - 1]) + 1, diagonal + (x[k - 1] != c));
      diagonal = row[k], row[k] = v;
    }
  }
  out[i] = row[12];
}
KERNEL upper_case(uchar4* text, int n) {
  const int i = global_id();
  if (i >= n) return;
  uchar4 c = text[i];
  auto up = [](unsigned char v) -> unsigned char { return v >= 'a' && v <= 'z' ? v - 32 : v; };
  text[i] = make_uchar4(up(c.x), up(c.y), up(c.z), up(c.w));
}
KERNEL base64(const unsigned char* in, const unsigned char* alphabet, uchar4* out, int n) {
  const int i = global_id();
  if (i >= n) return;
  const unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  out[i] =
      make_uchar4(alphabet[v >> 18], alphabet[(v >> 12) & 63], alphabet[(v >> 6) & 63], alphabet[v & 63]);
}
// Products of bytes, four at a time.
KERNEL dot_bytes(const int4* a, const int4* b, int* out, int n, int vectors) {
  const int i = global_id();
  if (i >= n) return;
  int s = 0;
  for (int k = 0; k < vectors; ++k) {
    const int4 x = a[k * n + i], y = b[k];
    s = __dp4a(x.x, y.x, s), s = __dp4a(x.y, y.y, s), s = __dp4a(x.z, y.z, s), s = __dp4a(x.w, y.w, s);
  }
  out[i] = s;
}
KERNEL blend_u16(const ushort4* a, const ushort4* b, ushort4* out, int n, unsigned alpha) {
  const int i = global_id();
  if (i >= n) return;
  auto f = [&](unsigned x, unsigned y) -> unsigned short { return (x * alpha + y * (256 - alpha)) >> 8; };
  const ushort4 x = a[i], y = b[i];
  out[i] = make_ushort4(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w));
}
// Sums of absolute differences of 8 x 8 blocks, at 16 places (Parboil's sad).
KERNEL block_sad(const unsigned char* now, const unsigned char* before, unsigned* out, int w, int blocks) {
  const int i = global_id(), block = i / 16, place = i % 16;
  if (block >= blocks) return;
  const int per_row = w / 8 - 2, x = block % per_row * 8 + 4, y = block / per_row * 8 + 4, dx = place % 4 - 2,
            dy = place / 4 - 2;
  unsigned s = 0;
  for (int r = 0; r < 8; ++r)
#pragma unroll
    for (int c = 0; c < 8; ++c)
      s += abs((int)now[(y + r) * w + x + c] - (int)before[(y + r + dy) * w + x + c + dx]);
  out[i] = s;
}
KERNEL half_axpy(const __half2* x, __half2* y, int n, float a) {
  const int i = global_id();
  if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}
KERNEL half_to_float(const __half* in, float* out, int n) {
  const int i = global_id();
  if (i < n) out[i] = __half2float(in[i]) * 2;
}
// Runs of equal values, a piece per thread.
KERNEL run_lengths(const unsigned char* in, unsigned* runs, int per_thread) {
  const int i = global_id(), threads = gridDim.x * blockDim.x;
  unsigned n = 0, length = 0, most = 0;
  int last = -1;
  for (int k = 0; k < per_thread; ++k) {
    const int v = in[k * threads + i] >> 6;
    if (v == last) {
      ++length;
    } else {
      most = max(most, length);
      ++n, length = 1, last = v;
    }
  }
  runs[i] = n * 256 + most;
}
