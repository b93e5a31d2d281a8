// Arrays, textures and surfaces of the driver interface, with kernels from PTX text.
// nvcc: -lcuda
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check_driver.h"

// read: out[i] = texel (i % 8, i / 8) of layer %ctaid.x, as floats. queries: what txq and suq say. add: every
// word of the surface grows by its number, twice: by a store and by reductions of all threads of a block at
// one place.
static const char* const kModule = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry read(.param .u64 out_p, .param .u64 t_p)
{
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out_p];
  ld.param.u64 %rd2, [t_p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  and.b32 %r3, %r1, 7;
  shr.u32 %r4, %r1, 3;
  cvt.rn.f32.u32 %f1, %r3;
  cvt.rn.f32.u32 %f2, %r4;
  add.f32 %f1, %f1, 0f3F000000;
  add.f32 %f2, %f2, 0f3F000000;
  tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%r2, %f1, %f2, %f2}];
  mov.u32 %r5, %ntid.x;
  mad.lo.u32 %r6, %r2, %r5, %r1;
  mul.wide.u32 %rd3, %r6, 8;
  add.u64 %rd4, %rd1, %rd3;
  st.global.v2.f32 [%rd4], {%f3, %f4};
  ret;
}

.visible .entry queries(.param .u64 out_p, .param .u64 t_p, .param .u64 s_p)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out_p];
  ld.param.u64 %rd2, [t_p];
  ld.param.u64 %rd3, [s_p];
  cvta.to.global.u64 %rd1, %rd1;
  txq.width.b32 %r1, [%rd2];
  txq.height.b32 %r2, [%rd2];
  suq.width.b32 %r3, [%rd3];
  suq.height.b32 %r4, [%rd3];
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
  ret;
}

.visible .entry add(.param .u64 s_p)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [s_p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r1, 2;
  suld.b.2d.b32.trap {%r4}, [%rd1, {%r3, %r2}];
  add.u32 %r5, %r4, %r1;
  sust.b.2d.b32.trap [%rd1, {%r3, %r2}], {%r5};
  bar.sync 0;
  sured.b.add.2d.u32.trap [%rd1, {8, %r2}], %r1;
  ret;
}
)";

int main() {
  CHECK_DRIVER(cuInit(0));
  CUdevice device;
  CHECK_DRIVER(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_DRIVER(cuCtxSetCurrent(context));
  CUmodule module;
  CHECK_DRIVER(cuModuleLoadData(&module, kModule));
  CUfunction read, queries, add;
  CHECK_DRIVER(cuModuleGetFunction(&read, module, "read"));
  CHECK_DRIVER(cuModuleGetFunction(&queries, module, "queries"));
  CHECK_DRIVER(cuModuleGetFunction(&add, module, "add"));

  // Three layers of 8 x 4 pairs of bytes, read as fractions: the driver's way without
  // CU_TRSF_READ_AS_INTEGER.
  CUDA_ARRAY3D_DESCRIPTOR layers = {};
  layers.Width = 8;
  layers.Height = 4;
  layers.Depth = 3;
  layers.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  layers.NumChannels = 2;
  layers.Flags = CUDA_ARRAY3D_LAYERED;
  CUarray array;
  CHECK_DRIVER(cuArray3DCreate(&array, &layers));
  std::vector<unsigned char> host(8 * 4 * 3 * 2);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
  CUDA_MEMCPY3D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = host.data();
  in.srcPitch = 16;
  in.srcHeight = 4;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = 16;
  in.Height = 4;
  in.Depth = 3;
  CHECK_DRIVER(cuMemcpy3D(&in));
  CUDA_ARRAY3D_DESCRIPTOR asked = {};
  CHECK_DRIVER(cuArray3DGetDescriptor(&asked, array));
  std::printf("%zu x %zu x %zu, format %d, %u channels, flags %u\n", asked.Width, asked.Height, asked.Depth,
              static_cast<int>(asked.Format), asked.NumChannels, asked.Flags);

  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture = {};
  for (CUaddress_mode& m : texture.addressMode) m = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject t;
  CHECK_DRIVER(cuTexObjectCreate(&t, &resource, &texture, nullptr));
  CUdeviceptr out;
  CHECK_DRIVER(cuMemAlloc(&out, 4096));
  void* read_arguments[] = {&out, &t};
  CHECK_DRIVER(cuLaunchKernel(read, 3, 1, 1, 32, 1, 1, 0, nullptr, read_arguments, nullptr));
  std::vector<float> values(host.size());
  CHECK_DRIVER(cuMemcpyDtoH(values.data(), out, values.size() * sizeof(float)));
  bool good = true;
  for (size_t i = 0; i < values.size(); ++i) good = good && values[i] == static_cast<float>(i) / 255;
  std::printf("bytes as fractions: %s\n", good ? "ok" : "BAD");
  CUDA_TEXTURE_DESC described = {};
  CHECK_DRIVER(cuTexObjectGetTextureDesc(&described, t));
  std::printf("flags %u, address modes %d %d\n", described.flags, static_cast<int>(described.addressMode[0]),
              static_cast<int>(described.addressMode[1]));

  // A surface of 32 x 2 words.
  CUDA_ARRAY3D_DESCRIPTOR plane = {};
  plane.Width = 32;
  plane.Height = 2;
  plane.Format = CU_AD_FORMAT_UNSIGNED_INT32;
  plane.NumChannels = 1;
  plane.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray words;
  CHECK_DRIVER(cuArray3DCreate(&words, &plane));
  std::vector<unsigned> numbers(64);
  for (unsigned i = 0; i < 64; ++i) numbers[i] = 1000 * i;
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = numbers.data();
  copy.srcPitch = 128;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = words;
  copy.WidthInBytes = 128;
  copy.Height = 2;
  CHECK_DRIVER(cuMemcpy2D(&copy));
  resource.res.array.hArray = words;
  CUsurfObject s;
  CHECK_DRIVER(cuSurfObjectCreate(&s, &resource));
  void* add_arguments[] = {&s};
  CHECK_DRIVER(cuLaunchKernel(add, 2, 1, 1, 32, 1, 1, 0, nullptr, add_arguments, nullptr));
  CUDA_MEMCPY2D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = words;
  back.srcXInBytes = 4;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = numbers.data();
  back.dstPitch = 128;
  back.dstXInBytes = 4;
  back.WidthInBytes = 124;
  back.Height = 2;
  CHECK_DRIVER(cuMemcpy2D(&back));
  good = true;
  for (unsigned i = 1; i < 64; ++i)
    if (i != 32) good = good && numbers[i] == 1000 * i + i % 32 + (i % 32 == 2 ? 496 : 0);
  std::printf("a surface read, written and added to: %s\n", good ? "ok" : "BAD");

  void* query_arguments[] = {&out, &t, &s};
  CHECK_DRIVER(cuLaunchKernel(queries, 1, 1, 1, 1, 1, 1, 0, nullptr, query_arguments, nullptr));
  unsigned answers[4];
  CHECK_DRIVER(cuMemcpyDtoH(answers, out, sizeof answers));
  std::printf("queries: %u %u %u %u\n", answers[0], answers[1], answers[2], answers[3]);
  CHECK_DRIVER(cuTexObjectDestroy(t));
  CHECK_DRIVER(cuSurfObjectDestroy(s));
  CHECK_DRIVER(cuArrayDestroy(array));
  CHECK_DRIVER(cuArrayDestroy(words));
  CHECK_DRIVER(cuMemFree(out));
  CHECK_DRIVER(cuDevicePrimaryCtxRelease(device));
  std::puts("done");
  return 0;
}
