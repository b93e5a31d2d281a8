// Every atomic operation on global and on shared memory; results do not depend on the order.
#include <climits>
#include <vector>

#include "check.h"

struct Results {
  int add, sub, max, min, exch_sum;
  unsigned inc, dec, band, bor, bxor, umax, umin;
  unsigned long long add64, max64, cas64, or64;
  float fadd;
  double dadd, dmax;
};

__device__ double atomic_max(double* address, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= value) break;
    old = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(value)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void all_of_them(Results* r, int i) {
  atomicAdd(&r->add, i);
  atomicSub(&r->sub, i);
  atomicMax(&r->max, (i * 37) % 1001);
  atomicMin(&r->min, -((i * 53) % 997));
  atomicInc(&r->inc, 99);
  atomicDec(&r->dec, 49);
  atomicAnd(&r->band, ~(1u << (i % 20)));
  atomicOr(&r->bor, 1u << (i % 24));
  atomicXor(&r->bxor, 1u << (i % 32));
  atomicMax(&r->umax, 4000000000u + i);
  atomicMin(&r->umin, 3000000000u - i);
  atomicAdd(&r->add64, 10000000000ull + i);
  atomicMax(&r->max64, 1ull << (i % 60));
  atomicOr(&r->or64, 1ull << (i % 50));
  unsigned long long old = r->cas64, seen;
  do {
    seen = old;
    old = atomicCAS(&r->cas64, seen, seen + 2);
  } while (old != seen);
  atomicAdd(&r->fadd, 0.25f);
  atomicAdd(&r->dadd, 0.5);
  atomic_max(&r->dmax, i * 0.125);
}

__global__ void in_global(Results* r) {
  all_of_them(r, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void in_shared(Results* out) {
  __shared__ Results r;
  if (threadIdx.x == 0) r = *out;
  __syncthreads();
  all_of_them(&r, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *out = r;
}

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

// A lock around an ordinary addition: lanes of one warp take it in turn.
__device__ int lock_word = 0, protected_sum = 0;
__global__ void locked() {
  for (bool done = false; !done;) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      __threadfence();
      volatile int* sum = &protected_sum;
      *sum = *sum + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}

__global__ void places(int* next, int* taken) {
  const int place = atomicAdd(next, 1);
  atomicExch(&taken[place], 1);
}

static Results start() {
  Results r = {};
  r.max = INT_MIN;
  r.min = INT_MAX;
  r.band = 0xffffffffu;
  r.umin = UINT_MAX;
  r.dec = 7;
  r.dmax = -1;
  return r;
}

static void print(const char* title, const Results& r) {
  std::printf("%s: %d %d %d %d | %u %u %x %x %x %u %u | %llu %llx %llu %llx | %g %g %g\n", title, r.add,
              r.sub, r.max, r.min, r.inc, r.dec, r.band, r.bor, r.bxor, r.umax, r.umin, r.add64, r.max64,
              r.cas64, r.or64, r.fadd, r.dadd, r.dmax);
}

int main() {
  Checks checks;
  Results host = start(), *device;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
  in_global<<<5, 96>>>(device);
  CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  print("global", host);
  checks.expect(host.add == 480 * 479 / 2 && host.cas64 == 960, "sums of global atomics");
  host = start();
  CHECK(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice));
  in_shared<<<1, 160>>>(device);
  CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  print("shared", host);
  checks.expect(host.add == 160 * 159 / 2 && host.cas64 == 320, "sums of shared atomics");

  const int n = 20000;
  std::vector<unsigned char> bytes(n);
  std::vector<unsigned> expected(256), bins(256);
  unsigned random = 12345;
  for (auto& b : bytes) {
    random = random * 1664525u + 1013904223u;
    b = static_cast<unsigned char>(random >> 24);
    ++expected[b];
  }
  unsigned char* d_bytes;
  unsigned* d_bins;
  CHECK(cudaMalloc(&d_bytes, n));
  CHECK(cudaMalloc(&d_bins, 256 * sizeof(unsigned)));
  CHECK(cudaMemset(d_bins, 0, 256 * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_bytes, bytes.data(), n, cudaMemcpyHostToDevice));
  histogram<<<6, 128>>>(d_bytes, n, d_bins);
  CHECK(cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  checks.expect(bins == expected, "histogram of 256 bins");

  locked<<<3, 40>>>();
  int sum = 0;
  CHECK(cudaMemcpyFromSymbol(&sum, protected_sum, sizeof sum));
  checks.expect(sum == 120, "a lock that every thread takes once");

  int *next, *taken, places_taken[512];
  CHECK(cudaMalloc(&next, sizeof(int)));
  CHECK(cudaMalloc(&taken, sizeof places_taken));
  CHECK(cudaMemset(next, 0, sizeof(int)));
  CHECK(cudaMemset(taken, 0, sizeof places_taken));
  places<<<4, 128>>>(next, taken);
  CHECK(cudaMemcpy(places_taken, taken, sizeof places_taken, cudaMemcpyDeviceToHost));
  bool good = true;
  for (const int p : places_taken) good = good && p == 1;
  checks.expect(good, "every old value is given once");
  return checks.finish();
}
