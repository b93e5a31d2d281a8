// Texture objects as the driver interface describes them: sizes and offsets of an ABI, names of its manual.
#pragma once

#include <cstddef>

#include "cuda_abi/driver_types.h"

namespace heddle::cuda_abi {

enum CUarray_format : int {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16 = 2,
  CU_AD_FORMAT_UNSIGNED_INT32 = 3,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16 = 9,
  CU_AD_FORMAT_SIGNED_INT32 = 10,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
};

enum CUresourcetype : int {
  CU_RESOURCE_TYPE_ARRAY = 0,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  CU_RESOURCE_TYPE_LINEAR = 2,
  CU_RESOURCE_TYPE_PITCH2D = 3,
};

// Arrays are handles: what is behind them is the driver's own.
struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      void* hArray;
    } array;
    struct {
      void* hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      std::size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);
static_assert(offsetof(CUDA_RESOURCE_DESC, res) == 8 && offsetof(CUDA_RESOURCE_DESC, flags) == 136);
static_assert(offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes) == 24);
static_assert(offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes) == 40);

struct CUDA_TEXTURE_DESC {
  int addressMode[3];  // 0 wrap, 1 clamp, 2 mirror, 3 border
  int filterMode;      // 0 point, 1 linear
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);
static_assert(offsetof(CUDA_TEXTURE_DESC, flags) == 16 && offsetof(CUDA_TEXTURE_DESC, borderColor) == 40);

inline constexpr int kAddressClamp = 1, kFilterPoint = 0;
inline constexpr unsigned CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2, CU_TRSF_SRGB = 16,
                          CU_TRSF_SEAMLESS_CUBEMAP = 64;

}  // namespace heddle::cuda_abi
