// Arrays as the driver interface describes them: sizes and offsets of an ABI, names of its manual.
#pragma once

#include "runtime/driver/driver_entry.h"

namespace heddle::runtime {

using CUarray = cudaArray_t;
using CUmipmappedArray = cudaMipmappedArray_t;

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

struct CUDA_ARRAY_DESCRIPTOR {
  std::size_t Width, Height;
  CUarray_format Format;
  unsigned NumChannels;
};
struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned NumChannels, Flags;
};
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40);

// Throws Failure for one that is not there.
cudaChannelFormatDesc channel_format(CUarray_format format, unsigned channels);
CUarray_format array_format(const cudaChannelFormatDesc& d);
unsigned channel_count(const cudaChannelFormatDesc& d);

}  // namespace heddle::runtime
