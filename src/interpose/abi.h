// The types of CUDA's driver interface as compiled programs use them, beside those of cuda_abi/. Names and
// values are CUDA's, so that they can be looked up in its manual.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_abi/driver_types.h"

namespace heddle::interpose {

using namespace cuda_abi;

// Stream handles with a meaning of their own.
inline const CUstream kLegacyStream = reinterpret_cast<CUstream>(1);
inline const CUstream kPerThreadStream = reinterpret_cast<CUstream>(2);

enum CUlaunchAttributeID : int {
  kAttributeIgnore = 0,
  kAttributeAccessPolicy = 1,
  kAttributeCooperative = 2,
  kAttributeSynchronizationPolicy = 3,
  kAttributeClusterDimension = 4,
  kAttributeClusterScheduling = 5,
  kAttributePriority = 8,
  kAttributeMemSyncDomainMap = 9,
  kAttributeMemSyncDomain = 10,
};
struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
static_assert(sizeof(CUlaunchAttribute) == 72);
struct CUlaunchConfig {
  unsigned grid[3], block[3], shared;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(CUlaunchConfig) == 56);

enum CUmemorytype : int { kMemoryHost = 1, kMemoryDevice = 2, kMemoryArray = 3, kMemoryUnified = 4 };
inline constexpr int kPointerMemoryType = 2, kPointerIsManaged = 8;

struct CopySide2d {
  std::size_t x, y;  // bytes, rows
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch;
};
struct CUDA_MEMCPY2D {
  CopySide2d from, to;
  std::size_t width, height;
};
static_assert(sizeof(CUDA_MEMCPY2D) == 128);
struct CopySide3d {
  std::size_t x, y, z, level;
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  void* reserved;
  std::size_t pitch, height;
};
struct CUDA_MEMCPY3D {
  CopySide3d from, to;
  std::size_t width, height, depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

}  // namespace heddle::interpose
