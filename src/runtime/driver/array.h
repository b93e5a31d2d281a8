// Arrays as the driver interface describes them: sizes and offsets of an ABI, names of its manual.
#pragma once

#include "cuda_abi/textures.h"
#include "runtime/driver/driver_entry.h"

namespace heddle::runtime {

using CUarray = cudaArray_t;
using CUmipmappedArray = cudaMipmappedArray_t;

using namespace cuda_abi;  // formats

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
