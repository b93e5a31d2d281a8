// Texture objects: linear memory, pitched memory and arrays; addresses clamped and wrapped; filtering.
#include <cmath>
#include <vector>

#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(t, n - 1 - i);
}

__global__ void fetch_vector(cudaTextureObject_t t, int* out) {
  const uchar4 v = tex1Dfetch<uchar4>(t, threadIdx.x);
  out[threadIdx.x] = v.x + v.y * 1000 + v.z * 1000000;
}

__global__ void sample(cudaTextureObject_t t, float* out, int width, int height, float dx, float dy,
                       float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(t, (x + dx) * scale, (y + dy) * scale);
}

static cudaTextureObject_t make(const cudaResourceDesc& resource, cudaTextureAddressMode mode,
                                cudaTextureFilterMode filter, bool normalized,
                                cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = mode;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized ? 1 : 0;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

int main() {
  Checks checks;
  const int width = 32, height = 16, n = width * height;
  std::vector<float> host(n), back(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i * 16);
  float *memory, *out;
  CHECK(cudaMalloc(&memory, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(memory, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const auto get = [&] { CHECK(cudaMemcpy(back.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost)); };

  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = memory;
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = n * sizeof(float);
  cudaTextureObject_t texture = make(linear, cudaAddressModeClamp, cudaFilterModePoint, false);
  fetch<<<4, 128>>>(texture, out, n);
  get();
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && back[i] == host[n - 1 - i];
  checks.expect(good, "tex1Dfetch from linear memory");
  CHECK(cudaDestroyTextureObject(texture));

  unsigned char bytes[64];
  for (int i = 0; i < 64; ++i) bytes[i] = static_cast<unsigned char>(i * 4);
  CHECK(cudaMemcpy(memory, bytes, sizeof bytes, cudaMemcpyHostToDevice));
  linear.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  linear.res.linear.sizeInBytes = sizeof bytes;
  texture = make(linear, cudaAddressModeClamp, cudaFilterModePoint, false);
  fetch_vector<<<1, 16>>>(texture, reinterpret_cast<int*>(out));
  int vectors[16];
  CHECK(cudaMemcpy(vectors, out, sizeof vectors, cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < 16; ++i)
    good = good && vectors[i] == i * 16 + (i * 16 + 4) * 1000 + (i * 16 + 8) * 1000000;
  checks.expect(good, "vectors of bytes");
  CHECK(cudaDestroyTextureObject(texture));

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), width * sizeof(float), width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc in_array = {};
  in_array.resType = cudaResourceTypeArray;
  in_array.res.array.array = array;
  const dim3 block(16, 8), grid(2, 2);

  texture = make(in_array, cudaAddressModeClamp, cudaFilterModePoint, false);
  sample<<<grid, block>>>(texture, out, width, height, 5.5f, -2.5f, 1.0f);
  get();
  good = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      good = good && back[y * width + x] == host[std::max(y - 3, 0) * width + std::min(x + 5, width - 1)];
  checks.expect(good, "points of an array, clamped at its edges");
  CHECK(cudaDestroyTextureObject(texture));

  texture = make(in_array, cudaAddressModeClamp, cudaFilterModeLinear, false);
  sample<<<grid, block>>>(texture, out, width, height, 0.75f, 1.0f,
                          1.0f);  // a quarter to the right, half down
  get();
  good = true;
  for (int y = 0; y < height - 1; ++y)
    for (int x = 0; x < width - 1; ++x)
      good = good && back[y * width + x] == host[y * width + x] + 4 + width * 8;
  checks.expect(good, "linear filtering between points");
  CHECK(cudaDestroyTextureObject(texture));

  texture = make(in_array, cudaAddressModeWrap, cudaFilterModePoint, true);
  sample<<<grid, block>>>(texture, out, 16, 16, 8.5f, 0.5f, 1.0f / 16);
  get();
  good = true;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x)
      good = good && back[y * 16 + x] == host[y * width + ((x + 8) * 2 + 1) % width];
  checks.expect(good, "normalised coordinates that wrap around");
  CHECK(cudaDestroyTextureObject(texture));

  float* rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
  CHECK(cudaMemcpy2D(rows, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = rows;
  pitched.res.pitch2D.desc = format;
  pitched.res.pitch2D.width = width;
  pitched.res.pitch2D.height = height;
  pitched.res.pitch2D.pitchInBytes = pitch;
  texture = make(pitched, cudaAddressModeClamp, cudaFilterModePoint, false);
  sample<<<grid, block>>>(texture, out, width, height, 0.5f, 0.5f, 1.0f);
  get();
  checks.expect(back == host, "pitched memory");
  cudaResourceDesc asked = {};
  CHECK(cudaGetTextureObjectResourceDesc(&asked, texture));
  checks.expect(asked.resType == cudaResourceTypePitch2D && asked.res.pitch2D.devPtr == rows,
                "what a texture says it is");
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(rows));
  CHECK(cudaFree(memory));
  CHECK(cudaFree(out));
  return checks.finish();
}
