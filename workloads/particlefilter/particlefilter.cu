// Rodinia's particlefilter (its "float" version, which computes in double precision): tracks an object in a
// noisy video, one thread per particle.
#include "heddle_device.h"

constexpr int cta_threads = 512;

// A linear congruential generator for each particle, with the constants of gcc's rand().
__device__ static double random_uniform(int* seeds, int index) {
  constexpr int modulus = 0x7fffffff;
  const int number = static_cast<int>(1103515245u * static_cast<unsigned>(seeds[index]) + 12345u);
  seeds[index] = number % modulus;
  return fabs(seeds[index] / static_cast<double>(modulus));
}
// Box and Muller.
__device__ static double random_normal(int* seeds, int index) {
  const double u = random_uniform(seeds, index);
  const double v = random_uniform(seeds, index);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

// Moves every particle at random, then weighs it by the pixels of the disk around it. The indices of the
// pixels go through memory. Leaves the sum of each CTA's weights.
extern "C" __global__ void likelihood(double* array_x, double* array_y, const double* chosen_x,
                                      const double* chosen_y, int* pixels, const int* disk,
                                      double* likelihoods, const unsigned char* video, double* weights,
                                      int particles, int disk_pixels, int video_size, int frame, int height,
                                      int frames, int* seeds, double* partial_sums) {
  __shared__ double buffer[cta_threads];
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < particles) {
    array_x[i] = chosen_x[i];
    array_y[i] = chosen_y[i];
    weights[i] = 1 / static_cast<double>(particles);
    array_x[i] = array_x[i] + 1.0 + 5.0 * random_normal(seeds, i);
    array_y[i] = array_y[i] - 2.0 + 2.0 * random_normal(seeds, i);
  }
  __syncthreads();
  if (i < particles) {
    for (int y = 0; y < disk_pixels; y++) {
      const int at_x = static_cast<int>(array_x[i]) + disk[y * 2 + 1];
      const int at_y = static_cast<int>(array_y[i]) + disk[y * 2];
      pixels[i * disk_pixels + y] = abs(at_x * height * frames + at_y * frames + frame);
      if (pixels[i * disk_pixels + y] >= video_size) pixels[i * disk_pixels + y] = 0;
    }
    double sum = 0.0;
    for (int y = 0; y < disk_pixels; y++) {
      const double background = video[pixels[i * disk_pixels + y]] - 100;
      const double object = video[pixels[i * disk_pixels + y]] - 228;
      sum += (background * background - object * object) / 50.0;
    }
    likelihoods[i] = sum / disk_pixels;
    weights[i] = weights[i] * exp(likelihoods[i]);
  }
  buffer[threadIdx.x] = 0.0;
  __syncthreads();
  if (i < particles) buffer[threadIdx.x] = weights[i];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = buffer[0];
}

// One thread adds the CTAs' sums.
extern "C" __global__ void sum(double* partial_sums, int particles) {
  if (blockDim.x * blockIdx.x + threadIdx.x != 0) return;
  double total = 0.0;
  const int ctas = (particles + cta_threads - 1) / cta_threads;
  for (int x = 0; x < ctas; x++) total += partial_sums[x];
  partial_sums[0] = total;
}

extern "C" __global__ void normalize_weights(double* weights, int particles, const double* partial_sums) {
  __shared__ double total;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (threadIdx.x == 0) total = partial_sums[0];
  __syncthreads();
  if (i < particles) weights[i] = weights[i] / total;
}

// One thread makes the cumulative distribution and the first sampling point.
extern "C" __global__ void cumulate(double* cdf, const double* weights, double* u, int* seeds,
                                    int particles) {
  if (blockDim.x * blockIdx.x + threadIdx.x != 0) return;
  cdf[0] = weights[0];
  for (int x = 1; x < particles; x++) cdf[x] = weights[x] + cdf[x - 1];
  u[0] = 1 / static_cast<double>(particles) * random_uniform(seeds, 0);
}

extern "C" __global__ void spread(const double* first, double* u, int particles) {
  __shared__ double u1;
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (threadIdx.x == 0) u1 = *first;
  __syncthreads();
  if (i < particles) u[i] = u1 + i / static_cast<double>(particles);
}

// Resampling: every thread walks the distribution from its beginning.
extern "C" __global__ void find_index(const double* array_x, const double* array_y, const double* cdf,
                                      const double* u, double* chosen_x, double* chosen_y, int particles) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= particles) return;
  int index = -1;
  for (int x = 0; x < particles; x++)
    if (cdf[x] >= u[i]) {
      index = x;
      break;
    }
  if (index == -1) index = particles - 1;
  chosen_x[i] = array_x[index];
  chosen_y[i] = array_y[index];
}
