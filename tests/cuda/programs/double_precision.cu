// Arithmetic in double precision: solving a linear system, quadrature, and the mathematical functions.
#include <cmath>
#include <vector>

#include "check.h"

// Gauss-Jordan elimination of one system per block, rows in shared memory.
template <int N>
__global__ void solve(const double* matrices, const double* right, double* x) {
  __shared__ double a[N][N + 1];
  __shared__ double factor[N];
  const int t = threadIdx.x;
  for (int c = 0; c < N; ++c) a[t][c] = matrices[(blockIdx.x * N + t) * N + c];
  a[t][N] = right[blockIdx.x * N + t];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    factor[t] = t == k ? 0.0 : a[t][k] / a[k][k];
    __syncthreads();
    if (t != k)
      for (int c = k; c <= N; ++c) a[t][c] -= factor[t] * a[k][c];
    __syncthreads();
  }
  x[blockIdx.x * N + t] = a[t][N] / a[t][t];
}

__global__ void integrate(double* partial, int steps) {
  double sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int k = i; k < steps; k += all) {
    const double x = (k + 0.5) / steps;
    sum += 4.0 / (1.0 + x * x);
  }
  partial[i] = sum / steps;
}

__global__ void functions(const double* x, double* out) {
  const double v = x[threadIdx.x];
  double* o = out + threadIdx.x * 16;
  o[0] = sin(v);
  o[1] = cos(v);
  o[2] = tan(v);
  o[3] = exp(v);
  o[4] = log(v + 10);
  o[5] = sqrt(v + 10);
  o[6] = pow(v + 10, 1.7);
  o[7] = atan2(v, 2.0);
  o[8] = sinh(v);
  o[9] = erf(v);
  o[10] = cbrt(v);
  o[11] = fmod(v * 10, 3.0);
  o[12] = tgamma(fabs(v) + 1);
  o[13] = hypot(v, 3.0);
  o[14] = floor(v * 4) + ceil(v) + rint(v * 3) + trunc(v);
  o[15] = fma(v, v, -v * v);
}

int main() {
  Checks checks;
  constexpr int kSize = 24, kSystems = 4;
  std::vector<double> matrices(kSystems * kSize * kSize), right(kSystems * kSize), x(kSystems * kSize);
  unsigned random = 11;
  const auto next = [&] { return ((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5; };
  for (auto& v : matrices) v = next();
  for (auto& v : right) v = next();
  for (int s = 0; s < kSystems; ++s)
    for (int i = 0; i < kSize; ++i) matrices[(s * kSize + i) * kSize + i] += kSize;  // no pivoting needed
  double *d_matrices, *d_right, *d_x;
  CHECK(cudaMalloc(&d_matrices, matrices.size() * sizeof(double)));
  CHECK(cudaMalloc(&d_right, right.size() * sizeof(double)));
  CHECK(cudaMalloc(&d_x, 2048 * sizeof(double)));
  CHECK(cudaMemcpy(d_matrices, matrices.data(), matrices.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_right, right.data(), right.size() * sizeof(double), cudaMemcpyHostToDevice));
  solve<kSize><<<kSystems, kSize>>>(d_matrices, d_right, d_x);
  CHECK(cudaMemcpy(x.data(), d_x, x.size() * sizeof(double), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int s = 0; s < kSystems; ++s)
    for (int i = 0; i < kSize; ++i) {
      double sum = -right[s * kSize + i];
      for (int k = 0; k < kSize; ++k) sum += matrices[(s * kSize + i) * kSize + k] * x[s * kSize + k];
      worst = std::fmax(worst, std::fabs(sum));
    }
  checks.expect(worst < 1e-13, "linear systems are solved to 13 digits");

  integrate<<<4, 64>>>(d_x, 10000);
  std::vector<double> partial(256);
  CHECK(cudaMemcpy(partial.data(), d_x, 256 * sizeof(double), cudaMemcpyDeviceToHost));
  double pi = 0;
  for (const double p : partial) pi += p;
  std::printf("pi = %.8f\n", pi);
  checks.expect(std::fabs(pi - 3.14159265358979) < 1e-9, "an integral");

  std::vector<double> in(32), out(32 * 16);
  for (int i = 0; i < 32; ++i) in[i] = (i - 16) * 0.37 + 0.05;
  CHECK(cudaMemcpy(d_right, in.data(), 32 * sizeof(double), cudaMemcpyHostToDevice));
  functions<<<1, 32>>>(d_right, d_x);
  CHECK(cudaMemcpy(out.data(), d_x, out.size() * sizeof(double), cudaMemcpyDeviceToHost));
  const char* const names[16] = {"sin",  "cos", "tan",  "exp",  "log",    "sqrt",  "pow",      "atan2",
                                 "sinh", "erf", "cbrt", "fmod", "tgamma", "hypot", "rounding", "fma"};
  for (int f = 0; f < 16; ++f) {
    bool good = true;
    for (int i = 0; i < 32; ++i) {
      const double v = in[i];
      const double expected[16] = {std::sin(v),
                                   std::cos(v),
                                   std::tan(v),
                                   std::exp(v),
                                   std::log(v + 10),
                                   std::sqrt(v + 10),
                                   std::pow(v + 10, 1.7),
                                   std::atan2(v, 2.0),
                                   std::sinh(v),
                                   std::erf(v),
                                   std::cbrt(v),
                                   std::fmod(v * 10, 3.0),
                                   std::tgamma(std::fabs(v) + 1),
                                   std::hypot(v, 3.0),
                                   std::floor(v * 4) + std::ceil(v) + std::rint(v * 3) + std::trunc(v),
                                   out[i * 16 + 15]};
      const double got = out[i * 16 + f];
      good = good && std::fabs(got - expected[f]) <= 1e-13 * std::fmax(1.0, std::fabs(expected[f]));
    }
    if (f == 15)
      for (int i = 0; i < 32; ++i) good = good && std::fabs(out[i * 16 + 15]) < 1e-13;  // what rounding lost
    checks.expect(good, names[f]);
  }
  return checks.finish();
}
