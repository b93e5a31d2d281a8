// The types of CUDA's driver interface that callers of a real driver need, whoever they are. Names and values
// are CUDA's, so that they can be looked up in its manual.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::cuda_abi {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUarray = struct CUarray_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUhostFn = void (*)(void*);
using CUtexObject = unsigned long long;

inline constexpr CUresult kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                          kNoDevice = 100, kNotFound = 500, kNotReady = 600;

namespace attribute {
// Of devices.
inline constexpr int kMultiprocessors = 16, kL2Bytes = 38, kCapabilityMajor = 75, kCapabilityMinor = 76;
// Of functions.
inline constexpr int kMaxDynamicShared = 8, kClusterWidth = 11, kClusterDepth = 13;
}  // namespace attribute

// CU_LAUNCH_PARAM_...: how arguments are given packed.
inline void* const kParamEnd = nullptr;
inline void* const kParamBuffer = reinterpret_cast<void*>(1);
inline void* const kParamBytes = reinterpret_cast<void*>(2);

// Options of the driver's compiler: CU_JIT_ERROR_LOG_BUFFER and its size.
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;

}  // namespace heddle::cuda_abi
