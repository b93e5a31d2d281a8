// Memory of the device that goes away with its object.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "check.h"

template <class T>
class Device {
 public:
  explicit Device(std::size_t n) : size_(n) { CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit Device(const std::vector<T>& v) : Device(v.size()) {
    CHECK(cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(data_); }
  T* get() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> v(size_);
    CHECK(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};
