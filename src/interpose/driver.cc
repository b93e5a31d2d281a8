#include "interpose/driver.h"

#include <dlfcn.h>

#include <initializer_list>

namespace heddle::interpose {

Dlsym real_dlsym() {
  // By version: the symbol without one is this library's own.
  static const Dlsym found = [] {
    void* address = nullptr;
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
      if (address == nullptr) address = dlvsym(RTLD_NEXT, "dlsym", version);
    return reinterpret_cast<Dlsym>(address);
  }();
  return found;
}

const Driver& driver() {
  static const Driver opened = [] {
    Driver d;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return d;
#define HEDDLE_DRIVER_FIND(name, parameters) \
  d.name = reinterpret_cast<CUresult(*) parameters>(real_dlsym()(library, #name));
    HEDDLE_DRIVER_FUNCTIONS(HEDDLE_DRIVER_FIND)
#undef HEDDLE_DRIVER_FIND
    return d;
  }();
  return opened;
}

const char* name_of(CUresult code) {
  const char* name = nullptr;
  call(driver().cuGetErrorName, code, &name);
  return name != nullptr ? name : "an unknown error";
}

CUcontext current_context() {
  CUcontext context = nullptr;
  return call(driver().cuCtxGetCurrent, &context) == kSuccess ? context : nullptr;
}

CUdevice current_device() {
  CUdevice device = 0;
  if (current_context() != nullptr && call(driver().cuCtxGetDevice, &device) == kSuccess) return device;
  return call(driver().cuDeviceGet, &device, 0) == kSuccess ? device : 0;
}

int device_attribute(int number, CUdevice device) {
  int value = 0;
  return call(driver().cuDeviceGetAttribute, &value, number, device) == kSuccess ? value : 0;
}

bool is_capturing(CUstream stream) {
  int status = 0;
  return driver().cuStreamIsCapturing != nullptr &&
         (driver().cuStreamIsCapturing(stream, &status) != kSuccess || status != 0);
}

}  // namespace heddle::interpose
