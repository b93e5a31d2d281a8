// SqueezeNet 1.0 as Tango computes it: a CTA per column of the maps, a thread per row, and every thread
// computes its position of all maps. Double precision; the image is three planes of integers.
#include "heddle_device.h"

extern "C" __global__ void squeezenet_conv1(double* weights, int* red, int* green, int* blue, double* out,
                                            int maps, int side, int out_side) {
  constexpr int kernel = 7, stride = 2;
  const int row = threadIdx.x, column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int i = 0; i < kernel; ++i)
      for (int j = 0; j < kernel; ++j) {
        const int pixel = (row * stride + i) * side + column * stride + j;
        double* const weight = &weights[map * 3 * kernel * kernel + i * kernel + j];
        sum += red[pixel] * weight[0] + green[pixel] * weight[kernel * kernel] +
               blue[pixel] * weight[2 * kernel * kernel];
      }
    if (sum < 0.0) sum = 0.0;
    out[(map * out_side + row) * out_side + column] = sum;
  }
}

// The grid is that of the input: threads at odd rows and columns are the middles of the windows.
extern "C" __global__ void squeezenet_pool(double* in, double* out, int maps, int side, int out_side) {
  const int row = threadIdx.x, column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    if (row % 2 == 0 || column % 2 == 0) continue;
    double largest = 0.0;
    for (int i = row - 1; i <= row + 1; ++i) {
      if (i >= side) break;
      for (int j = column - 1; j <= column + 1; ++j) {
        if (j >= side) break;
        if (const double value = in[(map * side + i) * side + j]; largest < value) largest = value;
      }
    }
    out[(map * out_side + (row - 1) / 2) * out_side + (column - 1) / 2] = largest;
  }
}

// Convolution by 1 x 1.
extern "C" __global__ void squeezenet_squeeze(double* weights, double* out, double* in, int maps,
                                              int features, int side) {
  const int row = threadIdx.x, column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int feature = 0; feature < features; ++feature)
      sum += in[(feature * side + row) * side + column] * weights[map * features + feature];
    if (sum < 0.0) sum = 0.0;
    out[(map * side + row) * side + column] = sum;
  }
}

extern "C" __global__ void squeezenet_expand1(double* weights, double* out, double* in, int maps,
                                              int features, int side) {
  const int row = threadIdx.x, column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int feature = 0; feature < features; ++feature)
      sum += in[(feature * side + row) * side + column] * weights[map * features + feature];
    if (sum < 0.0) sum = 0.0;
    out[(map * side + row) * side + column] = sum;
  }
}

// Convolution by 3 x 3; positions outside of the maps are tested in the innermost loop.
extern "C" __global__ void squeezenet_expand3(double* weights, double* out, double* in, int maps,
                                              int features, int side) {
  const int row = threadIdx.x, column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int feature = 0; feature < features; ++feature)
      for (int i = row - 1; i <= row + 1; ++i)
        for (int j = column - 1; j <= column + 1; ++j) {
          if (i < 0 || j < 0 || i >= side || j >= side) continue;
          const int weight = (map * features + feature) * 9 + (i - row + 1) * 3 + j - column + 1;
          sum += in[(feature * side + i) * side + j] * weights[weight];
        }
    if (sum < 0.0) sum = 0.0;
    out[(map * side + row) * side + column] = sum;
  }
}

// Convolution by 1 x 1 with a border of one neuron, which stays zero.
extern "C" __global__ void squeezenet_conv10(double* weights, double* in, double* out, int maps, int features,
                                             int side) {
  const int row = threadIdx.x, column = blockIdx.x, out_side = side + 2;
  if (row == 0 || row == side + 1 || column == 0 || column == side + 1) return;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int feature = 0; feature < features; ++feature)
      sum += in[(feature * side + row - 1) * side + column - 1] * weights[map * features + feature];
    if (sum < 0.0) sum = 0.0;
    out[(map * out_side + row) * out_side + column] = sum;
  }
}

// One CTA, a thread per class.
extern "C" __global__ void squeezenet_average(double* in, double* out, int side) {
  const int map = threadIdx.x;
  double sum = 0.0;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) sum += in[(map * side + i) * side + j];
  out[map] = sum / (side * side);
}
