// Memory without an address of its own (cuMemCreate), and where it is mapped.
//
// Physical memory is a size, and what it held when it was last mapped: it is at one place at a time, because
// a device address is a host address here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/session/abi.h"

namespace heddle::runtime {

using CUdeviceptr = std::uint64_t;

struct CUmemAllocationProp {
  int type, requestedHandleTypes;
  cudaMemLocation location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};
static_assert(sizeof(CUmemAllocationProp) == 32);

struct PhysicalMemory {
  std::uint64_t bytes = 0;
  CUmemAllocationProp properties{};
  CUdeviceptr mapped = 0;
  bool released = false;      // by the program; it goes when it is no longer mapped
  std::vector<char> content;  // while it is not mapped
};
using CUmemGenericAllocationHandle = PhysicalMemory*;

struct PhysicalMemoryTable {
  std::map<const PhysicalMemory*, std::unique_ptr<PhysicalMemory>> all;  // mapped or not
  std::map<CUdeviceptr, PhysicalMemory*> mapped;                         // by address

  // Throws Failure.
  PhysicalMemory& find(CUmemGenericAllocationHandle handle);
};

}  // namespace heddle::runtime
