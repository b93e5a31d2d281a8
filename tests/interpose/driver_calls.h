// The driver's functions for the sample programs: linked with, or looked up as CUDA's runtime does.
#pragma once

#include <cstddef>
#include <cstdint>

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUhandle = void*;

struct CUlaunchAttribute {
  int id, pad, value[16];
};
struct CUlaunchConfig {
  unsigned grid[3], block[3], shared;
  CUhandle stream;
  CUlaunchAttribute* attributes;
  unsigned count;
};

// X(name as cuGetProcAddress knows it, exported name, parameters)
#define SAMPLE_CALLS(X)                                                                                  \
  X(cuInit, cuInit, (unsigned))                                                                          \
  X(cuDeviceGet, cuDeviceGet, (CUdevice*, int))                                                          \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUhandle*, CUdevice))                           \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice))                                     \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (CUhandle))                                                        \
  X(cuCtxSynchronize, cuCtxSynchronize, ())                                                              \
  X(cuModuleLoadData, cuModuleLoadData, (CUhandle*, const void*))                                        \
  X(cuModuleGetFunction, cuModuleGetFunction, (CUhandle*, CUhandle, const char*))                        \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, (CUdeviceptr*, std::size_t*, CUhandle, const char*))        \
  X(cuLibraryLoadData, cuLibraryLoadData,                                                                \
    (CUhandle*, const void*, int*, void**, unsigned, int*, void**, unsigned))                            \
  X(cuLibraryGetKernel, cuLibraryGetKernel, (CUhandle*, CUhandle, const char*))                          \
  X(cuKernelGetFunction, cuKernelGetFunction, (CUhandle*, CUhandle))                                     \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (CUhandle, int, int))                                        \
  X(cuLaunchKernel, cuLaunchKernel,                                                                      \
    (CUhandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUhandle, void**,   \
     void**))                                                                                            \
  X(cuLaunchKernelEx, cuLaunchKernelEx, (const CUlaunchConfig*, CUhandle, void**, void**))               \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel,                                                \
    (CUhandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUhandle, void**))  \
  X(cuStreamCreate, cuStreamCreate, (CUhandle*, unsigned))                                               \
  X(cuStreamDestroy, cuStreamDestroy_v2, (CUhandle))                                                     \
  X(cuStreamSynchronize, cuStreamSynchronize, (CUhandle))                                                \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUhandle, int))                                      \
  X(cuStreamEndCapture, cuStreamEndCapture, (CUhandle, CUhandle*))                                       \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, (CUhandle*, CUhandle, unsigned long long)) \
  X(cuGraphLaunch, cuGraphLaunch, (CUhandle, CUhandle))                                                  \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr*, std::size_t))                                              \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr, const void*, std::size_t))                              \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void*, CUdeviceptr, std::size_t))                                    \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void*, CUdeviceptr, std::size_t, CUhandle))                \
  X(cuMemcpyAsync, cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, std::size_t, CUhandle))

struct DriverCalls {
#define SAMPLE_POINTER(name, exported, parameters) CUresult(*name) parameters = nullptr;
  SAMPLE_CALLS(SAMPLE_POINTER)
#undef SAMPLE_POINTER
};

DriverCalls driver_calls();
