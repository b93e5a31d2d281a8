#include "interpose/entry_points.h"

#include <algorithm>
#include <iterator>

// Their types do not matter here: only addresses are used.
#define HEDDLE_ENTRY_POINTS(X)                                                  \
  X(cuGetProcAddress, cuGetProcAddress, 11030, Any)                             \
  X(cuGetProcAddress_v2, cuGetProcAddress, 12000, Any)                          \
  X(cuModuleLoad, cuModuleLoad, 2000, Any)                                      \
  X(cuModuleLoadData, cuModuleLoadData, 2000, Any)                              \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, Any)                          \
  X(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, Any)                    \
  X(cuModuleUnload, cuModuleUnload, 2000, Any)                                  \
  X(cuModuleGetFunction, cuModuleGetFunction, 2000, Any)                        \
  X(cuLibraryLoadData, cuLibraryLoadData, 12000, Any)                           \
  X(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000, Any)                   \
  X(cuLibraryUnload, cuLibraryUnload, 12000, Any)                               \
  X(cuLibraryGetKernel, cuLibraryGetKernel, 12000, Any)                         \
  X(cuLibraryGetModule, cuLibraryGetModule, 12000, Any)                         \
  X(cuKernelGetFunction, cuKernelGetFunction, 12000, Any)                       \
  X(cuKernelSetAttribute, cuKernelSetAttribute, 12000, Any)                     \
  X(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000, Any)                 \
  X(cuFuncSetAttribute, cuFuncSetAttribute, 9000, Any)                          \
  X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, Any)                      \
  X(cuStreamDestroy_v2, cuStreamDestroy, 4000, Any)                             \
  X(cuCtxDestroy_v2, cuCtxDestroy, 4000, Any)                                   \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, Any)                \
  X(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset, 11000, Any)            \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, Any)            \
  X(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease, 11000, Any)        \
  X(cuLaunchKernel, cuLaunchKernel, 4000, Legacy)                               \
  X(cuLaunchKernel_ptsz, cuLaunchKernel, 7000, PerThread)                       \
  X(cuLaunchKernelEx, cuLaunchKernelEx, 11060, Legacy)                          \
  X(cuLaunchKernelEx_ptsz, cuLaunchKernelEx, 11060, PerThread)                  \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, Legacy)         \
  X(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel, 9000, PerThread) \
  X(cuGraphLaunch, cuGraphLaunch, 10000, Legacy)                                \
  X(cuGraphLaunch_ptsz, cuGraphLaunch, 10000, PerThread)                        \
  X(cuMemcpy, cuMemcpy, 4000, Legacy)                                           \
  X(cuMemcpy_ptds, cuMemcpy, 7000, PerThread)                                   \
  X(cuMemcpyAsync, cuMemcpyAsync, 4000, Legacy)                                 \
  X(cuMemcpyAsync_ptsz, cuMemcpyAsync, 7000, PerThread)                         \
  X(cuMemcpyDtoH_v2, cuMemcpyDtoH, 3020, Legacy)                                \
  X(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH, 7000, PerThread)                        \
  X(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync, 3020, Legacy)                      \
  X(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync, 7000, PerThread)              \
  X(cuMemcpyAtoH_v2, cuMemcpyAtoH, 3020, Legacy)                                \
  X(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH, 7000, PerThread)                        \
  X(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync, 3020, Legacy)                      \
  X(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync, 7000, PerThread)              \
  X(cuMemcpy2D_v2, cuMemcpy2D, 3020, Legacy)                                    \
  X(cuMemcpy2D_v2_ptds, cuMemcpy2D, 7000, PerThread)                            \
  X(cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned, 3020, Legacy)                  \
  X(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned, 7000, PerThread)          \
  X(cuMemcpy2DAsync_v2, cuMemcpy2DAsync, 3020, Legacy)                          \
  X(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync, 7000, PerThread)                  \
  X(cuMemcpy3D_v2, cuMemcpy3D, 3020, Legacy)                                    \
  X(cuMemcpy3D_v2_ptds, cuMemcpy3D, 7000, PerThread)                            \
  X(cuMemcpy3DAsync_v2, cuMemcpy3DAsync, 3020, Legacy)                          \
  X(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync, 7000, PerThread)

#define HEDDLE_DECLARE(exported, name, version, streams) extern "C" void exported();
HEDDLE_ENTRY_POINTS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

namespace heddle::interpose {
namespace {

using Streams = EntryPoint::Streams;

#define HEDDLE_ROW(exported, name, version, streams) \
  {#exported, #name, version, Streams::streams, reinterpret_cast<void*>(&exported)},
const EntryPoint kEntryPoints[] = {HEDDLE_ENTRY_POINTS(HEDDLE_ROW)};
#undef HEDDLE_ROW

}  // namespace

const EntryPoint* find_exported(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kEntryPoints), std::end(kEntryPoints),
                                      [&](const EntryPoint& e) { return name == e.exported; });
  return at != std::end(kEntryPoints) ? at : nullptr;
}

const EntryPoint* find_by_flags(std::string_view name, std::uint64_t flags, int version) {
  constexpr std::uint64_t kPerThreadFlag = 2;
  const Streams streams = (flags & kPerThreadFlag) != 0 ? Streams::PerThread : Streams::Legacy;
  const EntryPoint* best = nullptr;  // the newest form up to `version`
  for (const EntryPoint& e : kEntryPoints) {
    if (name != e.name || e.version > version) continue;
    if (e.streams != Streams::Any && e.streams != streams) continue;
    if (best == nullptr || best->version < e.version) best = &e;
  }
  return best;
}

int& DriverLooksUp::depth() {
  static thread_local int depth = 0;
  return depth;
}

}  // namespace heddle::interpose
