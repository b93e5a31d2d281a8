// Mipmapped arrays: levels made by a kernel from the one before, as the CUDA samples do, then sampled by
// level and by gradient.
#include <vector>

#include "check.h"

__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // In the middle between four texels: their mean.
  surf2Dwrite(tex2D<float>(from, (x + 0.5f) / width, (y + 0.5f) / height), to, x * 4, y);
}

__global__ void by_level(cudaTextureObject_t t, float* out, float x, float y, float step) {
  out[threadIdx.x] = tex2DLod<float>(t, x, y, threadIdx.x * step);
}

__global__ void by_gradient(cudaTextureObject_t t, float* out) {
  const float d = static_cast<float>(1 << threadIdx.x) / 16;  // 1, 2, 4, ... texels
  out[threadIdx.x] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(d, 0), make_float2(0, d / 4));
  out[8 + threadIdx.x] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(0, 0), make_float2(0, d));
}

__global__ void without_level(cudaTextureObject_t t, float* out) {
  *out = tex2D<float>(t, 0.5f, 0.5f);
}

int main() {
  Checks checks;
  const unsigned side = 16;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap;
  CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(side, side, 0), 99,
                                 cudaArraySurfaceLoadStore));
  unsigned levels = 0;
  cudaArray_t level;
  while (cudaGetMipmappedArrayLevel(&level, mipmap, levels) == cudaSuccess) {
    cudaExtent e;
    CHECK(cudaArrayGetInfo(nullptr, &e, nullptr, level));
    std::printf("level %u: %zu x %zu\n", levels, e.width, e.height);
    ++levels;
  }
  std::printf("no more: %s\n", cudaGetErrorName(cudaGetLastError()));

  std::vector<float> host(side * side);
  for (unsigned i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % side * 64 + i / side * 4096);
  CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
  CHECK(cudaMemcpy2DToArray(level, 0, 0, host.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
  for (unsigned n = 1; n < levels; ++n) {
    cudaResourceDesc from = {}, to = {};
    from.resType = to.resType = cudaResourceTypeArray;
    CHECK(cudaGetMipmappedArrayLevel(&from.res.array.array, mipmap, n - 1));
    CHECK(cudaGetMipmappedArrayLevel(&to.res.array.array, mipmap, n));
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    d.normalizedCoords = 1;
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateTextureObject(&t, &from, &d, nullptr));
    CHECK(cudaCreateSurfaceObject(&s, &to));
    const int now = static_cast<int>(side >> n);
    halve<<<dim3(2, 2), dim3(8, 8)>>>(t, s, now, now);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s));
  }
  float top = 0;
  CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, levels - 1));
  CHECK(cudaMemcpy2DFromArray(&top, 4, level, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
  checks.expect(top == 7.5f * (64 + 4096), "the last level is the mean of the first");

  float *out, back[16];
  CHECK(cudaMalloc(&out, sizeof back));
  const auto show = [&](const char* what, int n) {
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    std::printf("%s:", what);
    for (int i = 0; i < n; ++i) std::printf(" %g", back[i]);
    std::puts("");
  };
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  d.normalizedCoords = 1;
  d.maxMipmapLevelClamp = static_cast<float>(levels - 1);
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  by_level<<<1, 6>>>(t, out, 0.26f, 0.51f, 1.0f);
  show("points by level", 6);
  by_level<<<1, 9>>>(t, out, 0.26f, 0.51f, 0.375f);
  show("the nearest level", 9);
  CHECK(cudaDestroyTextureObject(t));

  d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear;
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  by_level<<<1, 9>>>(t, out, 0.25f, 0.25f, 0.5f);
  show("between levels", 9);
  without_level<<<1, 1>>>(t, out);
  show("without a level", 1);
  CHECK(cudaDestroyTextureObject(t));

  // Each level alone tells itself by its corner.
  for (unsigned n = 0; n < levels; ++n) {
    const int now = static_cast<int>(side >> n);
    const std::vector<float> flat(now * now, static_cast<float>(256 << n));
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, n));
    CHECK(cudaMemcpy2DToArray(level, 0, 0, flat.data(), now * 4, now * 4, now, cudaMemcpyHostToDevice));
  }
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  by_level<<<1, 7>>>(t, out, 0.5f, 0.5f, 1.0f / 3);
  show("thirds", 7);
  by_gradient<<<1, 5>>>(t, out);
  show("by gradient", 5);
  std::printf("the other one: %g %g %g %g %g\n", back[8], back[9], back[10], back[11], back[12]);
  CHECK(cudaDestroyTextureObject(t));
  d.mipmapLevelBias = 1;
  d.minMipmapLevelClamp = 1.5f;
  d.maxMipmapLevelClamp = 3;
  CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
  by_level<<<1, 5>>>(t, out, 0.5f, 0.5f, 1.0f);
  show("biased and clamped", 5);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeMipmappedArray(mipmap));
  CHECK(cudaFree(out));
  return checks.finish();
}
