// ResNet-50 as Tango computes it: a CTA per output map, x along its rows. Planes of 112 and 56 neurons a side
// are computed by threads of some neurons each (a square of `span` by `span`), smaller ones by a thread per
// neuron. Batch normalisation, scaling, addition and ReLU are kernels of their own.
#include "workloads/networks/device_layers.h"

// Calls f(row, column) for the neurons of this thread.
template <class F>
HEDDLE_DEVICE void for_square(int side, int span, F f) {
  const int first_row = threadIdx.x * span, first_column = threadIdx.y * span;
  if (first_row >= side || first_column >= side) return;
  for (int row = first_row; row < first_row + span; ++row)
    for (int column = first_column; column < first_column + span; ++column) f(row, column);
}

extern "C" __global__ void resnet_conv1(float* image, float* weights, float* out, int stride, int pad,
                                        int side, int out_side, int span) {
  constexpr int kernel = 7;
  const int map = blockIdx.x;
  for_square(out_side, span, [=](int row, int column) {
    out[(map * out_side + row) * out_side + column] =
        image_window_sum<kernel>(image, &weights[map * 3 * kernel * kernel], row, column, stride, pad, side);
  });
}

extern "C" __global__ void resnet_norm_split(float* maps, float* mean, float* variance, int side, int span) {
  const int map = blockIdx.x;
  for_square(side, span, [=](int row, int column) {
    float* const neuron = &maps[(map * side + row) * side + column];
    *neuron = (*neuron - mean[map]) / sqrtf(variance[map] + 1e-5f);
  });
}

extern "C" __global__ void resnet_scale_split(float* maps, float* scale, float* bias, int side, int span) {
  const int map = blockIdx.x;
  for_square(side, span, [=](int row, int column) {
    float* const neuron = &maps[(map * side + row) * side + column];
    *neuron = *neuron * scale[map] + bias[map];
  });
}

extern "C" __global__ void resnet_relu_split(float* maps, int side, int span) {
  const int map = blockIdx.x;
  for_square(side, span, [=](int row, int column) {
    float* const neuron = &maps[(map * side + row) * side + column];
    if (*neuron < 0.0f) *neuron = 0.0f;
  });
}

extern "C" __global__ void resnet_pool(float* in, float* out, int out_side, int kernel, int stride, int side,
                                       int pad, int span) {
  const int map = blockIdx.x;
  for_square(out_side, span, [=](int row, int column) {
    out[(map * out_side + row) * out_side + column] =
        window_maximum(&in[map * side * side], row, column, kernel, stride, pad, side);
  });
}

extern "C" __global__ void resnet_conv_split(float* in, float* weights, float* out, int out_side, int stride,
                                             int kernel, int pad, int features, int side, int span) {
  const int map = blockIdx.x;
  for_square(out_side, span, [=](int row, int column) {
    out[(map * out_side + row) * out_side + column] = window_sum(
        in, &weights[map * features * kernel * kernel], row, column, kernel, stride, pad, features, side);
  });
}

extern "C" __global__ void resnet_add_split(float* a, float* b, float* out, int side, int span) {
  const int map = blockIdx.x;
  for_square(side, span, [=](int row, int column) {
    const int at = (map * side + row) * side + column;
    out[at] = a[at] + b[at];
  });
}

extern "C" __global__ void resnet_conv(float* in, float* weights, float* out, int out_side, int stride,
                                       int kernel, int pad, int features, int side) {
  const int map = blockIdx.x, row = threadIdx.x, column = threadIdx.y;
  out[(map * out_side + row) * out_side + column] = window_sum(
      in, &weights[map * features * kernel * kernel], row, column, kernel, stride, pad, features, side);
}

// This thread's neuron, where maps have as many as a CTA has threads.
HEDDLE_DEVICE int neuron_of_thread() {
  return (blockIdx.x * blockDim.x + threadIdx.x) * blockDim.y + threadIdx.y;
}

extern "C" __global__ void resnet_norm(float* maps, float* mean, float* variance) {
  const int map = blockIdx.x, at = neuron_of_thread();
  maps[at] = (maps[at] - mean[map]) / sqrtf(variance[map] + 1e-5f);
}

extern "C" __global__ void resnet_scale(float* maps, float* scale, float* bias) {
  const int map = blockIdx.x, at = neuron_of_thread();
  maps[at] = maps[at] * scale[map] + bias[map];
}

extern "C" __global__ void resnet_relu(float* maps) {
  const int at = neuron_of_thread();
  if (maps[at] < 0.0f) maps[at] = 0.0f;
}

extern "C" __global__ void resnet_add(float* a, float* b, float* out) {
  const int at = neuron_of_thread();
  out[at] = a[at] + b[at];
}

// The next two have one thread per CTA.
extern "C" __global__ void resnet_average(float* in, float* out, int kernel) {
  const int map = blockIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < kernel; ++i)
    for (int j = 0; j < kernel; ++j) sum += in[(map * kernel + i) * kernel + j];
  out[map] = sum / static_cast<float>(kernel * kernel);
}

extern "C" __global__ void resnet_fc(float* in, float* weights, float* out, int inputs) {
  const int neuron = blockIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < inputs; ++i) sum += in[i] * weights[neuron * inputs + i];
  out[neuron] = sum;
}
