// The machine's CUDA driver, libcuda.so.1: opened by name, functions under the names that it exports. Every
// call throws Error when it fails: which call, what CUDA calls it, what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "cuda_abi/driver_types.h"
#include "cuda_abi/textures.h"

namespace heddle::card {

using namespace cuda_abi;

// There is no driver, or it knows no card.
class NoCard : public Error {
 public:
  using Error::Error;
};

using NameOfError = CUresult (*)(CUresult, const char**);
[[noreturn]] void throw_failed(const char* call, CUresult code, NameOfError names);

template <class... Parameters>
class DriverFunction {
 public:
  using Pointer = CUresult (*)(Parameters...);
  explicit DriverFunction(const char* name) : name_(name) {}
  void set(void* address, NameOfError names) {
    call_ = reinterpret_cast<Pointer>(address);
    names_ = names;
  }
  const char* name() const { return name_; }

  void operator()(Parameters... parameters) const {
    if (const CUresult code = call_(parameters...); code != kSuccess) throw_failed(name_, code, names_);
  }
  // For those who expect that it may fail.
  CUresult code(Parameters... parameters) const { return call_(parameters...); }

 private:
  const char* name_;
  Pointer call_ = nullptr;
  NameOfError names_ = nullptr;
};

#define HEDDLE_CARD_FUNCTIONS(X)                                                                      \
  X(cuInit, unsigned)                                                                                 \
  X(cuDriverGetVersion, int*)                                                                         \
  X(cuDeviceGetCount, int*)                                                                           \
  X(cuDeviceGet, CUdevice*, int)                                                                      \
  X(cuDeviceGetName, char*, int, CUdevice)                                                            \
  X(cuDeviceGetAttribute, int*, int, CUdevice)                                                        \
  X(cuDevicePrimaryCtxRetain, CUcontext*, CUdevice)                                                   \
  X(cuDevicePrimaryCtxReset_v2, CUdevice)                                                             \
  X(cuDevicePrimaryCtxRelease_v2, CUdevice)                                                           \
  X(cuCtxSetCurrent, CUcontext)                                                                       \
  X(cuCtxSynchronize)                                                                                 \
  X(cuModuleLoadDataEx, CUmodule*, const void*, unsigned, int*, void**)                               \
  X(cuModuleGetFunction, CUfunction*, CUmodule, const char*)                                          \
  X(cuModuleGetGlobal_v2, CUdeviceptr*, std::size_t*, CUmodule, const char*)                          \
  X(cuFuncSetAttribute, CUfunction, int, int)                                                         \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, CUfunction, int, std::size_t)                  \
  X(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    CUstream, void**, void**)                                                                         \
  X(cuEventCreate, CUevent*, unsigned)                                                                \
  X(cuEventRecord, CUevent, CUstream)                                                                 \
  X(cuEventSynchronize, CUevent)                                                                      \
  X(cuEventElapsedTime, float*, CUevent, CUevent)                                                     \
  X(cuMemAlloc_v2, CUdeviceptr*, std::size_t)                                                         \
  X(cuMemFree_v2, CUdeviceptr)                                                                        \
  X(cuMemcpyHtoD_v2, CUdeviceptr, const void*, std::size_t)                                           \
  X(cuMemcpyDtoH_v2, void*, CUdeviceptr, std::size_t)                                                 \
  X(cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr, std::size_t, CUstream)                            \
  X(cuMemsetD8Async, CUdeviceptr, unsigned char, std::size_t, CUstream)                               \
  X(cuTexObjectCreate, CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*, const void*)

struct CardInfo {
  std::string name;
  std::uint32_t sms = 0;
  std::uint64_t l2_bytes = 0;
  std::uint32_t capability = 0;  // 90 for 9.0
};

// Opened and initialised; the card is the first that CUDA shows (CUDA_VISIBLE_DEVICES).
class Driver {
 public:
  // Names another file than libcuda.so.1.
  static constexpr const char* kVariable = "HEDDLE_CUDA_DRIVER";

  Driver();  // throws NoCard
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

#define HEDDLE_CARD_FUNCTION(name, ...) DriverFunction<__VA_ARGS__> name{#name};
  HEDDLE_CARD_FUNCTIONS(HEDDLE_CARD_FUNCTION)
#undef HEDDLE_CARD_FUNCTION

  CUdevice device() const {
    return device_;
  }
  const CardInfo& info() const {
    return info_;
  }

 private:
  void find_functions(void* library, const std::string& file);
  void choose_device();
  int attribute_of(int number) const;

  CUdevice device_ = 0;
  CardInfo info_;
};

}  // namespace heddle::card
