// Surface objects: written and read in one to three dimensions and in layers, read again as textures; what
// happens at the edges; values of 1 to 16 bytes.
#include <vector>

#include "check.h"

__global__ void write_2d(cudaSurfaceObject_t s, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) surf2Dwrite(static_cast<float>(y * width + x), s, x * 4, y);
}

__global__ void transpose(cudaTextureObject_t t, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

__global__ void add_number(cudaSurfaceObject_t s, int n) {
  const int x = threadIdx.x * 4, y = blockIdx.x;
  surf2Dwrite(surf2Dread<float>(s, x, y) + n, s, x, y);
}

__global__ void write_3d(cudaSurfaceObject_t s) {
  const ushort2 v = make_ushort2(threadIdx.x + 10 * threadIdx.y, blockIdx.x);
  surf3Dwrite(v, s, threadIdx.x * 4, threadIdx.y, blockIdx.x);
}
__global__ void read_3d(cudaSurfaceObject_t s, int* out) {
  const ushort2 v = surf3Dread<ushort2>(s, threadIdx.x * 4, threadIdx.y, blockIdx.x);
  out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v.x + 1000 * v.y;
}

__global__ void layers(cudaSurfaceObject_t lines, cudaSurfaceObject_t planes, float4* out) {
  const int i = threadIdx.x, layer = blockIdx.x;
  surf1DLayeredwrite(static_cast<unsigned char>(i + 16 * layer), lines, i, layer);
  surf2DLayeredwrite(make_float4(i, layer, i * layer, -1), planes, i * 16, 1, layer);
  const unsigned char back = surf1DLayeredread<unsigned char>(lines, i, layer);
  const float4 v = surf2DLayeredread<float4>(planes, i * 16, 1, layer);
  out[layer * blockDim.x + i] = make_float4(v.x, v.y, v.z, v.w + back);
}

__global__ void edges(cudaSurfaceObject_t s, int* out) {
  out[0] = surf2Dread<int>(s, 400, -3, cudaBoundaryModeClamp);
  out[1] = surf2Dread<int>(s, -4, 1, cudaBoundaryModeClamp);
  out[2] = surf2Dread<int>(s, 16, 0, cudaBoundaryModeZero);
  out[3] = surf2Dread<int>(s, 0, 2, cudaBoundaryModeZero);
  surf2Dwrite(77, s, 16, 0, cudaBoundaryModeZero);  // goes nowhere
  surf2Dwrite(78, s, 0, 9, cudaBoundaryModeClamp);  // the last row
}

__global__ void widths(cudaSurfaceObject_t s, long long* out) {
  surf1Dwrite(static_cast<signed char>(-2), s, 3);
  surf1Dwrite(static_cast<short>(-3), s, 6);
  surf1Dwrite(0x123456789abcdefll, s, 8);
  surf1Dwrite(make_int4(1, 2, 3, 4), s, 16);
  out[0] = surf1Dread<signed char>(s, 3);
  out[1] = surf1Dread<short>(s, 6);
  out[2] = surf1Dread<long long>(s, 8);
  const int2 v = surf1Dread<int2>(s, 24);
  out[3] = v.x * 10 + v.y;
  out[4] = surf1Dread<unsigned char>(s, 8);
}

static cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  return r;
}

static cudaSurfaceObject_t make(cudaArray_t array) {
  const cudaResourceDesc r = resource_of(array);
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}

template <class T>
static cudaArray_t make_array(size_t width, size_t height, size_t depth, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth),
                          flags | cudaArraySurfaceLoadStore));
  return array;
}

template <class T>
static std::vector<T> get(const void* p, size_t n) {
  std::vector<T> v(n);
  CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

int main() {
  Checks checks;
  const int width = 40, height = 24;
  void* out;
  CHECK(cudaMalloc(&out, 65536));

  cudaArray_t plane = make_array<float>(width, height, 0, 0);
  cudaSurfaceObject_t s = make(plane);
  const dim3 block(16, 8), grid(3, 3);
  write_2d<<<grid, block>>>(s, width, height);
  const cudaResourceDesc resource = resource_of(plane);
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
  transpose<<<grid, block>>>(t, static_cast<float*>(out), width, height);
  auto floats = get<float>(out, width * height);
  bool good = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) good = good && floats[x * height + y] == y * width + x;
  checks.expect(good, "written as a surface, read as a texture");
  for (int n = 0; n < 5; ++n) add_number<<<height, width>>>(s, n);
  std::vector<float> rows(width * height);
  CHECK(
      cudaMemcpy2DFromArray(rows.data(), width * 4, plane, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  good = true;
  for (int i = 0; i < width * height; ++i) good = good && rows[i] == i + 10;
  checks.expect(good, "a launch reads what the one before wrote");
  cudaResourceDesc asked = {};
  CHECK(cudaGetSurfaceObjectResourceDesc(&asked, s));
  checks.expect(asked.resType == cudaResourceTypeArray && asked.res.array.array == plane,
                "what a surface says it is");
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaDestroySurfaceObject(s));

  cudaArray_t other = make_array<float>(width, height, 0, 0);
  CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, plane, 0, 0, width * 4, height, cudaMemcpyDeviceToDevice));
  CHECK(
      cudaMemcpy2DFromArray(rows.data(), width * 4, other, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  checks.expect(rows[width * height - 1] == width * height + 9, "from array to array");
  CHECK(cudaFreeArray(other));
  CHECK(cudaFreeArray(plane));

  cudaArray_t volume = make_array<ushort2>(6, 5, 4, 0);
  s = make(volume);
  write_3d<<<4, dim3(6, 5)>>>(s);
  read_3d<<<4, dim3(6, 5)>>>(s, static_cast<int*>(out));
  auto ints = get<int>(out, 120);
  good = true;
  for (int i = 0; i < 120; ++i) good = good && ints[i] == i % 6 + 10 * (i / 6 % 5) + 1000 * (i / 30);
  checks.expect(good, "three dimensions");
  std::vector<ushort2> slice(30);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = volume;
  copy.srcPos = make_cudaPos(2, 0, 3);
  copy.dstPtr = make_cudaPitchedPtr(slice.data() + 2, 6 * sizeof(ushort2), 4, 5);
  copy.extent = make_cudaExtent(4, 5, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  std::printf("copied: %d %d, %d %d\n", slice[2].x, slice[2].y, slice[29].x, slice[29].y);
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(volume));

  cudaArray_t lines = make_array<unsigned char>(16, 0, 3, cudaArrayLayered);
  cudaArray_t planes = make_array<float4>(16, 2, 3, cudaArrayLayered);
  cudaSurfaceObject_t s1 = make(lines), s2 = make(planes);
  layers<<<3, 16>>>(s1, s2, static_cast<float4*>(out));
  const auto fours = get<float4>(out, 48);
  good = true;
  for (int i = 0; i < 48; ++i)
    good = good && fours[i].x == i % 16 && fours[i].y == i / 16 && fours[i].z == (i % 16) * (i / 16) &&
           fours[i].w == i - 1;
  checks.expect(good, "layers of one and two dimensions");
  CHECK(cudaDestroySurfaceObject(s1));
  CHECK(cudaDestroySurfaceObject(s2));
  CHECK(cudaFreeArray(lines));
  CHECK(cudaFreeArray(planes));

  cudaArray_t small = make_array<int>(4, 2, 0, 0);
  const int corner[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(cudaMemcpy2DToArray(small, 0, 0, corner, 16, 16, 2, cudaMemcpyHostToDevice));
  s = make(small);
  edges<<<1, 1>>>(s, static_cast<int*>(out));
  ints = get<int>(out, 4);
  std::printf("outside: %d %d %d %d\n", ints[0], ints[1], ints[2], ints[3]);
  int after[8];
  CHECK(cudaMemcpy2DFromArray(after, 16, small, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
  std::printf("after:");
  for (const int v : after) std::printf(" %d", v);
  std::puts("");
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(small));

  cudaArray_t line = make_array<unsigned char>(64, 0, 0, 0);
  s = make(line);
  widths<<<1, 1>>>(s, static_cast<long long*>(out));
  const auto longs = get<long long>(out, 5);
  std::printf("widths: %lld %lld %llx %lld %lld\n", longs[0], longs[1], longs[2], longs[3], longs[4]);
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(line));
  CHECK(cudaFree(out));
  return checks.finish();
}
