// What programs read back from the device: hashed, so that two runs can be compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/abi.h"

namespace heddle::interpose {

// Where a copy arrives: rows of `width` bytes.
struct HostBox {
  const void* at = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t pitch = 0, layer = 0;  // bytes from row to row, from layer to layer

  std::uint64_t bytes() const { return std::uint64_t{width} * height * depth; }
  std::uint64_t hash() const;
};

// The box that a copy fills; without bytes when it does not go from the device to the host.
HostBox host_box(const CUDA_MEMCPY3D& copy);
CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D& copy);
bool is_host(CUdeviceptr p);
bool is_device(CUdeviceptr p);

// A copy that has ended, or one that ends when the stream has come so far.
void note_copy(const HostBox& box, CUstream stream);
void note_copy_later(const HostBox& box, CUstream stream);

}  // namespace heddle::interpose
