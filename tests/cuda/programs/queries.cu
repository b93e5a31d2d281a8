// What can be asked: devices, attributes, functions, occupancy, memory. Only what holds on every card is
// printed.
#include <cstring>

#include "check.h"

__global__ void small(int* p) {
  p[threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(128, 2) bounded(float* p) {
  __shared__ float tile[2048];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[127 - threadIdx.x];
}

static size_t shared_for(int block) {
  return block * 16;
}

int main() {
  Checks checks;
  int count = 0, device = -1, driver = 0, runtime = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  checks.expect(count >= 1 && device == 0, "there is a device");
  checks.expect(driver >= runtime && runtime >= 11000, "the driver is not older than the runtime");

  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, device));
  checks.expect(std::strlen(p.name) > 0, "it has a name");
  checks.expect(p.warpSize == 32 && p.maxThreadsPerBlock == 1024,
                "warps of 32 and blocks of up to 1024 threads");
  checks.expect(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64,
                "the largest block");
  checks.expect(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535,
                "the largest grid");
  checks.expect(p.multiProcessorCount > 0 && p.totalGlobalMem > (1u << 28) && p.totalConstMem == 65536,
                "memory and multiprocessors");
  checks.expect(p.sharedMemPerBlock == 49152 && p.sharedMemPerMultiprocessor >= p.sharedMemPerBlock,
                "shared memory");
  checks.expect(p.regsPerBlock >= 32768 && p.major >= 3 && p.l2CacheSize > 0, "registers, version and L2");
  checks.expect(p.maxThreadsPerMultiProcessor >= 1024 && p.unifiedAddressing == 1 && p.managedMemory == 1,
                "threads and addresses");
  const struct {
    cudaDeviceAttr attribute;
    int value;
    const char* name;
  } same[] = {
      {cudaDevAttrWarpSize, p.warpSize, "warp size"},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount, "multiprocessors"},
      {cudaDevAttrComputeCapabilityMajor, p.major, "major version"},
      {cudaDevAttrComputeCapabilityMinor, p.minor, "minor version"},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor, "threads per multiprocessor"},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock), "shared memory per block"},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin),
       "shared memory when asked for"},
      {cudaDevAttrL2CacheSize, p.l2CacheSize, "L2"},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock, "registers per block"}};
  for (const auto& s : same) {
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, s.attribute, device));
    checks.expect(value == s.value, s.name);
  }
  int clock = 0;
  CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
  checks.expect(clock > 100000, "a clock of more than 100 MHz");

  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, bounded));
  checks.expect(a.sharedSizeBytes == 8192 && a.maxThreadsPerBlock == 128,
                "shared memory and bounds of a kernel");
  checks.expect(a.numRegs > 0 && a.numRegs <= 255 && a.localSizeBytes == 0 && a.ptxVersion >= 70,
                "registers of a kernel");
  CHECK(cudaFuncGetAttributes(&a, small));
  checks.expect(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024, "a kernel without bounds");

  int blocks = 0, more = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 1024, 0));
  checks.expect(blocks == p.maxThreadsPerMultiProcessor / 1024, "blocks of 1024 threads per multiprocessor");
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, bounded, 128, 32768));
  checks.expect(blocks >= 2 && more >= 1 && more < blocks, "shared memory limits blocks");
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, small, 0, 0));
  checks.expect(block >= 128 && block <= 1024 && block % 32 == 0 && grid % p.multiProcessorCount == 0,
                "a proposal for a launch");
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, small, shared_for, 256));
  checks.expect(block >= 32 && block <= 256, "with a limit, and shared memory by block size");
  size_t room = 0;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, small, 1, 256));
  checks.expect(room >= 48 * 1024 - 1024, "shared memory that is left");

  size_t free_before = 0, free_after = 0, total = 0;
  int* memory;
  CHECK(cudaMemGetInfo(&free_before, &total));
  CHECK(cudaMalloc(&memory, 64 << 20));
  CHECK(cudaMemGetInfo(&free_after, &total));
  checks.expect(free_after <= free_before - (60 << 20) && total >= free_before, "memory that is left");
  cudaPointerAttributes where;
  CHECK(cudaPointerGetAttributes(&where, memory + 5));
  checks.expect(where.type == cudaMemoryTypeDevice && where.device == 0 &&
                    where.devicePointer == memory + 5 && where.hostPointer == nullptr,
                "attributes of device memory");
  int local = 0;
  CHECK(cudaPointerGetAttributes(&where, &local));
  checks.expect(where.type == cudaMemoryTypeUnregistered, "attributes of ordinary memory");
  CHECK(cudaFree(memory));

  int chosen = -1;
  CHECK(cudaChooseDevice(&chosen, &p));
  checks.expect(chosen == 0, "cudaChooseDevice");
  char id[32] = "";
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  int by_id = -1;
  CHECK(cudaDeviceGetByPCIBusId(&by_id, id));
  checks.expect(by_id == 0, "the device by its bus id");
  CHECK(cudaFuncSetCacheConfig(small, cudaFuncCachePreferL1));
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
  size_t stack = 0;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  checks.expect(stack >= 4096, "limits can be set");
  CHECK(cudaDeviceReset());
  return checks.finish();
}
