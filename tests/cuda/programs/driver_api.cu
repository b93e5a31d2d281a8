// The driver's own functions: a module from PTX text, launches, memory, errors.
// nvcc: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check_driver.h"

// out[i] = a * x[i] + bias
static const char* const kModule = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .global .align 4 .f32 bias = 0f3F800000;

.visible .entry axpy(.param .u64 out_p, .param .u64 x_p, .param .f32 a_p, .param .u32 n_p)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out_p];
  ld.param.u64 %rd2, [x_p];
  ld.param.f32 %f1, [a_p];
  ld.param.u32 %r1, [n_p];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd4, %rd5;
  add.s64 %rd7, %rd3, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [bias];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
)";

__global__ void twice(float* p) {
  p[threadIdx.x] *= 2;
}

static bool passed = true;
static void expect(bool good, const char* what) {
  std::printf("%-4s %s\n", good ? "ok" : "BAD", what);
  passed = passed && good;
}

static bool axpy(CUfunction function, CUdeviceptr out, CUdeviceptr x, float a, float bias, unsigned n,
                 CUstream stream) {
  void* arguments[] = {&out, &x, &a, &n};
  CHECK_DRIVER(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  CHECK_DRIVER(cuStreamSynchronize(stream));
  float host[1000];
  CHECK_DRIVER(cuMemcpyDtoH(host, out, n * sizeof(float)));
  for (unsigned i = 0; i < n; ++i)
    if (host[i] != a * i + bias) return false;
  return true;
}

int main() {
  CUdevice device;
  CUcontext context;
  int count = 0, version = 0, warp = 0;
  char name[100] = "";
  CHECK_DRIVER(cuInit(0));
  CHECK_DRIVER(cuDriverGetVersion(&version));
  CHECK_DRIVER(cuDeviceGetCount(&count));
  CHECK_DRIVER(cuDeviceGet(&device, 0));
  CHECK_DRIVER(cuDeviceGetName(name, sizeof name, device));
  CHECK_DRIVER(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  expect(count >= 1 && version >= 11000 && std::strlen(name) > 0 && warp == 32, "a device");
  CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_DRIVER(cuCtxSetCurrent(context));

  CUmodule module;
  CUfunction function;
  CHECK_DRIVER(cuModuleLoadData(&module, kModule));
  CHECK_DRIVER(cuModuleGetFunction(&function, module, "axpy"));
  int threads = 0;
  CHECK_DRIVER(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  expect(threads >= 512, "attributes of a function");

  const unsigned n = 1000;
  float host[n];
  for (unsigned i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  CUdeviceptr x, out;
  CHECK_DRIVER(cuMemAlloc(&x, sizeof host));
  CHECK_DRIVER(cuMemAlloc(&out, sizeof host));
  CHECK_DRIVER(cuMemcpyHtoD(x, host, sizeof host));
  CHECK_DRIVER(cuMemsetD32(out, 0, n));
  CUstream stream;
  CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  expect(axpy(function, out, x, 3.0f, 1.0f, n, stream), "a kernel from PTX text");
  CUdeviceptr bias;
  size_t bytes = 0;
  CHECK_DRIVER(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
  const float ten = 10;
  CHECK_DRIVER(cuMemcpyHtoD(bias, &ten, sizeof ten));
  expect(bytes == 4 && axpy(function, out, x, 0.5f, 10.0f, n, stream), "a variable of the module");

  CUevent start, stop;
  float ms = -1;
  CHECK_DRIVER(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK_DRIVER(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  CHECK_DRIVER(cuEventRecord(start, stream));
  const bool good = axpy(function, out, x, 2.0f, 10.0f, 500, stream);
  CHECK_DRIVER(cuEventRecord(stop, stream));
  CHECK_DRIVER(cuEventSynchronize(stop));
  CHECK_DRIVER(cuEventElapsedTime(&ms, start, stop));
  expect(good && ms > 0, "events");

  CUfunction missing = nullptr;
  const char* text = nullptr;
  CUresult result = cuModuleGetFunction(&missing, module, "no_such_kernel");
  cuGetErrorString(result, &text);
  std::printf("%d %s\n", static_cast<int>(result), text);
  CUmodule broken;
  result = cuModuleLoadData(&broken,
                            ".version 7.0\n.target sm_75\n.address_size 64\n.entry broken() { nonsense; }\n");
  cuGetErrorName(result, &text);
  std::printf("%d %s\n", static_cast<int>(result), text);
  float a = 1;
  unsigned one = 1;
  void* arguments[] = {&out, &x, &a, &one};
  result = cuLaunchKernel(function, 1, 1, 1, 2000, 1, 1, 0, stream, arguments, nullptr);
  cuGetErrorName(result, &text);
  std::printf("%d %s\n", static_cast<int>(result), text);

  // Runtime and driver share memory and context.
  twice<<<1, 32>>>(reinterpret_cast<float*>(x));
  expect(cudaMemcpy(host, reinterpret_cast<void*>(x), sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess &&
             host[31] == 62 && host[32] == 32,
         "a kernel of the runtime on memory of the driver");
  CHECK_DRIVER(cuMemFree(x));
  CHECK_DRIVER(cuMemFree(out));
  CHECK_DRIVER(cuModuleUnload(module));
  std::puts(passed ? "PASSED" : "FAILED");
  return passed ? 0 : 1;
}
