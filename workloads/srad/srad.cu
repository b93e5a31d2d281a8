// Rodinia's srad (version 2): speckle-reducing anisotropic diffusion. A CTA of 16 x 16 threads per tile.
// Every thread loads the rim value of its column and row, whether it uses it or not: the original's access
// pattern.
#include "heddle_device.h"

constexpr int block_size = 16;
using Tile = float[block_size][block_size];

// Differences to the four neighbours (kept for the second kernel) and the diffusion coefficient.
extern "C" __global__ void srad_cuda_1(float* e_c, float* w_c, float* n_c, float* s_c, const float* image,
                                       float* c, int cols, int rows, float q0sqr) {
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int first_row = block_size * by, first_col = block_size * bx;
  const int index = cols * (first_row + ty) + first_col + tx;
  // Outside the image the rim repeats itself.
  const int index_n = cols * max(first_row - 1, 0) + first_col + tx;
  const int index_s = cols * min(first_row + block_size, rows - 1) + first_col + tx;
  const int index_w = cols * (first_row + ty) + max(first_col - 1, 0);
  const int index_e = cols * (first_row + ty) + min(first_col + block_size, cols - 1);

  __shared__ Tile temp, result, north, south, east, west;
  north[ty][tx] = image[index_n];
  south[ty][tx] = image[index_s];
  __syncthreads();
  west[ty][tx] = image[index_w];
  east[ty][tx] = image[index_e];
  __syncthreads();
  temp[ty][tx] = image[index];
  __syncthreads();

  const float jc = temp[ty][tx];
  const float n = (ty == 0 ? north[ty][tx] : temp[ty - 1][tx]) - jc;
  const float s = (ty == block_size - 1 ? south[ty][tx] : temp[ty + 1][tx]) - jc;
  const float w = (tx == 0 ? west[ty][tx] : temp[ty][tx - 1]) - jc;
  const float e = (tx == block_size - 1 ? east[ty][tx] : temp[ty][tx + 1]) - jc;

  const float g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
  const float l = (n + s + w + e) / jc;
  const float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
  const float den = 1 + 0.25f * l;
  const float qsqr = num / (den * den);
  const float den2 = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
  const float coefficient = 1.0f / (1.0f + den2);
  result[ty][tx] = coefficient < 0 ? 0 : coefficient > 1 ? 1 : coefficient;
  __syncthreads();

  c[index] = result[ty][tx];
  e_c[index] = e;
  w_c[index] = w;
  s_c[index] = s;
  n_c[index] = n;
}

// Divergence of the flow, and the image's update by it.
extern "C" __global__ void srad_cuda_2(const float* e_c, const float* w_c, const float* n_c, const float* s_c,
                                       float* image, const float* c, int cols, int rows, float lambda) {
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int first_row = block_size * by, first_col = block_size * bx;
  const int index = cols * (first_row + ty) + first_col + tx;
  const int index_s = cols * min(first_row + block_size, rows - 1) + first_col + tx;
  const int index_e = cols * (first_row + ty) + min(first_col + block_size, cols - 1);

  __shared__ Tile south_c, east_c, c_temp, c_result, temp;
  temp[ty][tx] = image[index];
  __syncthreads();
  south_c[ty][tx] = c[index_s];
  __syncthreads();
  east_c[ty][tx] = c[index_e];
  __syncthreads();
  c_temp[ty][tx] = c[index];
  __syncthreads();

  const float cc = c_temp[ty][tx];
  const float cn = cc, cw = cc;
  const float cs = ty == block_size - 1 ? south_c[ty][tx] : c_temp[ty + 1][tx];
  const float ce = tx == block_size - 1 ? east_c[ty][tx] : c_temp[ty][tx + 1];
  const float divergence = cn * n_c[index] + cs * s_c[index] + cw * w_c[index] + ce * e_c[index];
  c_result[ty][tx] = temp[ty][tx] + 0.25f * lambda * divergence;
  __syncthreads();
  image[index] = c_result[ty][tx];
}
