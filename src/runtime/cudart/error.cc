// Errors, versions, profiler.
#include "runtime/session/entry.h"
#include "runtime/session/error_codes.h"

namespace heddle::runtime {

constexpr int kVersion = 13000;

HEDDLE_ENTRY(cudaPeekAtLastError)() {
  return Session::last_error();
}

// Resets even the failure of a kernel; the next call that does something tells it again (as on an H200).
HEDDLE_ENTRY(cudaGetLastError)() {
  const cudaError_t code = Session::last_error();
  Session::last_error() = cudaSuccess;
  return code;
}

HEDDLE_ENTRY_RETURNING(const char*, cudaGetErrorName)(int code) {
  const ErrorText* e = find_error(code);
  return e != nullptr ? e->name : "unrecognized error code";
}

HEDDLE_ENTRY_RETURNING(const char*, cudaGetErrorString)(int code) {
  const ErrorText* e = find_error(code);
  return e != nullptr ? e->description : "unrecognized error code";
}

HEDDLE_ENTRY(cudaDriverGetVersion)(int* version) {
  return entry([&](Session&) {
    require(version != nullptr, cudaErrorInvalidValue);
    *version = kDriverVersion;
  });
}

HEDDLE_ENTRY(cudaRuntimeGetVersion)(int* version) {
  return entry([&](Session&) {
    require(version != nullptr, cudaErrorInvalidValue);
    *version = kVersion;
  });
}

HEDDLE_ENTRY(cudaProfilerStart)() {
  return cudaSuccess;
}

HEDDLE_ENTRY(cudaProfilerStop)() {
  return cudaSuccess;
}

// What the libraries jump to for everything that is not there.
extern "C" __attribute__((visibility("default"))) int heddle_not_supported(const char* name) {
  Session& session = Session::get();
  const std::lock_guard guard(session.lock());
  session.note(Failure{cudaErrorNotSupported,
                       std::string(name) + " is not supported; docs/exec.md tells what is",
                       name,
                       {std::string("call of ") + name, "it is not supported", {}}});
  Session::last_error() = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

}  // namespace heddle::runtime
