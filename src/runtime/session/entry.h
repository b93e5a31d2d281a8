// How entry points are defined. The libraries that programs load (libcudart.so.13, libcuda.so.1, ...) hold
// only jumps to functions called heddle_NAME in one library with all of the state; cmake/HeddleShims.cmake
// makes the jumps of every HEDDLE_ENTRY that it finds in the sources.
#pragma once

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>

#include "base/error.h"
#include "base/host_memory.h"
#include "runtime/session/session.h"

#define HEDDLE_ENTRY_RETURNING(type, name) \
  extern "C" __attribute__((visibility("default"))) type heddle_##name
#define HEDDLE_ENTRY(name) HEDDLE_ENTRY_RETURNING(heddle::runtime::cudaError_t, name)

namespace heddle::runtime {

// Runs `f`; what it throws becomes a code, and a message on standard error.
template <class F>
cudaError_t guarded(F&& f) {
  try {
    f();
    return cudaSuccess;
  } catch (const Failure& e) {
    Session::get().note(e);
    return e.code;
  } catch (const HostMemoryError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    return cudaErrorMemoryAllocation;
  } catch (const Error& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    return cudaErrorUnknown;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
    return cudaErrorUnknown;
  }
}

inline Failure clusters_refused() {
  const char* const why = "thread-block clusters of more than one CTA are not supported";
  return {cudaErrorNotSupported, why, why, {"launch", why, {}}};
}

inline void require_device(int device) {
  require(device == 0, cudaErrorInvalidDevice);  // there is one
}

// An entry point of the runtime: alone, refused once a kernel has failed, its error remembered for the
// thread.
template <class F>
cudaError_t entry(F&& f) {
  Session& session = Session::get();
  const std::lock_guard guard(session.lock());
  cudaError_t code = session.fault();
  if (code == cudaSuccess) code = guarded([&] { f(session); });
  // What the call itself ran may have failed; that is for the next one to tell.
  if (code != cudaSuccess) Session::last_error() = code;
  return code;
}

// One that launches kernels: those that come after one has failed are counted as refused.
template <class F>
cudaError_t launch_entry(F&& f) {
  Session& session = Session::get();
  const std::lock_guard guard(session.lock());
  if (session.fault() != cudaSuccess) session.note(kAfterFault);
  return entry(f);
}

// One that also waits for the device: a failure of what it ran is its own.
template <class F>
cudaError_t waiting_entry(F&& f) {
  return entry([&](Session& s) {
    f(s);
    s.synchronize();
    if (s.fault() != cudaSuccess) throw Failure{s.fault(), {}};
  });
}

}  // namespace heddle::runtime
