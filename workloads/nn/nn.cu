// The network that reads handwritten digits, from GPGPU-Sim's benchmarks: two convolution layers with 5 x 5
// kernels and stride 2, two fully connected layers. A CTA computes one feature map (or neuron) of one image:
// blockIdx.x is the map, blockIdx.y the image, the block has one thread per value of the map. Every map's
// weights start with its bias.
#include "heddle_device.h"

constexpr int kWindow = 25;                     // weights of a 5 x 5 kernel
constexpr int kInput = 29;                      // the image is 29 x 29
constexpr int kMaps1 = 6, kSide1 = 13;          // layer 1: 6 maps of 13 x 13
constexpr int kMaps2 = 50, kSide2 = 5;          // layer 2: 50 maps of 5 x 5
constexpr int kNeurons3 = 100, kNeurons4 = 10;  // layers 3 and 4
constexpr int kInputs3 = kMaps2 * kSide2 * kSide2;

// Where the window's values are relative to its first, in rows of 29 and of 13.
__constant__ int window_in_image[kWindow] = {0,  1,  2,  3,  4,  29, 30, 31,  32,  33,  58,  59, 60,
                                             61, 62, 87, 88, 89, 90, 91, 116, 117, 118, 119, 120};
__constant__ int window_in_map[kWindow] = {0,  1,  2,  3,  4,  13, 14, 15, 16, 17, 26, 27, 28,
                                           29, 30, 39, 40, 41, 42, 43, 52, 53, 54, 55, 56};

__device__ __forceinline__ float activation(float x) {
  return 1.7159f * tanhf(0.66666667f * x);
}

// Grid (6, images), block 13 x 13.
extern "C" __global__ void nn_layer1(const float* images, const float* weights, float* maps) {
  const int map = blockIdx.x;
  const int x = threadIdx.x, y = threadIdx.y;
  const float* const window = images + blockIdx.y * (kInput * kInput) + 2 * y * kInput + 2 * x;
  const float* const w = weights + map * (kWindow + 1);
  float sum = w[0];
#pragma unroll
  for (int i = 0; i < kWindow; ++i) sum += window[window_in_image[i]] * w[1 + i];
  maps[(blockIdx.y * kMaps1 + map) * (kSide1 * kSide1) + y * kSide1 + x] = activation(sum);
}

// Grid (50, images), block 5 x 5. Weights of the six input maps are interleaved by position in the window.
extern "C" __global__ void nn_layer2(const float* maps1, const float* weights, float* maps2) {
  const int map = blockIdx.x;
  const int x = threadIdx.x, y = threadIdx.y;
  const float* const window = maps1 + blockIdx.y * (kMaps1 * kSide1 * kSide1) + 2 * y * kSide1 + 2 * x;
  const float* const w = weights + map * (kMaps1 * kWindow + 1);
  float sum = w[0];
#pragma unroll 5
  for (int i = 0; i < kWindow; ++i) {
#pragma unroll
    for (int from = 0; from < kMaps1; ++from) {
      sum += window[from * (kSide1 * kSide1) + window_in_map[i]] * w[1 + i * kMaps1 + from];
    }
  }
  maps2[(blockIdx.y * kMaps2 + map) * (kSide2 * kSide2) + y * kSide2 + x] = activation(sum);
}

// Grid (neurons, images), block of a single thread: the original's shape, and why this program leaves 31 of
// 32 lanes empty.
extern "C" __global__ void nn_layer3(const float* maps2, const float* weights, float* neurons) {
  const int neuron = blockIdx.x;
  const float* const in = maps2 + blockIdx.y * kInputs3;
  const float* const w = weights + neuron * (kInputs3 + 1);
  float sum = w[0];
#pragma unroll 5
  for (int i = 0; i < kInputs3; ++i) sum += in[i] * w[1 + i];
  neurons[blockIdx.y * kNeurons3 + neuron] = activation(sum);
}

extern "C" __global__ void nn_layer4(const float* neurons3, const float* weights, float* outputs) {
  const int neuron = blockIdx.x;
  const float* const in = neurons3 + blockIdx.y * kNeurons3;
  const float* const w = weights + neuron * (kNeurons3 + 1);
  float sum = w[0];
#pragma unroll 5
  for (int i = 0; i < kNeurons3; ++i) sum += in[i] * w[1 + i];
  outputs[blockIdx.y * kNeurons4 + neuron] = activation(sum);
}
