#include "runtime/session/device_properties.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/device/simulator.h"
#include "runtime/session/occupancy.h"

namespace heddle::runtime {
namespace {

constexpr int kLargestTexture = 65536;
constexpr int kMostLayers = 2046;

struct Facts {
  std::uint64_t shared, l2;
  int clock_khz, memory_clock_khz, bus_bits;
};

Facts facts(const gpu::GpuSpec& s) {
  Facts f{};
  f.shared = s.sm.shared_memory.count();
  f.l2 = std::uint64_t{s.l2().tags.sets} * s.l2().tags.ways * s.l2().tags.line.count() * s.slices();
  f.clock_khz = static_cast<int>(s.gpu.clock.count() / 1000);
  f.memory_clock_khz = static_cast<int>(s.partition.dram.clock.count() / 1000);
  f.bus_bits = static_cast<int>(s.partition.dram.bus.count() * 8 * s.memory.partitions);
  return f;
}

template <class P>
void fill_limits(P& p) {
  p.maxThreadsPerBlock = 1024;
  const int block[] = {1024, 1024, 64}, grid[] = {0x7fffffff, 65535, 65535};
  std::copy(std::begin(block), std::end(block), p.maxThreadsDim);
  std::copy(std::begin(grid), std::end(grid), p.maxGridSize);
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.totalConstMem = 65536;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
  p.maxTexture1D = p.maxTexture1DMipmap = kLargestTexture;
  for (int* two : {p.maxTexture2D, p.maxTexture2DMipmap, p.maxTexture2DGather})
    std::fill(two, two + 2, kLargestTexture);
  for (int* three : {p.maxTexture2DLinear, p.maxTexture3D, p.maxTexture3DAlt, p.maxSurface3D})
    std::fill(three, three + 3, kLargestTexture);
  p.maxTextureCubemap = p.maxSurface1D = p.maxSurfaceCubemap = kLargestTexture;
  std::fill(p.maxSurface2D, p.maxSurface2D + 2, kLargestTexture);
  for (int* line : {p.maxTexture1DLayered, p.maxSurface1DLayered, p.maxTextureCubemapLayered,
                    p.maxSurfaceCubemapLayered}) {
    line[0] = kLargestTexture;
    line[1] = kMostLayers;
  }
  for (int* plane : {p.maxTexture2DLayered, p.maxSurface2DLayered}) {
    plane[0] = plane[1] = kLargestTexture;
    plane[2] = kMostLayers;
  }
}

template <class P>
void fill(P& p, const gpu::GpuSpec& s, std::uint32_t capability) {
  std::memset(&p, 0, sizeof p);
  const Facts f = facts(s);
  std::snprintf(p.name, sizeof p.name, "Heddle: %s", s.gpu.name.c_str());
  std::memcpy(p.uuid, "heddle simulated", 16);
  fill_limits(p);
  p.totalGlobalMem = Simulator::kMemoryBytes;
  p.sharedMemPerBlock = std::min(f.shared, kUsualShared);
  p.sharedMemPerBlockOptin = shared_per_block_optin(s);
  p.sharedMemPerMultiprocessor = f.shared;
  p.reservedSharedMemPerBlock = s.sm.shared_reserved_per_cta.count();
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(s.sm.registers);
  p.major = static_cast<int>(capability / 10);
  p.minor = static_cast<int>(capability % 10);
  p.multiProcessorCount = static_cast<int>(s.sms());
  p.maxThreadsPerMultiProcessor = static_cast<int>(s.sm.threads);
  p.maxBlocksPerMultiProcessor = static_cast<int>(s.sm.ctas);
  p.l2CacheSize = static_cast<int>(f.l2);
  p.memoryBusWidth = f.bus_bits;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentKernels = 1;
  p.concurrentManagedAccess = p.cooperativeLaunch = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = s.l1.enabled ? 1 : 0;
  p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = p.memoryPoolsSupported = 1;
  p.memoryPoolSupportedHandleTypes = 1;  // file descriptors
  p.computePreemptionSupported = 1;
  p.asyncEngineCount = 1;
  // A hint that changes nothing here. Cards have it from sm_80 on. Of the L2 nothing can be set aside for it:
  // programs that measure what that gives see from persistingL2CacheMaxSize = 0 that there is none.
  if (capability >= 80) p.accessPolicyMaxWindowSize = 128 << 20;
}

}  // namespace

void fill_properties(DevicePropV13& p, const gpu::GpuSpec& spec, std::uint32_t capability) {
  fill(p, spec, capability);
}

void fill_properties(DevicePropV12& p, const gpu::GpuSpec& spec, std::uint32_t capability) {
  fill(p, spec, capability);
  const Facts f = facts(spec);
  p.clockRate = f.clock_khz;
  p.memoryClockRate = f.memory_clock_khz;
  p.maxTexture1DLinear = 1 << 28;
  p.deviceOverlap = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
}

int attribute(int number, const gpu::GpuSpec& spec, std::uint32_t capability) {
  DevicePropV12 p;
  fill_properties(p, spec, capability);
  auto clamp = [](std::size_t v) { return static_cast<int>(std::min<std::size_t>(v, 0x7fffffff)); };
  // cudaDevAttr..., by number.
  const struct {
    int number, value;
  } known[] = {{1, p.maxThreadsPerBlock},
               {2, p.maxThreadsDim[0]},
               {3, p.maxThreadsDim[1]},
               {4, p.maxThreadsDim[2]},
               {5, p.maxGridSize[0]},
               {6, p.maxGridSize[1]},
               {7, p.maxGridSize[2]},
               {8, clamp(p.sharedMemPerBlock)},
               {9, clamp(p.totalConstMem)},
               {10, p.warpSize},
               {11, clamp(p.memPitch)},
               {12, p.regsPerBlock},
               {13, p.clockRate},
               {14, clamp(p.textureAlignment)},
               {15, p.deviceOverlap},
               {16, p.multiProcessorCount},
               {19, p.canMapHostMemory},
               {30, clamp(p.surfaceAlignment)},
               {31, p.concurrentKernels},
               {36, p.memoryClockRate},
               {37, p.memoryBusWidth},
               {38, p.l2CacheSize},
               {39, p.maxThreadsPerMultiProcessor},
               {40, p.asyncEngineCount},
               {41, p.unifiedAddressing},
               {51, clamp(p.texturePitchAlignment)},
               {75, p.major},
               {76, p.minor},
               {78, p.streamPrioritiesSupported},
               {79, p.globalL1CacheSupported},
               {80, p.localL1CacheSupported},
               {81, clamp(p.sharedMemPerMultiprocessor)},
               {82, p.regsPerMultiprocessor},
               {83, p.managedMemory},
               {87, p.singleToDoublePrecisionPerfRatio},
               {89, p.concurrentManagedAccess},
               {90, p.computePreemptionSupported},
               {91, p.canUseHostPointerForRegisteredMem},
               {95, p.cooperativeLaunch},
               {69, p.maxTexture1DLinear},
               {97, clamp(p.sharedMemPerBlockOptin)},
               {99, p.hostRegisterSupported},
               {102, 1},  // of the driver: memory and addresses apart
               {106, p.maxBlocksPerMultiProcessor},
               {107, p.major >= 8 ? 1 : 0},  // memory that may be compressed; here it never is
               {108, p.persistingL2CacheMaxSize},
               {109, p.accessPolicyMaxWindowSize},
               {111, clamp(p.reservedSharedMemPerBlock)},
               {115, p.memoryPoolsSupported},
               {119, static_cast<int>(p.memoryPoolSupportedHandleTypes)}};
  constexpr int kLast = 147;
  const auto* at =
      std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return k.number == number; });
  if (at != std::end(known)) return at->value;
  const bool texture = (number >= 21 && number <= 29) || number == 42 || number == 43 ||
                       (number >= 45 && number <= 49) || (number >= 52 && number <= 74) || number == 77;
  if (texture) return kLargestTexture;  // sizes of textures and surfaces
  return number >= 1 && number <= kLast ? 0 : -1;
}

}  // namespace heddle::runtime
