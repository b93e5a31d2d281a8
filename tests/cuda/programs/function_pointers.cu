// Functions of the device by pointer: tables, arguments, virtual functions, functors and lambdas.
// nvcc: --extended-lambda
#include <cmath>
#include <new>

#include "check.h"

using Operation = float (*)(float, float);

__device__ __noinline__ float add(float a, float b) {
  return a + b;
}
__device__ __noinline__ float subtract(float a, float b) {
  return a - b;
}
__device__ __noinline__ float multiply(float a, float b) {
  return a * b;
}
__device__ __noinline__ float larger(float a, float b) {
  return a > b ? a : b;
}

__device__ Operation operations[4] = {add, subtract, multiply, larger};
__device__ Operation chosen = multiply;

__global__ void by_table(const float* a, const float* b, float* out) {
  const int i = threadIdx.x;
  out[i] = operations[i % 4](a[i], b[i]);  // lanes of one warp call different functions
}

__global__ void by_argument(Operation f, const float* a, const float* b, float* out) {
  out[threadIdx.x] = f(a[threadIdx.x], b[threadIdx.x]);
}

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
class Circle : public Shape {
 public:
  __device__ explicit Circle(float r) : r_(r) {}
  __device__ float area() const override { return 3.0f * r_ * r_; }

 private:
  float r_;
};
class Box : public Shape {
 public:
  __device__ Box(float w, float h) : w_(w), h_(h) {}
  __device__ float area() const override { return w_ * h_; }
  __device__ int corners() const override { return 4; }

 private:
  float w_, h_;
};

__global__ void make_shapes(Shape** shapes, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0)
    shapes[i] = new Circle(static_cast<float>(i));
  else
    shapes[i] = new Box(static_cast<float>(i), 2.0f);
}
__global__ void measure(Shape** shapes, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = shapes[i]->area() + 1000 * shapes[i]->corners();
}
__global__ void delete_shapes(Shape** shapes, int n) {
  if (threadIdx.x < n) delete shapes[threadIdx.x];
}

template <class F>
__global__ void apply(F f, float* out) {
  out[threadIdx.x] = f(static_cast<float>(threadIdx.x));
}

struct Scale {
  float factor;
  __device__ float operator()(float x) const { return factor * x; }
};

int main() {
  Checks checks;
  const int n = 64;
  float a[n], b[n], out[n], *d_a, *d_b, *d_out;
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(40 - i);
  }
  CHECK(cudaMalloc(&d_a, sizeof a));
  CHECK(cudaMalloc(&d_b, sizeof b));
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
  const auto get = [&] { CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost)); };

  by_table<<<1, n>>>(d_a, d_b, d_out);
  get();
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const float expected[4] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], std::fmax(a[i], b[i])};
    good = good && out[i] == expected[i % 4];
  }
  checks.expect(good, "a table of functions, four of them in one warp");

  Operation f = nullptr;
  CHECK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
  by_argument<<<1, n>>>(f, d_a, d_b, d_out);
  get();
  good = true;
  for (int i = 0; i < n; ++i) good = good && out[i] == a[i] * b[i];
  checks.expect(good, "a function as argument");

  Shape** shapes;
  CHECK(cudaMalloc(&shapes, n * sizeof(Shape*)));
  make_shapes<<<1, 64>>>(shapes, 40);
  measure<<<1, 64>>>(shapes, d_out, 40);
  delete_shapes<<<1, 64>>>(shapes, 40);
  CHECK(cudaDeviceSynchronize());
  get();
  good = true;
  for (int i = 0; i < 40; ++i) good = good && out[i] == (i % 2 == 0 ? 3.0f * i * i : 4000 + 2.0f * i);
  checks.expect(good, "virtual functions of objects made on the device");

  apply<<<1, n>>>(Scale{2.5f}, d_out);
  get();
  checks.expect(out[0] == 0 && out[63] == 157.5f, "a functor");
  const float offset = 7;
  apply<<<1, n>>>([offset] __device__(float x) { return x + offset; }, d_out);
  get();
  checks.expect(out[0] == 7 && out[63] == 70, "a lambda");
  return checks.finish();
}
