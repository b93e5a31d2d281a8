// Samples volumes, cube maps and mipmaps on this machine's GPU: record_volumes FILE. See volume_points.h.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "volume_points.h"

#define CHECK(call)                                                            \
  do {                                                                         \
    const cudaError_t status_ = (call);                                        \
    if (status_ != cudaSuccess) {                                              \
      std::fprintf(stderr, "%s gives %s\n", #call, cudaGetErrorName(status_)); \
      std::exit(2);                                                            \
    }                                                                          \
  } while (false)

__global__ void sample(cudaTextureObject_t t, const float4* at, float* out, int kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = at[i];
  out[i] = kind == silicon::kVolume ? tex3D<float>(t, p.x, p.y, p.z)
           : kind == silicon::kCube ? texCubemap<float>(t, p.x, p.y, p.z)
                                    : tex2DLod<float>(t, p.x, p.y, p.z);
}

static void fill(cudaArray_t array, int kind, unsigned level, unsigned width, unsigned height,
                 unsigned depth) {
  std::vector<float> host(width * height * depth);
  for (unsigned i = 0; i < host.size(); ++i) host[i] = silicon::volume_texel(kind, level, i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), width * sizeof(float), width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
}

static cudaResourceDesc make_resource(int kind) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc r = {};
  if (kind == silicon::kMipmap) {
    r.resType = cudaResourceTypeMipmappedArray;
    CHECK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &format,
                                   make_cudaExtent(silicon::kMipSide, silicon::kMipSide, 0),
                                   silicon::kMipLevels));
    for (unsigned n = 0; n < silicon::kMipLevels; ++n) {
      cudaArray_t level;
      CHECK(cudaGetMipmappedArrayLevel(&level, r.res.mipmap.mipmap, n));
      fill(level, kind, n, silicon::kMipSide >> n, silicon::kMipSide >> n, 1);
    }
    return r;
  }
  const unsigned* s = silicon::kVolumeSides;
  const unsigned c = silicon::kCubeSide;
  const bool cube = kind == silicon::kCube;
  r.resType = cudaResourceTypeArray;
  const cudaExtent extent = cube ? make_cudaExtent(c, c, 6) : make_cudaExtent(s[0], s[1], s[2]);
  CHECK(cudaMalloc3DArray(&r.res.array.array, &format, extent, cube ? cudaArrayCubemap : 0));
  fill(r.res.array.array, kind, 0, cube ? c : s[0], cube ? c : s[1], cube ? 6 : s[2]);
  return r;
}

int main(int argc, char** argv) {
  std::FILE* const file = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
  if (file == nullptr) {
    std::fputs("usage: record_volumes FILE\n", stderr);
    return 2;
  }
  float4* at;
  float* out;
  CHECK(cudaMalloc(&at, silicon::kVolumeSamples * sizeof(float4)));
  CHECK(cudaMalloc(&out, silicon::kVolumeSamples * sizeof(float)));
  for (const silicon::VolumeCase& c : silicon::volume_cases()) {
    const cudaResourceDesc resource = make_resource(c.kind);
    cudaTextureDesc d = {};
    for (cudaTextureAddressMode& m : d.addressMode) m = static_cast<cudaTextureAddressMode>(c.mode);
    d.filterMode = static_cast<cudaTextureFilterMode>(c.linear);
    d.mipmapFilterMode = static_cast<cudaTextureFilterMode>(c.mip_linear);
    d.maxMipmapLevelClamp = silicon::kMipLevels - 1;
    d.normalizedCoords = c.normalized;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
    const std::vector<float> points = silicon::volume_points(c);
    CHECK(cudaMemcpy(at, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice));
    sample<<<silicon::kVolumeSamples / 128, 128>>>(t, at, out, c.kind);
    std::vector<float> samples(silicon::kVolumeSamples);
    CHECK(cudaMemcpy(samples.data(), out, samples.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::fwrite(samples.data(), sizeof(float), samples.size(), file);
    CHECK(cudaDestroyTextureObject(t));
    if (c.kind == silicon::kMipmap)
      CHECK(cudaFreeMipmappedArray(resource.res.mipmap.mipmap));
    else
      CHECK(cudaFreeArray(resource.res.array.array));
  }
  std::fclose(file);
  return 0;
}
