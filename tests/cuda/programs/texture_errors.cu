// What cards say to wrong descriptions of arrays, textures and surfaces.
#include <vector>

#include "check.h"

static void show(const char* what, cudaError_t status) {
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
  cudaGetLastError();
}

static cudaError_t texture(const cudaResourceDesc& resource, int filter, int read, int normalized) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
  d.filterMode = static_cast<cudaTextureFilterMode>(filter);
  d.readMode = static_cast<cudaTextureReadMode>(read);
  d.normalizedCoords = normalized;
  cudaTextureObject_t t = 0;
  const cudaError_t status = cudaCreateTextureObject(&t, &resource, &d, nullptr);
  if (status == cudaSuccess) CHECK(cudaDestroyTextureObject(t));
  return status;
}

int main() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc words = cudaCreateChannelDesc<int>(), bytes = cudaCreateChannelDesc<uchar4>(),
                              three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned),
                              odd = cudaCreateChannelDesc(24, 0, 0, 0, cudaChannelFormatKindUnsigned);
  show("no width", cudaMallocArray(&array, &words, 0, 4));
  show("three channels", cudaMallocArray(&array, &three, 4, 4));
  show("24 bits", cudaMallocArray(&array, &odd, 4, 4));
  show("a cube of five faces", cudaMalloc3DArray(&array, &words, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  show("a cube that is none", cudaMalloc3DArray(&array, &words, make_cudaExtent(4, 8, 6), cudaArrayCubemap));

  CHECK(cudaMallocArray(&array, &words, 16, 16));
  int host[16 * 16] = {};
  show("wider than the array", cudaMemcpy2DToArray(array, 4, 0, host, 64, 64, 16, cudaMemcpyHostToDevice));
  show("higher than the array", cudaMemcpy2DToArray(array, 0, 1, host, 64, 64, 16, cudaMemcpyHostToDevice));
  cudaResourceDesc in_array = {};
  in_array.resType = cudaResourceTypeArray;
  in_array.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  show("a surface of an array that is none", cudaCreateSurfaceObject(&s, &in_array));
  show("integers filtered", texture(in_array, cudaFilterModeLinear, cudaReadModeElementType, 0));
  show("32 bits as fractions", texture(in_array, cudaFilterModePoint, cudaReadModeNormalizedFloat, 0));
  show("integers as they are", texture(in_array, cudaFilterModePoint, cudaReadModeElementType, 0));

  void* p = nullptr;
  CHECK(cudaMalloc(&p, 65536));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = p;
  linear.res.linear.desc = bytes;
  linear.res.linear.sizeInBytes = 4096;
  show("linear memory filtered", texture(linear, cudaFilterModeLinear, cudaReadModeElementType, 0));
  show("a surface of linear memory", cudaCreateSurfaceObject(&s, &linear));
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = p;
  pitched.res.pitch2D.desc = bytes;
  pitched.res.pitch2D.width = 16;
  pitched.res.pitch2D.height = 16;
  pitched.res.pitch2D.pitchInBytes = 72;
  show("an odd pitch", texture(pitched, cudaFilterModePoint, cudaReadModeElementType, 0));
  pitched.res.pitch2D.pitchInBytes = 128;
  show("a good pitch", texture(pitched, cudaFilterModePoint, cudaReadModeElementType, 0));

  cudaMipmappedArray_t mipmap;
  CHECK(cudaMallocMipmappedArray(&mipmap, &bytes, make_cudaExtent(16, 16, 0), 3));
  cudaArray_t level;
  show("a level that is not there", cudaGetMipmappedArrayLevel(&level, mipmap, 3));
  cudaResourceDesc in_mipmap = {};
  in_mipmap.resType = cudaResourceTypeMipmappedArray;
  in_mipmap.res.mipmap.mipmap = mipmap;
  show("a mipmap in texels", texture(in_mipmap, cudaFilterModePoint, cudaReadModeElementType, 0));
  show("a mipmap in fractions", texture(in_mipmap, cudaFilterModePoint, cudaReadModeElementType, 1));
  CHECK(cudaFreeMipmappedArray(mipmap));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(p));
  return 0;
}
