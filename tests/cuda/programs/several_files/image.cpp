// Compiled by the host's compiler alone, but calls the runtime.
#include "image.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

static void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

Image::Image(int width, int height) : width_(width), height_(height) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, sizeof(float) * width * height));
  device_ = static_cast<float*>(memory);
}

Image::~Image() {
  cudaFree(device_);
}

void Image::upload(const std::vector<float>& pixels) {
  must(cudaMemcpy(device_, pixels.data(), pixels.size() * sizeof(float), cudaMemcpyHostToDevice));
}

std::vector<float> Image::download() const {
  std::vector<float> pixels(static_cast<std::size_t>(width_) * height_);
  must(cudaMemcpy(pixels.data(), device_, pixels.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return pixels;
}
