// What the compiler's own code calls: before main, and at every <<< >>>.
#include <cstring>

#include "runtime/session/entry.h"

namespace heddle::runtime {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};

// Between __cudaPushCallConfiguration and __cudaPopCallConfiguration; arguments of a launch may launch.
std::vector<Configuration>& configurations() {
  static thread_local std::vector<Configuration> stack;
  return stack;
}

DeviceModule& module_of(void** handle) {
  return *reinterpret_cast<DeviceModule*>(*handle);
}

}  // namespace

HEDDLE_ENTRY_RETURNING(void**, __cudaRegisterFatBinary)(void* wrapper) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  DeviceModule& m = s.modules().add_fatbin(*static_cast<const FatBinaryWrapper*>(wrapper));
  m.handle = &m;
  return &m.handle;
}

HEDDLE_ENTRY_RETURNING(void, __cudaRegisterFatBinaryEnd)(void**) {}

HEDDLE_ENTRY_RETURNING(void, __cudaUnregisterFatBinary)(void** handle) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  if (handle != nullptr) s.modules().forget(module_of(handle));
  s.synchronize();
}

HEDDLE_ENTRY_RETURNING(void, __cudaRegisterFunction)
(void** handle, const char* host, char*, const char* name, int, void*, void*, void*, void*, int*) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  s.modules().add_kernel(module_of(handle), host, name);
}

HEDDLE_ENTRY_RETURNING(void, __cudaRegisterVar)
(void** handle, char* host, char*, const char* name, int, std::size_t, int, int) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  s.modules().add_variable(module_of(handle), host, name);
}

HEDDLE_ENTRY_RETURNING(void, __cudaRegisterManagedVar)
(void** handle, void** host, char*, const char* name, int, std::size_t, int, int) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  DeviceModule& m = module_of(handle);
  m.managed.push_back({host, name});
  s.modules().add_variable(m, host, name);
}

// Managed variables are about to be used by the host.
HEDDLE_ENTRY_RETURNING(char, __cudaInitModule)(void** handle) {
  Session& s = Session::get();
  const std::lock_guard guard(s.lock());
  const cudaError_t code = guarded([&] { s.modules().load(module_of(handle), s.simulator()); });
  return code == cudaSuccess ? 1 : 0;
}

HEDDLE_ENTRY_RETURNING(void, __cudaRegisterHostVar)(void**, const char*, char*, std::size_t) {}
// Texture and surface references of CUDA 11: kernels that use them are refused when they are launched.
HEDDLE_ENTRY_RETURNING(void, __cudaRegisterTexture)
(void**, const void*, const void**, const char*, int, int, int) {}
HEDDLE_ENTRY_RETURNING(void, __cudaRegisterSurface)
(void**, const void*, const void**, const char*, int, int) {}

HEDDLE_ENTRY_RETURNING(unsigned, __cudaPushCallConfiguration)
(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

HEDDLE_ENTRY(__cudaPopCallConfiguration)(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  std::vector<Configuration>& stack = configurations();
  if (stack.empty()) return cudaErrorMissingConfiguration;
  const Configuration c = stack.back();
  stack.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  std::memcpy(stream, &c.stream, sizeof c.stream);
  return cudaSuccess;
}

HEDDLE_ENTRY(__cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  return entry([&](Session& s) { *kernel = &s.modules().kernel(host); });
}

HEDDLE_ENTRY(cudaGetKernel)(cudaKernel_t* kernel, const void* host) {
  return heddle___cudaGetKernel(kernel, host);
}

HEDDLE_ENTRY(cudaGetFuncBySymbol)(void** function, const void* host) {
  return entry([&](Session& s) { *function = &s.modules().kernel(host); });
}

}  // namespace heddle::runtime
