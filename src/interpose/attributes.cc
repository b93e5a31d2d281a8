// What programs set for a kernel holds for the rewritten one, too; and what ends with a context or a stream.
#include "interpose/entry.h"
#include "interpose/launch_times.h"
#include "interpose/loaded.h"
#include "interpose/workspaces.h"

namespace heddle::interpose {
namespace {

// The rewritten kernel as a function of the current context; null: there is none.
CUfunction rewritten_function(CUfunction original) {
  const KernelPtr k = LoadedCode::get().find(original);
  if (k->rewritten == nullptr || !k->of_library) return k->rewritten;
  CUfunction function = nullptr;
  const auto kernel = reinterpret_cast<CUkernel>(k->rewritten);
  return call(driver().cuKernelGetFunction, &function, kernel) == kSuccess ? function : nullptr;
}

void after_setting(const void* handle, int attribute, int value, CUresult rewritten) {
  if (attribute >= attribute::kClusterWidth && attribute <= attribute::kClusterDepth && value > 1)
    LoadedCode::get().set_aside(handle, "launched in thread-block clusters");
  else if (rewritten != kSuccess)
    LoadedCode::get().set_aside(
        handle, fmt::format("rewritten, it cannot have attribute {} = {} ({}): a task takes 32 bytes of "
                            "shared memory",
                            attribute, value, name_of(rewritten)));
}

void forget_context(CUcontext context) {
  if (context == nullptr || !watching()) return;
  quietly([&] {
    LaunchTimes::get().forget(context);
    Workspaces::get().forget(context);
  });
}

// The primary context is found without changing how often it is retained.
CUcontext primary_context(CUdevice device) {
  CUcontext context = nullptr;
  if (call(driver().cuDevicePrimaryCtxRetain, &context, device) != kSuccess) return nullptr;
  call(driver().cuDevicePrimaryCtxRelease_v2, device);
  return context;
}

template <class F>
CUresult end_primary(CUdevice device, F* end) {
  if (watching() && current_context() != nullptr) forget_context(primary_context(device));
  return call(end, device);
}

// It may be the last that holds the context: times have to be known before.
template <class F>
CUresult release_primary(CUdevice device, F* release) {
  if (watching()) quietly([&] { LaunchTimes::get().collect_all(); });
  return call(release, device);
}

}  // namespace

HEDDLE_INTERPOSED CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  const CUresult code = call(driver().cuFuncSetAttribute, function, attribute, value);
  if (code != kSuccess || !watching()) return code;
  quietly([&] {
    if (CUfunction rewritten = rewritten_function(function))
      after_setting(function, attribute, value,
                    call(driver().cuFuncSetAttribute, rewritten, attribute, value));
  });
  return code;
}
HEDDLE_INTERPOSED CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice device) {
  const CUresult code = call(driver().cuKernelSetAttribute, attribute, value, kernel, device);
  if (code != kSuccess || !watching()) return code;
  quietly([&] {
    const KernelPtr k = LoadedCode::get().find(reinterpret_cast<CUfunction>(kernel));
    if (k->rewritten != nullptr)
      after_setting(kernel, attribute, value,
                    call(driver().cuKernelSetAttribute, attribute, value,
                         reinterpret_cast<CUkernel>(k->rewritten), device));
  });
  return code;
}
HEDDLE_INTERPOSED CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
  const CUresult code = call(driver().cuFuncSetCacheConfig, function, config);
  if (code == kSuccess && watching())
    quietly([&] {
      if (CUfunction rewritten = rewritten_function(function))
        call(driver().cuFuncSetCacheConfig, rewritten, config);
    });
  return code;
}
HEDDLE_INTERPOSED CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device) {
  const CUresult code = call(driver().cuKernelSetCacheConfig, kernel, config, device);
  if (code == kSuccess && watching())
    quietly([&] {
      const KernelPtr k = LoadedCode::get().find(reinterpret_cast<CUfunction>(kernel));
      if (k->rewritten != nullptr)
        call(driver().cuKernelSetCacheConfig, reinterpret_cast<CUkernel>(k->rewritten), config, device);
    });
  return code;
}

HEDDLE_INTERPOSED CUresult cuStreamDestroy_v2(CUstream stream) {
  if (watching())
    quietly([&] {
      const RelaxedCapture relaxed;
      Workspaces::get().forget_stream(stream);
      Session::get().forget_stream(stream);
    });
  return call(driver().cuStreamDestroy_v2, stream);
}
HEDDLE_INTERPOSED CUresult cuCtxDestroy_v2(CUcontext context) {
  forget_context(context);
  return call(driver().cuCtxDestroy_v2, context);
}
HEDDLE_INTERPOSED CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return end_primary(device, driver().cuDevicePrimaryCtxReset);
}
HEDDLE_INTERPOSED CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return end_primary(device, driver().cuDevicePrimaryCtxReset_v2);
}
HEDDLE_INTERPOSED CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return release_primary(device, driver().cuDevicePrimaryCtxRelease);
}
HEDDLE_INTERPOSED CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return release_primary(device, driver().cuDevicePrimaryCtxRelease_v2);
}

}  // namespace heddle::interpose
