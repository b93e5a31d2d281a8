// Driver interface: devices, contexts, streams, events, errors.
#include <dlfcn.h>

#include <cstring>

#include "runtime/driver/driver_entry.h"
#include "runtime/session/device_properties.h"
#include "runtime/session/error_codes.h"

namespace heddle::runtime {
namespace {

// There is one context. Only its address is used.
CUcontext the_context() {
  static char context;
  return &context;
}

CUcontext& current() {
  static thread_local CUcontext context = nullptr;
  return context;
}

}  // namespace

HEDDLE_ENTRY(cuInit)(unsigned) {
  return driver_entry([](Session& s) { s.simulator(); });
}
HEDDLE_ENTRY(cuDriverGetVersion)(int* version) {
  *version = kDriverVersion;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDeviceGet)(CUdevice* device, int ordinal) {
  return driver_entry([&](Session&) {
    require_device(ordinal);
    *device = 0;
  });
}
HEDDLE_ENTRY(cuDeviceGetCount)(int* count) {
  *count = 1;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDeviceGetName)(char* name, int length, CUdevice device) {
  return driver_entry([&](Session& s) {
    require_device(device);
    DevicePropV13 p;
    fill_properties(p, s.simulator().spec(), s.capability());
    std::snprintf(name, static_cast<std::size_t>(length), "%s", p.name);
  });
}
HEDDLE_ENTRY(cuDeviceGetUuid)(char* uuid, CUdevice) {
  std::memcpy(uuid, "heddle simulated", 16);
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDeviceGetAttribute)(int* value, int number, CUdevice device) {
  return driver_entry([&](Session& s) {
    require_device(device);
    const int v = attribute(number, s.simulator().spec(), s.capability());
    require(v >= 0, cudaErrorInvalidValue);
    *value = v;
  });
}
HEDDLE_ENTRY(cuDeviceTotalMem)(std::size_t* bytes, CUdevice device) {
  return driver_entry([&](Session&) {
    require_device(device);
    *bytes = Simulator::kMemoryBytes;
  });
}
HEDDLE_ENTRY(cuDeviceComputeCapability)(int* major, int* minor, CUdevice) {
  return driver_entry([&](Session& s) {
    *major = static_cast<int>(s.capability() / 10);
    *minor = static_cast<int>(s.capability() % 10);
  });
}

HEDDLE_ENTRY(cuCtxCreate)(CUcontext* context, unsigned, CUdevice device) {
  return driver_entry([&](Session& s) {
    require_device(device);
    s.simulator();
    *context = current() = the_context();
  });
}
// With a list of execution affinities, or with parameters: neither changes anything here.
HEDDLE_ENTRY(cuCtxCreate_v3)(CUcontext* context, void*, int, unsigned flags, CUdevice device) {
  return heddle_cuCtxCreate(context, flags, device);
}
HEDDLE_ENTRY(cuCtxCreate_v4)(CUcontext* context, void*, unsigned flags, CUdevice device) {
  return heddle_cuCtxCreate(context, flags, device);
}
HEDDLE_ENTRY(cuCtxDestroy)(CUcontext) {
  current() = nullptr;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxGetCurrent)(CUcontext* context) {
  *context = current();
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxSetCurrent)(CUcontext context) {
  current() = context;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxPushCurrent)(CUcontext context) {
  return heddle_cuCtxSetCurrent(context);
}
HEDDLE_ENTRY(cuCtxPopCurrent)(CUcontext* context) {
  if (context != nullptr) *context = current();
  current() = nullptr;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxGetDevice)(CUdevice* device) {
  *device = 0;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxSynchronize)() {
  return waiting_driver_entry([](Session&) {});
}
HEDDLE_ENTRY(cuCtxGetFlags)(unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxGetApiVersion)(CUcontext, unsigned* version) {
  *version = 3020;
  return cudaSuccess;
}
HEDDLE_ENTRY(cuCtxEnablePeerAccess)(CUcontext, unsigned) {
  return cudaErrorInvalidDevice;
}
HEDDLE_ENTRY(cuCtxDisablePeerAccess)(CUcontext) {
  return cudaErrorPeerAccessNotEnabled;
}
HEDDLE_ENTRY(cuDevicePrimaryCtxReset)(CUdevice) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  s.reset();
  return cudaSuccess;
}
HEDDLE_ENTRY(cuStreamGetCtx)(cudaStream_t stream, CUcontext* context) {
  return driver_entry([&](Session& s) {
    s.stream(stream);
    *context = the_context();
  });
}
HEDDLE_ENTRY(cuCtxSetCacheConfig)(int) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device) {
  return driver_entry([&](Session&) {
    require_device(device);
    *context = the_context();
  });
}
HEDDLE_ENTRY(cuDevicePrimaryCtxRelease)(CUdevice) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDevicePrimaryCtxSetFlags)(CUdevice, unsigned) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cuDevicePrimaryCtxGetState)(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = current() != nullptr ? 1 : 0;
  return cudaSuccess;
}

// ---- streams and events -----------------------------------------------------------------------------------

HEDDLE_ENTRY(cuStreamCreate)(cudaStream_t* stream, unsigned flags) {
  return driver_entry([&](Session& s) { *stream = s.create_stream(flags, 0); });
}
HEDDLE_ENTRY(cuStreamCreateWithPriority)(cudaStream_t* stream, unsigned flags, int priority) {
  return driver_entry([&](Session& s) { *stream = s.create_stream(flags, priority); });
}
HEDDLE_ENTRY(cuStreamDestroy)(cudaStream_t stream) {
  return driver_entry([&](Session& s) { s.destroy_stream(stream); });
}
HEDDLE_ENTRY(cuStreamSynchronize)(cudaStream_t stream) {
  return waiting_driver_entry([&](Session& s) { s.stream(stream); });
}
HEDDLE_ENTRY(cuStreamQuery)(cudaStream_t stream) {
  return heddle_cuStreamSynchronize(stream);
}
HEDDLE_ENTRY(cuStreamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return driver_entry([&](Session& s) {
    s.stream(stream);
    s.event(event);
  });
}
HEDDLE_ENTRY(cuEventCreate)(cudaEvent_t* event, unsigned flags) {
  return driver_entry([&](Session& s) { *event = s.create_event(flags); });
}
HEDDLE_ENTRY(cuEventDestroy)(cudaEvent_t event) {
  return driver_entry([&](Session& s) { s.destroy_event(event); });
}
HEDDLE_ENTRY(cuEventRecord)(cudaEvent_t event, cudaStream_t stream) {
  return driver_entry([&](Session& s) {
    s.stream(stream);
    s.event(event).recorded = true;
    s.event(event).at = s.simulator().now();
  });
}
HEDDLE_ENTRY(cuEventSynchronize)(cudaEvent_t event) {
  return waiting_driver_entry([&](Session& s) { s.event(event); });
}
HEDDLE_ENTRY(cuEventQuery)(cudaEvent_t event) {
  return heddle_cuEventSynchronize(event);
}
HEDDLE_ENTRY(cuEventElapsedTime)(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return waiting_driver_entry([&](Session& s) {
    const Event &a = s.event(start), &b = s.event(end);
    require(a.recorded && b.recorded && b.at >= a.at, cudaErrorInvalidResourceHandle);
    *ms = static_cast<float>(s.simulator().seconds(b.at - a.at) * 1000);
  });
}

// ---- errors and addresses
// -----------------------------------------------------------------------------------

HEDDLE_ENTRY(cuGetErrorName)(int code, const char** name) {
  const ErrorText* e = find_error(code);
  *name = e != nullptr ? e->driver_name : nullptr;
  return *name != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}
HEDDLE_ENTRY(cuGetErrorString)(int code, const char** text) {
  const ErrorText* e = find_error(code);
  *text = e != nullptr ? e->description : nullptr;
  return e != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

// The newest form of an entry point of the driver: what has a _v2 is meant by the name without, too.
HEDDLE_ENTRY(cuGetProcAddress_v2)
(const char* symbol, void** address, int, std::uint64_t, int* status) {
  constexpr int kFound = 0, kNotFound = 1;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  *address = nullptr;
  if (driver != nullptr) {
    *address = dlsym(driver, (std::string(symbol) + "_v2").c_str());
    if (*address == nullptr) *address = dlsym(driver, symbol);
  }
  if (status != nullptr) *status = *address != nullptr ? kFound : kNotFound;
  return *address != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
}
HEDDLE_ENTRY(cuGetProcAddress)(const char* symbol, void** address, int version, std::uint64_t flags) {
  return heddle_cuGetProcAddress_v2(symbol, address, version, flags, nullptr);
}
HEDDLE_ENTRY(cudaGetDriverEntryPoint)
(const char* symbol, void** address, unsigned long long flags, int* status) {
  return heddle_cuGetProcAddress_v2(symbol, address, 0, flags, status);
}
HEDDLE_ENTRY(cudaGetDriverEntryPointByVersion)
(const char* symbol, void** address, unsigned version, unsigned long long flags, int* status) {
  return heddle_cuGetProcAddress_v2(symbol, address, static_cast<int>(version), flags, status);
}

}  // namespace heddle::runtime
