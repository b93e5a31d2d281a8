// The driver's linker for PTX, and memory that is mapped by the program.
// nvcc: -lcuda
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check_driver.h"

static const char* const kKernel = R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) twice (.param .b32 x);
.visible .entry fill(.param .u64 p)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r4;
    call (b), twice, (a);
    ld.param.b32 %r5, [b];
  }
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r5;
  ret;
}
)";
static const char* const kFunction = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 r) twice (.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
)";

static int bad = 0;
static void expect(bool good, const char* what) {
  std::printf("%-4s %s\n", good ? "ok" : "BAD", what);
  if (!good) ++bad;
}

static int word(CUdeviceptr p) {
  int value = -1;
  CHECK_DRIVER(cuMemcpyDtoH(&value, p, sizeof value));
  return value;
}

int main() {
  CUdevice device;
  CUcontext context;
  CHECK_DRIVER(cuInit(0));
  CHECK_DRIVER(cuDeviceGet(&device, 0));
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_DRIVER(cuCtxSetCurrent(context));

  CUlinkState state;
  void* image;
  size_t image_bytes;
  CUmodule module;
  CUfunction function;
  CHECK_DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  for (const char* text : {kKernel, kFunction})
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1,
                               "text", 0, nullptr, nullptr));
  CHECK_DRIVER(cuLinkComplete(state, &image, &image_bytes));
  CHECK_DRIVER(cuModuleLoadData(&module, image));
  CHECK_DRIVER(cuLinkDestroy(state));
  CHECK_DRIVER(cuModuleGetFunction(&function, module, "fill"));

  int supported = 0;
  CHECK_DRIVER(
      cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
  expect(supported == 1, "memory can be mapped");
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t piece = 0;
  CHECK_DRIVER(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr both, other;
  CUmemGenericAllocationHandle handles[2];
  const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK_DRIVER(cuMemAddressReserve(&both, 2 * piece, 0, 0, 0));
  for (int i = 0; i < 2; ++i) {
    CHECK_DRIVER(cuMemCreate(&handles[i], piece, &properties, 0));
    CHECK_DRIVER(cuMemMap(both + i * piece, piece, 0, handles[i], 0));
  }
  CHECK_DRIVER(cuMemSetAccess(both, 2 * piece, &access, 1));
  CHECK_DRIVER(cuMemsetD32(both, 0, 2 * piece / 4));
  const CUdeviceptr middle = both + piece - 512;
  void* arguments[] = {const_cast<CUdeviceptr*>(&middle)};
  CHECK_DRIVER(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK_DRIVER(cuCtxSynchronize());
  expect(word(middle) == 0 && word(middle + 508) == 254 && word(middle + 512) == 256, "across two pieces");

  CHECK_DRIVER(cuMemUnmap(both + piece, piece));
  CHECK_DRIVER(cuMemAddressReserve(&other, piece, 0, 0, 0));
  CHECK_DRIVER(cuMemMap(other, piece, 0, handles[1], 0));
  CHECK_DRIVER(cuMemSetAccess(other, piece, &access, 1));
  expect(word(other) == 256 && word(other + 4) == 258, "a piece at another address");
  CHECK_DRIVER(cuMemUnmap(both, piece));
  CHECK_DRIVER(cuMemUnmap(other, piece));
  for (const CUmemGenericAllocationHandle h : handles) CHECK_DRIVER(cuMemRelease(h));
  CHECK_DRIVER(cuMemAddressFree(both, 2 * piece));
  CHECK_DRIVER(cuMemAddressFree(other, piece));

  int grid = 0, block = 0;
  CHECK_DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  expect(grid > 0 && block == 1024, "the largest block");
  CUstream stream;
  CUdeviceptr p;
  int value = 0;
  CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK_DRIVER(cuMemAllocAsync(&p, 4096, stream));
  CHECK_DRIVER(cuMemsetD32Async(p, 7, 1024, stream));
  CHECK_DRIVER(cuMemcpyDtoHAsync(&value, p + 400, sizeof value, stream));
  CHECK_DRIVER(cuStreamSynchronize(stream));
  unsigned kind = 0;
  CHECK_DRIVER(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  expect(value == 7 && kind == CU_MEMORYTYPE_DEVICE, "memory in the order of a stream");
  CHECK_DRIVER(cuMemFreeAsync(p, stream));
  CHECK_DRIVER(cuModuleUnload(module));
  std::puts(bad == 0 ? "PASSED" : "FAILED");
  return bad == 0 ? 0 : 1;
}
