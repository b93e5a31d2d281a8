// A driver that takes no PTX which it has not seen before, as one that is older than the program's compiler
// would; it has few functions, executes nothing, and has no events.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/interpose/driver_calls.h"

namespace {

constexpr CUresult kUnsupportedPtx = 222;

bool is_rewritten(const void* text) {
  return std::strstr(static_cast<const char*>(text), "heddle_clustered") != nullptr;
}

CUresult make(CUhandle* handle) {
  *handle = new char;
  return 0;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == kUnsupportedPtx ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR";
  return 0;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
CUresult cuDeviceGetAttribute(int* value, int, CUdevice) {
  *value = 8;  // SMs; sm_88
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUhandle* context, CUdevice) {
  return make(context);
}
CUresult cuModuleLoadData(CUhandle* module, const void*) {
  return make(module);
}
CUresult cuModuleLoadDataEx(CUhandle* module, const void* image, unsigned count, int* names, void** values) {
  constexpr int kErrorLog = 5;
  if (!is_rewritten(image)) return make(module);
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == kErrorLog) std::strcpy(static_cast<char*>(values[i]), "PTX is too new\nsecond line");
  return kUnsupportedPtx;
}
CUresult cuModuleGetFunction(CUhandle* function, CUhandle, const char*) {
  return make(function);
}
CUresult cuLibraryLoadData(CUhandle* library, const void*, int*, void**, unsigned, int*, void**, unsigned) {
  return make(library);
}
// Only here is a library compiled.
CUresult cuLibraryGetKernel(CUhandle* kernel, CUhandle, const char* name) {
  *kernel = strdup(name);
  return 0;
}
CUresult cuKernelGetFunction(CUhandle* function, CUhandle kernel) {
  *function = kernel;
  return is_rewritten(kernel) ? kUnsupportedPtx : 0;
}
CUresult cuStreamCreate(CUhandle* stream, unsigned) {
  return make(stream);
}
CUresult cuMemAlloc_v2(CUdeviceptr* p, std::size_t bytes) {
  *p = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
  return 0;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  if (from != 0) std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

}  // extern "C"
