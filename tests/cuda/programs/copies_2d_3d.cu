// Copies of rectangles and boxes, with pitches, between host and device, and arrays.
#include <vector>

#include "check.h"

__global__ void add_rows(float* data, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height) reinterpret_cast<float*>(reinterpret_cast<char*>(data) + y * pitch)[x] += y;
}

__global__ void add_layers(cudaPitchedPtr box, int width, int height, int depth) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x >= width || y >= height || z >= depth) return;
  char* row = static_cast<char*>(box.ptr) + (static_cast<size_t>(z) * box.ysize + y) * box.pitch;
  reinterpret_cast<int*>(row)[x] += 10000 * z;
}

int main() {
  Checks checks;
  const int width = 75, height = 20;
  std::vector<float> host(width * height), back(width * height, -1.0f);
  for (int i = 0; i < width * height; ++i) host[i] = static_cast<float>(i);
  float* rows = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
  checks.expect(pitch >= width * sizeof(float) && pitch % 32 == 0, "rows begin at aligned places");
  CHECK(cudaMemcpy2D(rows, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyHostToDevice));
  add_rows<<<dim3(3, height), 32>>>(rows, pitch, width, height);
  CHECK(cudaMemcpy2D(back.data(), width * sizeof(float), rows, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  bool good = true;
  for (int i = 0; i < width * height; ++i) good = good && back[i] == i + i / width;
  checks.expect(good, "cudaMemcpy2D there and back");

  CHECK(cudaMemset2D(rows, pitch, 0, 10 * sizeof(float), 5));
  CHECK(cudaMemcpy2D(back.data(), width * sizeof(float), rows, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < width * height; ++i)
    good = good && back[i] == (i % width < 10 && i / width < 5 ? 0 : i + i / width);
  checks.expect(good, "cudaMemset2D fills a corner");
  checks.expect(cudaMemcpy2D(rows, 16, host.data(), 400, 300, 2, cudaMemcpyHostToDevice) ==
                        cudaErrorInvalidPitchValue ||
                    cudaGetLastError() != cudaSuccess,
                "a row wider than its pitch is refused");
  cudaGetLastError();

  const int depth = 6;
  const cudaExtent extent = make_cudaExtent(30 * sizeof(int), 8, depth);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, extent));
  std::vector<int> cube(30 * 8 * depth), cube_back(30 * 8 * depth);
  for (size_t i = 0; i < cube.size(); ++i) cube[i] = static_cast<int>(i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(cube.data(), 30 * sizeof(int), 30, 8);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  add_layers<<<dim3(8, depth), 32>>>(box, 30, 8, depth);
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(cube_back.data(), 30 * sizeof(int), 30, 8);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  good = true;
  for (size_t i = 0; i < cube.size(); ++i)
    good = good && cube_back[i] == static_cast<int>(i + 10000 * (i / 240));
  checks.expect(good, "cudaMemcpy3D there and back");
  // A box inside of the box: 3 x 2 x 2 elements from (4, 1, 2) to the origin.
  copy.srcPtr = make_cudaPitchedPtr(cube.data(), 30 * sizeof(int), 30, 8);
  copy.srcPos = make_cudaPos(4 * sizeof(int), 1, 2);
  copy.dstPtr = box;
  copy.dstPos = make_cudaPos(0, 0, 0);
  copy.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3DAsync(&copy, nullptr));
  int row[4];
  CHECK(cudaMemcpy(row, box.ptr, sizeof row, cudaMemcpyDeviceToHost));
  checks.expect(row[0] == 2 * 240 + 30 + 4 && row[2] == row[0] + 2 && row[3] == 3, "a part of a box");
  CHECK(cudaMemset3D(box, 0xff, make_cudaExtent(30 * sizeof(int), 8, 1)));
  CHECK(cudaMemcpy(row, box.ptr, sizeof row, cudaMemcpyDeviceToHost));
  checks.expect(row[0] == -1 && row[3] == -1, "cudaMemset3D");

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), width * sizeof(float), width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
  std::vector<float> part(4 * 3);
  CHECK(cudaMemcpy2DFromArray(part.data(), 4 * sizeof(float), array, 8 * sizeof(float), 2, 4 * sizeof(float),
                              3, cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < 12; ++i) good = good && part[i] == (2 + i / 4) * width + 8 + i % 4;
  checks.expect(good, "a part of an array");
  cudaExtent size;
  cudaChannelFormatDesc got;
  unsigned flags = 1;
  CHECK(cudaArrayGetInfo(&got, &size, &flags, array));
  checks.expect(size.width == width && size.height == height && got.x == 32 &&
                    got.f == cudaChannelFormatKindFloat && flags == 0,
                "what an array says about itself");

  // Device to device, with and without saying the direction.
  float* other;
  CHECK(cudaMalloc(&other, 64));
  CHECK(cudaMemcpy(other, host.data(), 64, cudaMemcpyDefault));
  CHECK(cudaMemcpy(other + 8, other, 32, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(back.data(), other, 64, cudaMemcpyDefault));
  checks.expect(back[7] == 7 && back[8] == 0 && back[15] == 7, "cudaMemcpyDefault and device to device");
  CHECK(cudaMemcpy(back.data() + 100, back.data(), 64, cudaMemcpyHostToHost));
  checks.expect(back[115] == 7, "host to host");
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(rows));
  CHECK(cudaFree(box.ptr));
  CHECK(cudaFree(other));
  return checks.finish();
}
