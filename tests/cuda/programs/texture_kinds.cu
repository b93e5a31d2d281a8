// Textures of three dimensions, layers and cubes; gathers; halves, borders and fractions of integers. Weights
// are whole 256ths, so that every card gives the same.
#include <cuda_fp16.h>

#include <cstring>
#include <vector>

#include "check.h"

__global__ void sample_volume(cudaTextureObject_t t, float* out, int side, float offset, float scale) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  out[(z * side + y) * side + x] =
      tex3D<float>(t, (x + offset) * scale, (y + offset) * scale, (z + offset) * scale);
}

__global__ void sample_layers_1d(cudaTextureObject_t t, float* out, int width) {
  out[blockIdx.x * width + threadIdx.x] = tex1DLayered<float>(t, threadIdx.x + 0.5f, blockIdx.x);
}

__global__ void sample_layers_2d(cudaTextureObject_t t, float* out, int side, float offset) {
  const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  out[(layer * side + y) * side + x] = tex2DLayered<float>(t, x + offset, y + offset, layer);
}

// The middle of every texel of every face, as a direction.
__global__ void sample_cube(cudaTextureObject_t t, float* out, int side, bool layered) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x % 6, layer = blockIdx.x / 6;
  const float s = (2 * x + 1.0f) / side - 1, v = (2 * y + 1.0f) / side - 1;
  float dx = 0, dy = 0, dz = 0;
  switch (face) {
    case 0:
      dx = 1, dy = -v, dz = -s;
      break;
    case 1:
      dx = -1, dy = -v, dz = s;
      break;
    case 2:
      dx = s, dy = 1, dz = v;
      break;
    case 3:
      dx = s, dy = -1, dz = -v;
      break;
    case 4:
      dx = s, dy = -v, dz = 1;
      break;
    default:
      dx = -s, dy = -v, dz = -1;
      break;
  }
  out[(blockIdx.x * side + y) * side + x] =
      layered ? texCubemapLayered<float>(t, dx, dy, dz, layer) : texCubemap<float>(t, dx, dy, dz);
}

// Directions between two or three faces.
__global__ void sample_edges(cudaTextureObject_t t, float* out) {
  const float x[] = {1, 1, 0, -1, 1, -1}, y[] = {1, 1, 1, -1, 0, 0}, z[] = {1, 0, 1, -1, 1, -1};
  const int i = threadIdx.x;
  out[i] = texCubemap<float>(t, x[i], y[i], z[i]);
}

__global__ void sample_layer(cudaTextureObject_t t, float* out, int layer) {
  *out = tex2DLayered<float>(t, 0.5f, 0.5f, layer);
}

__global__ void gather(cudaTextureObject_t t, float4* out) {
  out[0] = tex2Dgather<float4>(t, 2.0f, 3.0f, 0);
  out[1] = tex2Dgather<float4>(t, 2.0f, 3.0f, 1);
  out[2] = tex2Dgather<float4>(t, 0.0f, 0.0f, 0);
}

__global__ void sample_line(cudaTextureObject_t t, float2* out, float first, float step) {
  out[threadIdx.x] = tex2D<float2>(t, first + threadIdx.x * step, 0.5f);
}

__global__ void levels_of_no_mipmap(cudaTextureObject_t t, float* out) {
  out[0] = tex2DLod<float>(t, 1.5f, 2.5f, 0.0f);
  out[1] = tex2DLod<float>(t, 1.5f, 2.5f, 3.0f);
  out[2] = tex2DGrad<float>(t, 1.5f, 2.5f, make_float2(8, 0), make_float2(0, 8));
}

static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                   bool normalized) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
  d.filterMode = filter;
  d.normalizedCoords = normalized ? 1 : 0;
  return d;
}

static cudaTextureObject_t make(cudaArray_t array, const cudaTextureDesc& d) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &d, nullptr));
  return texture;
}

// An array with 16 * i in its i-th texel.
static cudaArray_t make_array(size_t width, size_t height, size_t depth, unsigned flags,
                              std::vector<float>& host) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
  const size_t rows = height == 0 ? 1 : height;
  host.resize(width * rows * depth);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(16 * i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), width * sizeof(float), width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

int main() {
  Checks checks;
  const int side = 8;
  const dim3 block(side, side);
  float* out;
  CHECK(cudaMalloc(&out, 65536));
  std::vector<float> host, back;
  const auto get = [&](size_t n) {
    back.resize(n);
    CHECK(cudaMemcpy(back.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  };
  const auto destroy = [&](cudaTextureObject_t t) { CHECK(cudaDestroyTextureObject(t)); };

  cudaArray_t volume = make_array(side, side, side, 0, host);
  cudaTextureObject_t t = make(volume, description(cudaAddressModeClamp, cudaFilterModePoint, false));
  sample_volume<<<side, block>>>(t, out, side, 0.5f, 1.0f);
  get(host.size());
  checks.expect(back == host, "points of a volume");
  destroy(t);
  t = make(volume, description(cudaAddressModeClamp, cudaFilterModeLinear, false));
  sample_volume<<<side, block>>>(t, out, side, 0.75f, 1.0f);  // a quarter on in each direction
  get(host.size());
  bool good = true;
  for (int z = 0; z < side - 1; ++z)
    for (int y = 0; y < side - 1; ++y)
      for (int x = 0; x < side - 1; ++x) {
        const size_t i = (z * side + y) * side + x;
        good = good && back[i] == host[i] + 4 * (1 + side + side * side);
      }
  checks.expect(good, "linear filtering in three dimensions");
  destroy(t);
  t = make(volume, description(cudaAddressModeWrap, cudaFilterModePoint, true));
  sample_volume<<<side, block>>>(t, out, side, 8.5f, 1.0f / side);
  get(host.size());
  checks.expect(back == host, "a volume that is repeated");
  destroy(t);
  t = make(volume, description(cudaAddressModeBorder, cudaFilterModePoint, false));
  sample_volume<<<side, block>>>(t, out, side, 1.5f, 1.0f);
  get(host.size());
  good = true;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const bool inside = x < side - 1 && y < side - 1 && z < side - 1;
        const size_t i = (z * side + y) * side + x;
        good = good && back[i] == (inside ? host[i + 1 + side + side * side] : 0);
      }
  checks.expect(good, "the border of a volume");
  destroy(t);
  CHECK(cudaFreeArray(volume));

  cudaArray_t layers = make_array(side, 0, 5, cudaArrayLayered, host);
  t = make(layers, description(cudaAddressModeClamp, cudaFilterModePoint, false));
  sample_layers_1d<<<5, side>>>(t, out, side);
  get(host.size());
  checks.expect(back == host, "layers of one dimension");
  sample_layers_1d<<<7, side>>>(t, out, side);
  get(7 * side);
  std::printf("layers that are not there: %g %g\n", back[5 * side], back[6 * side]);
  destroy(t);
  CHECK(cudaFreeArray(layers));

  layers = make_array(side, side, 5, cudaArrayLayered, host);
  t = make(layers, description(cudaAddressModeClamp, cudaFilterModeLinear, false));
  sample_layers_2d<<<5, block>>>(t, out, side, 1.0f);
  get(host.size());
  good = true;
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < side - 1; ++y)
      for (int x = 0; x < side - 1; ++x) {
        const size_t i = (z * side + y) * side + x;
        good = good && back[i] == host[i] + 8 * (1 + side);
      }
  checks.expect(good, "layers of two dimensions are not mixed");
  sample_layer<<<1, 1>>>(t, out, -1);
  get(1);
  std::printf("layer -1: %g\n", back[0]);
  cudaExtent extent;
  unsigned flags;
  cudaChannelFormatDesc format;
  CHECK(cudaArrayGetInfo(&format, &extent, &flags, layers));
  std::printf("%d bits, %zu x %zu x %zu, flags %u\n", format.x, extent.width, extent.height, extent.depth,
              flags);
  destroy(t);
  CHECK(cudaFreeArray(layers));

  for (const int cubes : {1, 2}) {
    cudaArray_t cube =
        make_array(side, side, 6 * cubes, cudaArrayCubemap | (cubes > 1 ? cudaArrayLayered : 0), host);
    t = make(cube, description(cudaAddressModeWrap, cudaFilterModePoint, true));
    sample_cube<<<6 * cubes, block>>>(t, out, side, cubes > 1);
    get(host.size());
    checks.expect(back == host, cubes > 1 ? "layers of cubes" : "the faces of a cube");
    if (cubes == 1) {
      sample_edges<<<1, 6>>>(t, out);
      get(6);
      std::printf("between faces:");
      for (int i = 0; i < 6; ++i) std::printf(" %d", static_cast<int>(back[i]) / (16 * side * side));
      std::puts("");
    }
    destroy(t);
    t = make(cube, description(cudaAddressModeClamp, cudaFilterModeLinear, true));
    sample_cube<<<6 * cubes, block>>>(t, out, side, cubes > 1);
    get(host.size());
    checks.expect(back == host, "the middle of a texel is the texel");
    destroy(t);
    CHECK(cudaFreeArray(cube));
  }

  const cudaChannelFormatDesc two = cudaCreateChannelDesc<float2>();
  cudaArray_t pairs;
  CHECK(cudaMallocArray(&pairs, &two, 4, 4, cudaArrayTextureGather));
  std::vector<float> values(32);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  CHECK(cudaMemcpy2DToArray(pairs, 0, 0, values.data(), 32, 32, 4, cudaMemcpyHostToDevice));
  t = make(pairs, description(cudaAddressModeClamp, cudaFilterModePoint, false));
  gather<<<1, 1>>>(t, reinterpret_cast<float4*>(out));
  get(12);
  for (int i = 0; i < 12; i += 4)
    std::printf("gathered: %g %g %g %g\n", back[i], back[i + 1], back[i + 2], back[i + 3]);
  levels_of_no_mipmap<<<1, 1>>>(t, out);
  get(3);
  std::printf("levels of an array without: %g %g %g\n", back[0], back[1], back[2]);
  destroy(t);
  CHECK(cudaFreeArray(pairs));

  const cudaChannelFormatDesc halves = cudaCreateChannelDescHalf2();
  cudaArray_t small;
  CHECK(cudaMallocArray(&small, &halves, 4, 1));
  __half in_halves[8];
  for (int i = 0; i < 8; ++i) in_halves[i] = __float2half(i - 2.5f);
  CHECK(cudaMemcpy2DToArray(small, 0, 0, in_halves, sizeof in_halves, sizeof in_halves, 1,
                            cudaMemcpyHostToDevice));
  cudaTextureDesc d = description(cudaAddressModeBorder, cudaFilterModeLinear, false);
  d.borderColor[0] = 8;
  d.borderColor[1] = -16;
  t = make(small, d);
  sample_line<<<1, 12>>>(t, reinterpret_cast<float2*>(out), -1.0f, 0.5f);
  get(24);
  std::printf("halves in a border:");
  for (int i = 0; i < 24; ++i) std::printf(" %g", back[i]);
  std::puts("");
  destroy(t);
  CHECK(cudaFreeArray(small));

  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar2>();
  CHECK(cudaMallocArray(&small, &bytes, 4, 1));
  const unsigned char in_bytes[8] = {0, 255, 51, 0, 255, 102, 128, 10};
  CHECK(cudaMemcpy2DToArray(small, 0, 0, in_bytes, 8, 8, 1, cudaMemcpyHostToDevice));
  for (const bool srgb : {false, true}) {
    d = description(cudaAddressModeClamp, cudaFilterModePoint, false);
    d.readMode = cudaReadModeNormalizedFloat;
    d.sRGB = srgb ? 1 : 0;
    t = make(small, d);
    sample_line<<<1, 4>>>(t, reinterpret_cast<float2*>(out), 0.5f, 1.0f);
    get(8);
    std::printf(srgb ? "bytes as sRGB:" : "bytes as fractions:");
    for (int i = 0; i < 8; ++i) std::printf(" %.3f", back[i]);
    std::puts("");
    destroy(t);
  }
  CHECK(cudaFreeArray(small));
  CHECK(cudaFree(out));
  return checks.finish();
}
