// Parboil's mri-q: the matrix Q of an image reconstruction, one thread per voxel.
#include "heddle_device.h"

constexpr int phi_threads = 512, q_threads = 256, samples_per_launch = 1024;

struct Sample {
  float x, y, z;  // in k-space
  float magnitude;
};
__constant__ Sample samples[samples_per_launch];

extern "C" __global__ void phi_magnitude(const float* real, const float* imaginary, float* magnitude,
                                         int count) {
  const int i = blockIdx.x * phi_threads + threadIdx.x;
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

// Adds the samples in constant memory to Q, two in a round.
extern "C" __global__ void compute_q(int count, int first, const float* x, const float* y, const float* z,
                                     float* q_real, float* q_imaginary) {
  constexpr float two_pi = 6.2831853071795864769f;
  const int i = blockIdx.x * q_threads + threadIdx.x;
  const float my_x = x[i], my_y = y[i], my_z = z[i];
  float real = q_real[i], imaginary = q_imaginary[i];
  int k = 0;
  if (count % 2) {
    const float angle = two_pi * (samples[0].x * my_x + samples[0].y * my_y + samples[0].z * my_z);
    real += samples[0].magnitude * __cosf(angle);
    imaginary += samples[0].magnitude * __sinf(angle);
    k++;
    first++;
  }
#pragma unroll 1
  for (; k < samples_per_launch && first < count; k += 2, first += 2) {
    const float angle = two_pi * (samples[k].x * my_x + samples[k].y * my_y + samples[k].z * my_z);
    real += samples[k].magnitude * __cosf(angle);
    imaginary += samples[k].magnitude * __sinf(angle);
    const Sample& next = samples[k + 1];
    const float next_angle = two_pi * (next.x * my_x + next.y * my_y + next.z * my_z);
    real += next.magnitude * __cosf(next_angle);
    imaginary += next.magnitude * __sinf(next_angle);
  }
  q_real[i] = real;
  q_imaginary[i] = imaginary;
}
