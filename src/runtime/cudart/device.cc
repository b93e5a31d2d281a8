// Devices: there is one, the simulated card.
#include <cstring>

#include "runtime/session/device_properties.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {
namespace {

// cudaLimit...: stack, printf buffer, heap, device runtime depth and launches, L2 fetch, persisting L2.
constexpr std::uint64_t kLimits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

}  // namespace

HEDDLE_ENTRY(cudaGetDeviceCount)(int* count) {
  return entry([&](Session&) {
    require(count != nullptr, cudaErrorInvalidValue);
    *count = 1;
  });
}
HEDDLE_ENTRY(cudaGetDevice)(int* device) {
  return entry([&](Session&) {
    require(device != nullptr, cudaErrorInvalidValue);
    *device = 0;
  });
}
HEDDLE_ENTRY(cudaSetDevice)(int device) {
  return entry([&](Session&) { require_device(device); });
}
HEDDLE_ENTRY(cudaInitDevice)(int device, unsigned, unsigned) {
  return heddle_cudaSetDevice(device);
}
HEDDLE_ENTRY(cudaSetValidDevices)(int*, int) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaChooseDevice)(int* device, const void*) {
  return heddle_cudaGetDevice(device);
}
HEDDLE_ENTRY(cudaSetDeviceFlags)(unsigned) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaGetDeviceFlags)(unsigned* flags) {
  constexpr unsigned kMapHost = 8;
  *flags = kMapHost;
  return cudaSuccess;
}

HEDDLE_ENTRY(cudaGetDeviceProperties)(DevicePropV13* p, int device) {
  return entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    require_device(device);
    fill_properties(*p, s.simulator().spec(), s.capability());
  });
}
HEDDLE_ENTRY(cudaGetDeviceProperties_v2)(DevicePropV12* p, int device) {
  return entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    require_device(device);
    fill_properties(*p, s.simulator().spec(), s.capability());
  });
}
HEDDLE_ENTRY(cudaGetDeviceProperties_v11)(void* p, int device) {
  DevicePropV12 all;
  const cudaError_t code = heddle_cudaGetDeviceProperties_v2(&all, device);
  if (code == cudaSuccess) std::memcpy(p, &all, kDevicePropV11Bytes);
  return code;
}
HEDDLE_ENTRY(cudaDeviceGetAttribute)(int* value, int number, int device) {
  return entry([&](Session& s) {
    require(value != nullptr, cudaErrorInvalidValue);
    require_device(device);
    const int v = attribute(number, s.simulator().spec(), s.capability());
    require(v >= 0, cudaErrorInvalidValue);
    *value = v;
  });
}

// A failed kernel is told here; the text that kernels have printed appears.
HEDDLE_ENTRY(cudaDeviceSynchronize)() {
  return waiting_entry([](Session& s) { s.simulator(); });
}
HEDDLE_ENTRY(cudaDeviceReset)() {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  s.reset();
  Session::last_error() = cudaSuccess;
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaThreadSynchronize)() {
  return heddle_cudaDeviceSynchronize();
}
HEDDLE_ENTRY(cudaThreadExit)() {
  return heddle_cudaDeviceReset();
}

HEDDLE_ENTRY(cudaDeviceSetLimit)(int limit, std::size_t value) {
  return entry([&](Session& s) {
    require(limit >= 0 && limit < static_cast<int>(std::size(kLimits)), cudaErrorUnsupportedLimit);
    s.limits()[limit] = value;
  });
}
HEDDLE_ENTRY(cudaDeviceGetLimit)(std::size_t* value, int limit) {
  return entry([&](Session& s) {
    require(limit >= 0 && limit < static_cast<int>(std::size(kLimits)), cudaErrorUnsupportedLimit);
    const auto at = s.limits().find(limit);
    *value = at != s.limits().end() ? at->second : kLimits[limit];
  });
}
HEDDLE_ENTRY(cudaDeviceSetCacheConfig)(int) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaDeviceGetCacheConfig)(int* config) {
  *config = 0;
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaDeviceSetSharedMemConfig)(int) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaDeviceGetSharedMemConfig)(int* config) {
  constexpr int kFourBytes = 1;
  *config = kFourBytes;
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaCtxResetPersistingL2Cache)() {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaDeviceGetStreamPriorityRange)(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

// ---- other devices: there are none ------------------------------------------------------------------------

HEDDLE_ENTRY(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  return entry([&](Session&) {
    require_device(device);
    require_device(peer);
    *can = 0;
  });
}
HEDDLE_ENTRY(cudaDeviceEnablePeerAccess)(int, unsigned) {
  return entry([](Session&) { throw Failure{cudaErrorInvalidDevice, {}}; });
}
HEDDLE_ENTRY(cudaDeviceDisablePeerAccess)(int) {
  return entry([](Session&) { throw Failure{cudaErrorPeerAccessNotEnabled, {}}; });
}
HEDDLE_ENTRY(cudaDeviceGetP2PAttribute)(int* value, int, int, int) {
  return entry([&](Session&) { *value = 0; });
}
HEDDLE_ENTRY(cudaDeviceGetPCIBusId)(char* text, int length, int device) {
  return entry([&](Session&) {
    require_device(device);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
  });
}
HEDDLE_ENTRY(cudaDeviceGetByPCIBusId)(int* device, const char*) {
  return heddle_cudaGetDevice(device);
}

}  // namespace heddle::runtime
