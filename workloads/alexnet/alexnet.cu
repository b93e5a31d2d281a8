// AlexNet as Tango computes it: a CTA per output map, a thread per neuron, x along the rows of a map, so that
// neighbouring lanes read one row apart. A plane larger than a CTA is computed in four launches.
#include "workloads/networks/device_layers.h"

extern "C" __global__ void alexnet_conv1(float* bias, float* image, float* weights, float* out, int side,
                                         int out_side, int first_row, int first_column) {
  constexpr int kernel = 11, stride = 4;
  const int map = blockIdx.x;
  const int row = threadIdx.x + first_row, column = threadIdx.y + first_column;

  float* const filter = &weights[map * 3 * kernel * kernel];
  float* const window = &image[3 * stride * (row * side + column)];
  float sum = 0.0f;
  for (int i = 0; i < kernel; ++i)
    for (int j = 0; j < kernel; ++j) {
      float* const pixel = &window[3 * (i * side + j)];
      sum += pixel[0] * filter[i * kernel + j] + pixel[1] * filter[(kernel + i) * kernel + j] +
             pixel[2] * filter[(2 * kernel + i) * kernel + j];
    }
  sum += bias[map];
  if (sum < 0.0f) sum = 0.0f;
  out[(map * out_side + row) * out_side + column] = sum;
}

// Normalises by the squares of the same neuron in this map and the three before it.
HEDDLE_DEVICE void normalise(float* in, float alpha, float beta, int local_size, int map, int row, int column,
                             int side, float* out) {
  float sum = 0.0f;
  for (int other = max(map - 3, 0); other <= map; ++other) {
    const float value = in[(other * side + row) * side + column];
    sum += value * value;
  }
  const int at = (map * side + row) * side + column;
  out[at] = in[at] / powf(1.0f + alpha / static_cast<float>(local_size) * sum, beta);
}

extern "C" __global__ void alexnet_lrn_split(float* in, float alpha, float beta, int local_size, int side,
                                             float* out, int first_row, int first_column) {
  normalise(in, alpha, beta, local_size, blockIdx.x, threadIdx.x + first_row, threadIdx.y + first_column,
            side, out);
}

extern "C" __global__ void alexnet_pool(float* in, float* out, int out_side, int kernel, int stride,
                                        int side) {
  const int map = blockIdx.x, row = threadIdx.x, column = threadIdx.y;
  out[(map * out_side + row) * out_side + column] =
      window_maximum(&in[map * side * side], row, column, kernel, stride, 0, side);
}

HEDDLE_DEVICE void convolve(float* bias, float* in, float* weights, float* out, int map, int side, int kernel,
                            int pad, int features) {
  const int row = threadIdx.x, column = threadIdx.y;
  float sum =
      window_sum(in, &weights[map * features * kernel * kernel], row, column, kernel, 1, pad, features, side);
  sum += bias[map];
  if (sum < 0.0f) sum = 0.0f;
  out[(map * side + row) * side + column] = sum;
}

extern "C" __global__ void alexnet_conv(float* bias, float* in, float* weights, float* out, int side,
                                        int kernel, int pad, int features) {
  convolve(bias, in, weights, out, blockIdx.x, side, kernel, pad, features);
}

// The second half of the maps, from the second half of the features.
extern "C" __global__ void alexnet_conv_group2(float* bias, float* in, float* weights, float* out, int maps,
                                               int side, int kernel, int pad, int features) {
  convolve(bias, &in[features * side * side], weights, out, blockIdx.x + maps, side, kernel, pad, features);
}

extern "C" __global__ void alexnet_lrn(float* in, float alpha, float beta, int local_size, int side,
                                       float* out) {
  normalise(in, alpha, beta, local_size, blockIdx.x, threadIdx.x, threadIdx.y, side, out);
}

// One thread per CTA.
extern "C" __global__ void alexnet_fc(float* bias, float* in, float* weights, float* out, int inputs,
                                      int relu) {
  const int neuron = blockIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < inputs; ++i) sum += in[i] * weights[neuron * inputs + i];
  sum += bias[neuron];
  if (relu && sum < 0.0f) sum = 0.0f;
  out[neuron] = sum;
}
