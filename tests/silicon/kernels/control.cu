// Calls and branches: recursion, local stacks, virtual functions, function pointers, jump tables.
#include "silicon.cuh"

// Solutions for a board of 8 whose first two queens the thread number says, with a stack in local memory.
KERNEL nqueens(const u32* in, u32* out, int n) {
  const int i = global_id(), first = i / 8 % 8, second = i % 8;
  const u32 full = 255;
  u32 columns[8], left[8], right[8], open[8];
  u32 count = 0;
  const u32 a = 1u << first, b = 1u << second;
  if (!(b & (a | a << 1 | a >> 1))) {
    int depth = 2;
    columns[2] = a | b;
    left[2] = (a << 2 | b << 1) & full;
    right[2] = a >> 2 | b >> 1;
    open[2] = full & ~(columns[2] | left[2] | right[2]);
    while (depth >= 2) {
      if (open[depth] == 0) {
        --depth;
        continue;
      }
      const u32 bit = open[depth] & -open[depth];
      open[depth] ^= bit;
      if (depth == 7) {
        ++count;
        continue;
      }
      columns[depth + 1] = columns[depth] | bit;
      left[depth + 1] = (left[depth] | bit) << 1 & full;
      right[depth + 1] = (right[depth] | bit) >> 1;
      ++depth;
      open[depth] = full & ~(columns[depth] | left[depth] | right[depth]);
    }
  }
  out[i] = count + (in[i] & ~0xfffu);
}

__device__ __noinline__ void quicksort(int* v, int lo, int hi) {
  if (lo >= hi) return;
  const int pivot = v[(lo + hi) / 2];
  int a = lo, b = hi;
  while (a <= b) {
    while (v[a] < pivot) ++a;
    while (v[b] > pivot) --b;
    if (a <= b) {
      const int swap = v[a];
      v[a++] = v[b];
      v[b--] = swap;
    }
  }
  quicksort(v, lo, b);
  quicksort(v, a, hi);
}

KERNEL recursive_quicksort(const u32* in, u32* out, int n) {
  const int i = global_id();
  int mine[24];
  for (int k = 0; k < 24; ++k) mine[k] = in[i * 24 + k];
  quicksort(mine, 0, 23);
  for (int k = 0; k < 24; ++k) out[i * 24 + k] = mine[k];
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

KERNEL recursive_functions(const u32* in, u32* out, int n) {
  const int i = global_id();
  out[i] = ackermann(in[i] % 3, in[i] / 3 % 5) * 1000 + fibonacci(in[i] >> 20 & 7);
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area(int x) const = 0;
  __device__ virtual int sides() const { return 0; }
};
struct Square : Shape {
  int a;
  __device__ Square(int a_) : a(a_) {}
  __device__ int area(int x) const override { return a * a + x; }
  __device__ int sides() const override { return 4; }
};
struct Triangle : Shape {
  int b, h;
  __device__ Triangle(int b_, int h_) : b(b_), h(h_) {}
  __device__ int area(int x) const override { return b * h / 2 - x; }
  __device__ int sides() const override { return 3; }
};
struct Blob : Shape {
  __device__ int area(int x) const override { return x ^ 0x55; }
};

KERNEL virtual_functions(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 v = in[i];
  Square square(v & 31);
  Triangle triangle(v >> 5 & 31, v >> 10 & 31);
  Blob blob;
  const Shape* all[3] = {&square, &triangle, &blob};
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    const Shape* s = all[(v >> (16 + 2 * k)) % 3];
    sum = sum * 7 + s->area(k) + s->sides();
  }
  out[i] = sum;
}

__device__ __noinline__ int op_add(int a, int b) { return a + b; }
__device__ __noinline__ int op_mix(int a, int b) { return a * 31 ^ b; }
__device__ __noinline__ int op_max(int a, int b) { return a > b ? a : b; }
__device__ __noinline__ int op_div(int a, int b) { return a / (b | 1); }
typedef int (*Operation)(int, int);
__device__ Operation operations[4] = {op_add, op_mix, op_max, op_div};

KERNEL function_pointers(const u32* in, u32* out, int n) {
  const int i = global_id();
  int r = i;
  for (int k = 0; k < 6; ++k) r = operations[in[i] >> (4 * k) & 3](r, in[i]);
  Operation own = in[i] & 64 ? op_add : op_mix;
  out[i] = own(r, 5);
}

KERNEL big_switch(const u32* in, u32* out, int n) {
  const int i = global_id();
  u32 v = in[i], r = i;
  for (int k = 0; k < 5; ++k, v = v * 1664525 + 1013904223) {
    switch (v >> 27) {
      case 0: r += v; break;
      case 1: r ^= v << 3; break;
      case 2: r = r * 17 + 1; break;
      case 3: r -= v >> 4; [[fallthrough]];
      case 4: r = ~r; break;
      case 5: r = __brev(r); break;
      case 6: r = r / 3; break;
      case 7: r = r % 1001; break;
      case 8: for (int j = 0; j < (v & 7); ++j) r = r * 5 + j; break;
      case 9: r |= 0x100; break;
      case 10: r &= ~v; break;
      case 11: r = __popc(r) + v; break;
      case 12: r = r << 1 | r >> 31; break;
      case 13: r += 0xdeadbeef; break;
      case 14: if (r & 1) r = r * 3 + 1; else r /= 2; break;
      case 15: r = -r; break;
      case 16: r ^= r >> 16; break;
      case 17: r *= 0x45d9f3b; break;
      case 18: r = max(r, v); break;
      case 19: r = min(r, v); break;
      case 20: r = __umulhi(r, v); break;
      case 21: r = (r & 0xffff) * (v & 0xffff); break;
      case 22: continue;
      default: r = r * 33 + (v & 0xff);
    }
  }
  out[i] = r;
}

// Loops that end at different times, breaks, continues and an early return.
KERNEL divergence(const u32* in, u32* out, int n) {
  const int i = global_id();
  u32 v = in[i] | 1, steps = 0;
  if ((v & 0x3e) == 0) {
    out[i] = 77;
    return;
  }
  for (u32 outer = 0; outer < (v & 15); ++outer) {
    u32 c = (v >> outer) & 1023;
    while (c > 1) {
      c = c & 1 ? 3 * c + 1 : c / 2;
      if (++steps > 300) goto out_of_both;
      if (c % 97 == 5) break;
      if (c % 13 == 7) continue;
      steps += c & 1;
    }
  }
out_of_both:
  out[i] = steps;
}
