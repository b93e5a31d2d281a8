// Entry points of the driver interface (libcuda.so.1). Codes are the runtime's: CUDA gave both the same
// numbers.
#pragma once

#include "runtime/session/entry.h"

namespace heddle::runtime {

using CUdevice = int;
using CUcontext = void*;
using CUmodule = DeviceModule*;
using CUfunction = Kernel*;

// Like entry(), but there is no last error.
template <class F>
cudaError_t driver_entry(F&& f) {
  Session& session = Session::get();
  const std::lock_guard guard(session.lock());
  if (session.fault() != cudaSuccess) return session.fault();
  return guarded([&] { f(session); });
}

template <class F>
cudaError_t launch_driver_entry(F&& f) {
  Session& session = Session::get();
  const std::lock_guard guard(session.lock());
  if (session.fault() != cudaSuccess) session.note(kAfterFault);
  return driver_entry(f);
}

template <class F>
cudaError_t waiting_driver_entry(F&& f) {
  return driver_entry([&](Session& s) {
    f(s);
    s.synchronize();
    if (s.fault() != cudaSuccess) throw Failure{s.fault(), {}};
  });
}

inline void* pointer(CUdeviceptr p) {
  return reinterpret_cast<void*>(p);
}

}  // namespace heddle::runtime
