// What kernels of several networks compute per output: no tiles, every value from global memory.
#pragma once

#include "heddle_device.h"

// The sum of one filter over the window of output (row, column): feature after feature, row after row. What
// lies outside of the maps is left out of the loops.
HEDDLE_DEVICE float window_sum(float* in, float* filter, int row, int column, int kernel, int stride, int pad,
                               int features, int side) {
  const int top = row * stride - pad, left = column * stride - pad;
  const int first_row = max(0, -top), rows = min(kernel, side - top);
  const int first_column = max(0, -left), columns = min(kernel, side - left);
  float sum = 0.0f;
  // Windows are narrow: what prepares an unrolled loop would cost more than the loop.
#pragma unroll 1
  for (int feature = 0; feature < features; ++feature)
#pragma unroll 1
    for (int i = first_row; i < rows; ++i)
#pragma unroll 1
      for (int j = first_column; j < columns; ++j)
        sum += in[(feature * side + top + i) * side + left + j] * filter[(feature * kernel + i) * kernel + j];
  return sum;
}

// The same over an image whose pixels are red, green, blue side by side; a filter has a plane per colour.
template <int kernel>
HEDDLE_DEVICE float image_window_sum(float* image, float* filter, int row, int column, int stride, int pad,
                                     int side) {
  const int top = row * stride - pad, left = column * stride - pad;
  const int first_row = max(0, -top), rows = min(kernel, side - top);
  const int first_column = max(0, -left), columns = min(kernel, side - left);
  float sum = 0.0f;
  for (int i = first_row; i < rows; ++i)
    for (int j = first_column; j < columns; ++j) {
      float* const pixel = &image[3 * ((top + i) * side + left + j)];
      float* const weight = &filter[i * kernel + j];
      sum +=
          pixel[0] * weight[0] + pixel[1] * weight[kernel * kernel] + pixel[2] * weight[2 * kernel * kernel];
    }
  return sum;
}

// The largest value of a window, at least zero: inputs have passed a ReLU.
HEDDLE_DEVICE float window_maximum(float* in, int row, int column, int kernel, int stride, int pad,
                                   int side) {
  const int top = row * stride - pad, left = column * stride - pad;
  const int first_row = max(0, -top), rows = min(kernel, side - top);
  const int first_column = max(0, -left), columns = min(kernel, side - left);
  float largest = 0.0f;
  for (int i = first_row; i < rows; ++i)
    for (int j = first_column; j < columns; ++j)
      if (const float value = in[(top + i) * side + left + j]; largest < value) largest = value;
  return largest;
}
