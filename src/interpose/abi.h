// The types of CUDA's driver interface as compiled programs use them. Names and values are CUDA's, so that
// they can be looked up in its manual.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::interpose {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUarray = struct CUarray_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUhostFn = void (*)(void*);

inline constexpr CUresult kSuccess = 0, kInvalidValue = 1, kNotInitialized = 3, kNotReady = 600;

// Stream handles with a meaning of their own.
inline const CUstream kLegacyStream = reinterpret_cast<CUstream>(1);
inline const CUstream kPerThreadStream = reinterpret_cast<CUstream>(2);

namespace attribute {
inline constexpr int kMultiprocessors = 16, kCapabilityMajor = 75, kCapabilityMinor = 76;  // of devices
inline constexpr int kClusterWidth = 11, kClusterDepth = 13;                               // of functions
}  // namespace attribute

// CU_LAUNCH_PARAM_...: how arguments are given packed.
inline void* const kParamEnd = nullptr;
inline void* const kParamBuffer = reinterpret_cast<void*>(1);
inline void* const kParamBytes = reinterpret_cast<void*>(2);

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

// Options of the driver's compiler that this library sets itself.
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;

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
