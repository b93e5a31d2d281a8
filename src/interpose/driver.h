// The machine's own driver, libcuda.so.1, behind this library.
#pragma once

#include "interpose/abi.h"

namespace heddle::interpose {

// Functions that this library calls, under the names that the driver exports. One that an older driver does
// not have is null.
#define HEDDLE_DRIVER_FUNCTIONS(X)                                                                        \
  X(cuGetProcAddress, (const char*, void**, int, std::uint64_t))                                          \
  X(cuGetProcAddress_v2, (const char*, void**, int, std::uint64_t, int*))                                 \
  X(cuGetErrorName, (CUresult, const char**))                                                             \
  X(cuDeviceGet, (CUdevice*, int))                                                                        \
  X(cuDeviceGetName, (char*, int, CUdevice))                                                              \
  X(cuDeviceGetAttribute, (int*, int, CUdevice))                                                          \
  X(cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice))                                                     \
  X(cuDevicePrimaryCtxReset, (CUdevice))                                                                  \
  X(cuDevicePrimaryCtxReset_v2, (CUdevice))                                                               \
  X(cuDevicePrimaryCtxRelease, (CUdevice))                                                                \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                             \
  X(cuCtxGetCurrent, (CUcontext*))                                                                        \
  X(cuCtxGetDevice, (CUdevice*))                                                                          \
  X(cuCtxPushCurrent_v2, (CUcontext))                                                                     \
  X(cuCtxPopCurrent_v2, (CUcontext*))                                                                     \
  X(cuCtxDestroy_v2, (CUcontext))                                                                         \
  X(cuCtxSynchronize, ())                                                                                 \
  X(cuThreadExchangeStreamCaptureMode, (int*))                                                            \
  X(cuModuleLoad, (CUmodule*, const char*))                                                               \
  X(cuModuleLoadData, (CUmodule*, const void*))                                                           \
  X(cuModuleLoadDataEx, (CUmodule*, const void*, unsigned, int*, void**))                                 \
  X(cuModuleLoadFatBinary, (CUmodule*, const void*))                                                      \
  X(cuModuleUnload, (CUmodule))                                                                           \
  X(cuModuleGetFunction, (CUfunction*, CUmodule, const char*))                                            \
  X(cuLibraryLoadData, (CUlibrary*, const void*, int*, void**, unsigned, int*, void**, unsigned))         \
  X(cuLibraryLoadFromFile, (CUlibrary*, const char*, int*, void**, unsigned, int*, void**, unsigned))     \
  X(cuLibraryUnload, (CUlibrary))                                                                         \
  X(cuLibraryGetKernel, (CUkernel*, CUlibrary, const char*))                                              \
  X(cuLibraryGetModule, (CUmodule*, CUlibrary))                                                           \
  X(cuKernelGetFunction, (CUfunction*, CUkernel))                                                         \
  X(cuKernelSetAttribute, (int, int, CUkernel, CUdevice))                                                 \
  X(cuKernelSetCacheConfig, (CUkernel, int, CUdevice))                                                    \
  X(cuFuncSetAttribute, (CUfunction, int, int))                                                           \
  X(cuFuncSetCacheConfig, (CUfunction, int))                                                              \
  X(cuFuncGetName, (const char**, CUfunction))                                                            \
  X(cuFuncGetModule, (CUmodule*, CUfunction))                                                             \
  X(cuFuncLoad, (CUfunction))                                                                             \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int*, CUfunction, int, std::size_t))                    \
  X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                     CUstream, void**, void**))                                                           \
  X(cuLaunchKernelEx, (const CUlaunchConfig*, CUfunction, void**, void**))                                \
  X(cuLaunchCooperativeKernel,                                                                            \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**)) \
  X(cuLaunchHostFunc, (CUstream, CUhostFn, void*))                                                        \
  X(cuGraphLaunch, (CUgraphExec, CUstream))                                                               \
  X(cuStreamIsCapturing, (CUstream, int*))                                                                \
  X(cuStreamQuery, (CUstream))                                                                            \
  X(cuStreamDestroy_v2, (CUstream))                                                                       \
  X(cuEventCreate, (CUevent*, unsigned))                                                                  \
  X(cuEventRecord, (CUevent, CUstream))                                                                   \
  X(cuEventQuery, (CUevent))                                                                              \
  X(cuEventSynchronize, (CUevent))                                                                        \
  X(cuEventElapsedTime, (float*, CUevent, CUevent))                                                       \
  X(cuMemAlloc_v2, (CUdeviceptr*, std::size_t))                                                           \
  X(cuMemsetD8Async, (CUdeviceptr, unsigned char, std::size_t, CUstream))                                 \
  X(cuPointerGetAttribute, (void*, int, CUdeviceptr))                                                     \
  X(cuMemcpy, (CUdeviceptr, CUdeviceptr, std::size_t))                                                    \
  X(cuMemcpy_ptds, (CUdeviceptr, CUdeviceptr, std::size_t))                                               \
  X(cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                                     \
  X(cuMemcpyDtoH_v2, (void*, CUdeviceptr, std::size_t))                                                   \
  X(cuMemcpyDtoH_v2_ptds, (void*, CUdeviceptr, std::size_t))                                              \
  X(cuMemcpyDtoHAsync_v2, (void*, CUdeviceptr, std::size_t, CUstream))                                    \
  X(cuMemcpyAtoH_v2, (void*, CUarray, std::size_t, std::size_t))                                          \
  X(cuMemcpyAtoH_v2_ptds, (void*, CUarray, std::size_t, std::size_t))                                     \
  X(cuMemcpyAtoHAsync_v2, (void*, CUarray, std::size_t, std::size_t, CUstream))                           \
  X(cuMemcpy2D_v2, (const CUDA_MEMCPY2D*))                                                                \
  X(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D*))                                                           \
  X(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D*))                                                       \
  X(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D*))                                                  \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D*, CUstream))                                                 \
  X(cuMemcpy3D_v2, (const CUDA_MEMCPY3D*))                                                                \
  X(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D*))                                                           \
  X(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D*, CUstream))

struct Driver {
#define HEDDLE_DRIVER_POINTER(name, parameters) CUresult(*name) parameters = nullptr;
  HEDDLE_DRIVER_FUNCTIONS(HEDDLE_DRIVER_POINTER)
#undef HEDDLE_DRIVER_POINTER
};

// Opened on the first call; without a driver all is null.
const Driver& driver();

// The C library's, in whose place this library has one of its own.
using Dlsym = void* (*)(void*, const char*);
Dlsym real_dlsym();

template <class F, class... Args>
CUresult call(F function, Args... args) {
  return function != nullptr ? function(args...) : kNotInitialized;
}

// "CUDA_ERROR_INVALID_PTX".
const char* name_of(CUresult code);

// While one lives, what the calling thread does is no part of a capture of another stream, and no reason to
// end it.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange() {
    if (driver().cuThreadExchangeStreamCaptureMode != nullptr)
      driver().cuThreadExchangeStreamCaptureMode(&mode_);
  }
  static constexpr int kRelaxed = 2;
  int mode_ = kRelaxed;
};

// Questions about the current context.
CUcontext current_context();  // null: none
CUdevice current_device();    // that of the context, or the first
int device_attribute(int number, CUdevice device);
bool is_capturing(CUstream stream);

}  // namespace heddle::interpose
