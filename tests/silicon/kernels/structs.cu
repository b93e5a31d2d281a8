// Data of all shapes: structs by value, alignment, small integers, builtin copies, the device heap.
#include "silicon.cuh"

struct alignas(16) Particle {
  float position[3];
  unsigned char kind;
  short charge;
  double mass;
};
struct Packed {
  char c0;
  signed char c1;
  unsigned short s;
  char3 rgb;
  u64 wide;
  float2 pair;
};
template <class T, int N>
struct Vec {
  T v[N];
  __device__ Vec operator+(const Vec& o) const {
    Vec r;
    for (int k = 0; k < N; ++k) r.v[k] = v[k] + o.v[k];
    return r;
  }
  __device__ T dot(const Vec& o) const {
    T s = 0;
    for (int k = 0; k < N; ++k) s += v[k] * o.v[k];
    return s;
  }
};

__device__ __noinline__ Particle move(Particle p, float3 by) {
  p.position[0] += by.x;
  p.position[1] -= by.y;
  p.position[2] *= by.z;
  p.charge = (short)(p.charge * 3 + p.kind);
  p.mass += 0.25;
  return p;
}
template <int N>
__device__ __noinline__ Vec<int, N> twice(Vec<int, N> a) {
  return a + a;
}

KERNEL struct_values(const u32* in, u32* out, int n) {
  const int i = global_id();
  Particle p = {{unit(in[i]), unit(in[i + 1]), 3.0f}, (unsigned char)in[i], (short)(in[i] >> 7), unit(in[i + 2])};
  p = move(p, make_float3(1.5f, 0.25f, unit(in[i + 3])));
  Vec<int, 5> v;
  for (int k = 0; k < 5; ++k) v.v[k] = in[i + k] >> 16;
  const Vec<int, 5> w = twice(v);
  u32 r = bits(p.position[0]) ^ bits(p.position[1]) * 3 ^ bits(p.position[2]) * 5 ^ (u32)p.charge;
  r += (u32)bits(p.mass) + (u32)(bits(p.mass) >> 32) + w.dot(v);
  out[i] = r;
}

KERNEL struct_memory(const u32* in, u32* out, int n) {
  __shared__ Packed packed[128];
  __shared__ Particle particles[128];
  const int t = threadIdx.x, i = global_id();
  const u32 v = in[i];
  packed[t].c0 = (char)v;
  packed[t].c1 = (signed char)(v >> 8);
  packed[t].s = (unsigned short)(v >> 3);
  packed[t].rgb = make_char3((signed char)v, (signed char)(v >> 5), (signed char)(v >> 11));
  packed[t].wide = (u64)v * v;
  packed[t].pair = make_float2(unit(v), unit(v * 3));
  particles[t].mass = v;
  particles[t].kind = v >> 9;
  particles[t].charge = v >> 1;
  __syncthreads();
  const Packed& a = packed[(t * 5 + 1) % 128];
  const Particle& b = particles[127 - t];
  u32 r = (unsigned char)a.c0 + a.c1 * 256 + a.s + a.rgb.x * a.rgb.y - a.rgb.z;
  r ^= (u32)(a.wide >> 16) ^ bits(a.pair.x + a.pair.y);
  r += (u32)b.mass + b.kind * 65536 + b.charge;
  out[i] = r + sizeof(Packed) + sizeof(Particle);
}

KERNEL small_integers(const u32* in, u32* out, int n) {
  const int i = global_id();
  const u32 v = in[i];
  signed char a = (signed char)v, b = (signed char)(v >> 8);
  unsigned char c = v >> 16, d = v >> 24;
  short e = (short)(v >> 4), f = (short)(v >> 12);
  unsigned short g = v >> 9;
  a += b;
  b *= 3;
  c -= d;
  d = d << 2 | c >> 3;
  e = e / (f | 1);
  f = f % 77;
  g = (unsigned short)(g * g + (g >> 3));
  a >>= 1;
  const float x = a * 0.5f + c, y = (float)g / (d + 1);
  u32 r = (u32)a ^ (u32)b << 3 ^ c << 7 ^ d << 11 ^ (u32)e << 13 ^ (u32)f ^ g << 5;
  r += (signed char)x + (unsigned short)y + (short)(x * y) + (u32)(long long)(x * 1000.0f);
  r ^= (u32)(unsigned char)fabsf(y) + (u32)(e > f) + (u32)(a == b) * 4 + (u32)__float2int_rn(y) + __float2int_ru(x);
  out[i] = r;
}

KERNEL builtin_copies(const u32* in, u32* out, int n) {
  const int i = global_id();
  unsigned char local[64];
  memset(local, 0x5a, sizeof local);
  memcpy(local + 3, in + i, 21);
  const int length = in[i] & 31;
  memcpy(local + 30, local + (in[i] >> 8 & 7), length);
  memset(local + 61, in[i], in[i] & 3);
  u32 r = 0;
  for (int k = 0; k < 64; ++k) r = r * 31 + local[k];
  memcpy(out + 4 * i, in + 2 * i, 8);
  memcpy(out + 4 * i + 2, &r, 4);
  out[4 * i + 3] = length;
}

KERNEL device_heap(const u32* in, u32* out, int n) {
  struct Node {
    u32 value;
    Node* next;
  };
  const int i = global_id();
  Node* list = nullptr;
  for (int k = 0; k < 5; ++k) {
    Node* node = (Node*)malloc(sizeof(Node));
    node->value = in[i] >> k;
    node->next = list;
    list = node;
  }
  u32* array = new u32[8];
  for (int k = 0; k < 8; ++k) array[k] = k * in[i];
  u32 r = 0;
  while (list) {
    Node* next = list->next;
    r = r * 7 + list->value;
    free(list);
    list = next;
  }
  for (int k = 0; k < 8; ++k) r ^= array[k];
  delete[] array;
  out[i] = r;
}

KERNEL cache_hints(const u32* __restrict__ in, u32* __restrict__ out, int n) {
  const int i = global_id();
  u32 r = __ldg(in + i) + __ldcg(in + n - 1 - i) * 3 + __ldca(in + i) + __ldcs(in + i) + __ldcv(in + i);
  const uint4 v = __ldg((const uint4*)in + i / 4);
  const float2 p = __ldg((const float2*)in + i / 2);
  const short4 s = __ldg((const short4*)in + i / 2);
  const u64 w = __ldlu((const u64*)in + i / 2);
  r ^= v.x + v.y * 3 + v.z * 5 + v.w * 7 + bits(p.x) + bits(p.y) + s.x * s.w + s.y - s.z + (u32)(w >> 32);
  __stcg(out + 4 * i, r);
  __stcs(out + 4 * i + 1, r ^ 1);
  __stwb((uint2*)(out + 4 * i + 2), make_uint2(r + 5, ~r));
}

struct Arguments {
  char tag;
  double scale;
  int table[20];
  float3 offset;
};
// The struct is read from the parameter space with an index that is not constant. Called with fixed data.
__device__ int sum_table(const Arguments& a, int k) { return a.table[k % 20] + a.table[(k * 3) % 20]; }
KERNEL struct_argument(const u32* in, u32* out, int n, const __grid_constant__ Arguments a) {
  const int i = global_id();
  out[i] = sum_table(a, in[i] & 1023) + a.tag + (u32)(a.scale * 4) + (u32)a.offset.z;
}
