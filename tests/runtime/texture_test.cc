// Arrays of every kind, textures and surfaces, of the runtime and of the driver.
#include <cstring>
#include <numeric>

#include "tests/runtime/program.h"

namespace heddle::runtime_test {
namespace {

constexpr const char* kKernels = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry volume(.param .u64 p, .param .u64 t) {
  .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [t]; mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3; bfe.u32 %r3, %r1, 2, 1; shr.u32 %r4, %r1, 3;
  cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r3; cvt.rn.f32.u32 %f3, %r4;
  tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd2, {%f1,%f2,%f3,%f3}];
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f4; ret;
}
.visible .entry level(.param .u64 p, .param .u64 t) {
  .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [t]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
  mov.f32 %f2, 0f3F000000; tex.level.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%rd2, {%f2,%f2}], %f1;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f4; ret;
}
.visible .entry write(.param .u64 s) {
  .reg .b64 %rd<5>; .reg .b32 %r<9>;
  ld.param.u64 %rd1, [s]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2;
  mad.lo.u32 %r4, %r2, 100, %r1; sust.b.a2d.b32.trap [%rd1, {%r2,%r3,1,1}], {%r4}; ret;
}
)";

class TextureTest : public RuntimeTest {
 protected:
  static Program& program() {
    static auto* p = new Program(kKernels);
    return *p;
  }
  static cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
  }
  static cudaTextureDesc clamped() {
    cudaTextureDesc d{};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = 1;
    return d;
  }
  static std::vector<float> run(const char* kernel, unsigned long long texture, unsigned n) {
    std::uint32_t* out = allocate(n);
    EXPECT_EQ(launch(program().kernel(kernel), {}, {n}, {&out, &texture}), cudaSuccess);
    std::vector<float> v(n);
    EXPECT_EQ(cudaMemcpy(v.data(), out, 4 * n, kToHost), cudaSuccess);
    return v;
  }
  const cudaChannelFormatDesc floats_{32, 0, 0, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc words_{32, 0, 0, 0, cudaChannelFormatKindUnsigned};
};

TEST_F(TextureTest, VolumesAreCopiedInAndSampled) {
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &floats_, {4, 2, 3}, 0), cudaSuccess);
  std::vector<float> host(24);
  std::iota(host.begin(), host.end(), 0.0f);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {host.data(), 16, 4, 2};
  copy.dstArray = array;
  copy.extent = {4, 2, 3};  // elements, because of the array
  copy.kind = kToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  copy.dstPos = {1, 0, 0};
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue) << "wider than the array";
  const cudaResourceDesc resource = of(array);
  const cudaTextureDesc d = clamped();
  unsigned long long texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &d, nullptr), cudaSuccess);
  EXPECT_EQ(run("volume", texture, 24), host);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(TextureTest, SurfacesAreWritten) {
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &words_, {8, 2, 3}, cudaArrayLayered | cudaArraySurfaceLoadStore),
            cudaSuccess);
  cudaExtent extent{};
  unsigned flags = 0;
  ASSERT_EQ(cudaArrayGetInfo(nullptr, &extent, &flags, array), cudaSuccess);
  EXPECT_EQ(extent.depth, 3u);
  EXPECT_EQ(flags, cudaArrayLayered | cudaArraySurfaceLoadStore);
  const cudaResourceDesc resource = of(array);
  unsigned long long surface = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  cudaResourceDesc asked{};
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&asked, surface), cudaSuccess);
  EXPECT_EQ(asked.res.array.array, array);
  ASSERT_EQ(launch(program().kernel("write"), {3}, {8}, {&surface}), cudaSuccess);
  std::vector<std::uint32_t> row(8);
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.srcPos = {0, 1, 2};
  copy.dstPtr = {row.data(), 32, 8, 1};
  copy.extent = {8, 1, 1};
  copy.kind = kToHost;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(row[7], 207u);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&asked, surface), cudaErrorInvalidValue);
}

TEST_F(TextureTest, MipmapsHaveLevels) {
  cudaMipmappedArray_t mipmap = nullptr;
  ASSERT_EQ(cudaMallocMipmappedArray(&mipmap, &floats_, {8, 4, 0}, 9, 0), cudaSuccess);
  for (unsigned n = 0; n < 4; ++n) {
    cudaArray_t level = nullptr;
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&level, mipmap, n), cudaSuccess);
    cudaExtent e{};
    ASSERT_EQ(cudaArrayGetInfo(nullptr, &e, nullptr, level), cudaSuccess);
    EXPECT_EQ(e.width, 8u >> n);
    EXPECT_EQ(e.height, n < 2 ? 4u >> n : 1u);
    EXPECT_EQ(e.depth, 0u);
    const std::vector<float> flat(32, static_cast<float>(n + 1));
    ASSERT_EQ(cudaMemcpy2DToArray(level, 0, 0, flat.data(), 4 * e.width, 4 * e.width, e.height, kToDevice),
              cudaSuccess);
    EXPECT_EQ(cudaFreeArray(level), cudaErrorInvalidValue) << "it belongs to the mipmap";
  }
  cudaArray_t none = nullptr;
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&none, mipmap, 4), cudaErrorInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  cudaTextureDesc d = clamped();
  d.maxMipmapLevelClamp = 3;
  unsigned long long texture = 0;
  d.normalizedCoords = 1;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &d, nullptr), cudaSuccess);
  EXPECT_EQ(run("level", texture, 6), (std::vector<float>{1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(cudaFreeMipmappedArray(mipmap), cudaSuccess);
  EXPECT_EQ(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidResourceHandle);
}

TEST_F(TextureTest, WrongDescriptionsAreRefused) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three{8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  const cudaChannelFormatDesc packed{10, 10, 10, 2, cudaChannelFormatKindUnsigned};
  EXPECT_EQ(cudaMalloc3DArray(&array, &three, {4, 4, 0}, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMalloc3DArray(&array, &packed, {4, 4, 0}, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMalloc3DArray(&array, &words_, {4, 8, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &words_, {4, 4, 7}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &words_, {4, 0, 4}, 0), cudaErrorInvalidValue) << "no rows";
  EXPECT_EQ(cudaMalloc3DArray(&array, &words_, {1 << 20, 4, 0}, 0), cudaErrorInvalidValue) << "too wide";
  EXPECT_EQ(cudaMalloc3DArray(&array, &words_, {4, 4, 0}, 0x4000), cudaErrorInvalidValue) << "a flag";
  ASSERT_EQ(cudaMalloc3DArray(&array, &words_, {4, 4, 0}, 0), cudaSuccess);
  const cudaResourceDesc resource = of(array);
  unsigned long long object = 0;
  EXPECT_EQ(cudaCreateSurfaceObject(&object, &resource), cudaSuccess) << "as on a card, without the flag";
  cudaTextureDesc d = clamped();
  d.filterMode = 1;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &d, nullptr), cudaErrorInvalidFilterSetting);
  d.filterMode = 0;
  d.readMode = 1;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &d, nullptr), cudaErrorInvalidNormSetting);
  d = clamped();
  d.addressMode[2] = 4;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &d, nullptr), cudaErrorInvalidValue);
  testing::internal::CaptureStderr();
  d = clamped();
  const int view[28] = {1};
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &d, view), cudaErrorNotSupported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("resource views"), std::string::npos);
}

// The driver's forms are other structures around the same arrays.
TEST_F(TextureTest, DriverArraysAndTextures) {
  struct {
    std::size_t width, height, depth;
    int format;
    unsigned channels, flags;
  } described{4, 2, 3, 0x20, 1, 0}, asked{};
  cudaArray_t array = nullptr;
  ASSERT_EQ(cuArray3DCreate_v2(&array, &described), cudaSuccess);
  ASSERT_EQ(cuArray3DGetDescriptor_v2(&asked, array), cudaSuccess);
  EXPECT_EQ(asked.depth, 3u);
  EXPECT_EQ(asked.format, 0x20);
  std::vector<float> host(24);
  std::iota(host.begin(), host.end(), 0.0f);
  struct Side {
    std::size_t x, y, z, level;
    int type;
    const void* host;
    std::uint64_t device;
    cudaArray_t array;
    void* reserved;
    std::size_t pitch, height;
  };
  struct {
    Side from, to;
    std::size_t width, height, depth;
  } copy{};
  copy.from.type = 1;
  copy.from.host = host.data();
  copy.from.pitch = 16;
  copy.from.height = 2;
  copy.to.type = 3;
  copy.to.array = array;
  copy.width = 16;
  copy.height = 2;
  copy.depth = 3;
  ASSERT_EQ(cuMemcpy3D_v2(&copy), cudaSuccess);
  copy.depth = 4;
  EXPECT_EQ(cuMemcpy3D_v2(&copy), cudaErrorInvalidValue);
  std::uint64_t resource[18] = {}, texture = 0;
  resource[1] = reinterpret_cast<std::uint64_t>(array);
  int sampling[26] = {1, 1, 1};
  ASSERT_EQ(cuTexObjectCreate(&texture, resource, sampling, nullptr), cudaSuccess);
  EXPECT_EQ(run("volume", texture, 24), host);
  std::uint64_t surface = 0;
  EXPECT_EQ(cuSurfObjectCreate(&surface, resource), cudaSuccess);
  EXPECT_EQ(cuTexObjectDestroy(texture), cudaSuccess);
  EXPECT_EQ(cuArrayDestroy(array), cudaSuccess);
}

}  // namespace
}  // namespace heddle::runtime_test
