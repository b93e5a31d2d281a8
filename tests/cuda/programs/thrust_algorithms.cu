// Thrust: vectors, transformations, reductions, sorting by key.
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Axpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

int main() {
  bool passed = true;
  const auto expect = [&](bool good, const char* what) {
    std::printf("%-4s %s\n", good ? "ok" : "BAD", what);
    passed = passed && good;
  };
  const int n = 3000;
  thrust::device_vector<float> x(n), y(n, 1.0f);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Axpy{2.0f});
  const thrust::host_vector<float> result = y;
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && result[i] == 2.0f * i + 1.0f;
  expect(good, "transform");
  expect(thrust::reduce(x.begin(), x.begin() + 1000, 0.0f) == 499500.0f, "reduce");

  std::vector<int> keys(n), values(n);
  unsigned random = 99;
  for (int i = 0; i < n; ++i) {
    keys[i] = static_cast<int>((random = random * 1664525u + 1013904223u) >> 16) - 30000;
    values[i] = i;
  }
  thrust::device_vector<int> d_keys = keys, d_values = values;
  expect(thrust::count_if(d_keys.begin(), d_keys.end(), IsOdd()) ==
             std::count_if(keys.begin(), keys.end(), [](int k) { return k % 2 != 0; }),
         "count_if");
  thrust::stable_sort_by_key(d_keys.begin(), d_keys.end(), d_values.begin());
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::vector<int> sorted(n);
  thrust::copy(d_values.begin(), d_values.end(), sorted.begin());
  expect(sorted == values, "stable_sort_by_key");
  d_keys[3] = 77;
  expect(d_keys[3] == 77, "one element by index");
  std::puts(passed ? "PASSED" : "FAILED");
  return passed ? 0 : 1;
}
