// Driver interface: memory and its addresses apart (cuMemAddressReserve, cuMemCreate, cuMemMap).
//
// A reservation is an allocation like any other. Physical memory is a size, and what it held when it was last
// mapped: it is at one place at a time, because a device address is a host address here.
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "runtime/driver_entry.h"
#include "runtime/physical_memory.h"

namespace heddle::runtime {

constexpr std::uint64_t kMapGranularity = 2 << 20;

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

// Never destroyed, as the session. Entry points hold the session's lock.
static std::map<const PhysicalMemory*, std::unique_ptr<PhysicalMemory>>& physical_memory() {
  static auto& all = *new std::map<const PhysicalMemory*, std::unique_ptr<PhysicalMemory>>;
  return all;
}
// Those that are mapped, by their address.
static std::map<CUdeviceptr, PhysicalMemory*>& mapped_memory() {
  static auto& all = *new std::map<CUdeviceptr, PhysicalMemory*>;
  return all;
}
static PhysicalMemory& physical_memory(CUmemGenericAllocationHandle handle) {
  const auto at = physical_memory().find(handle);
  if (at == physical_memory().end()) throw Failure{cudaErrorInvalidValue, {}};
  return *at->second;
}

void forget_physical_memory() {
  mapped_memory().clear();
  physical_memory().clear();
}

HEDDLE_ENTRY(cuMemGetAllocationGranularity)(std::size_t* bytes, const CUmemAllocationProp*, int) {
  return driver_entry([&](Session&) {
    require(bytes != nullptr, cudaErrorInvalidValue);
    *bytes = kMapGranularity;
  });
}
// The address that a program would like is a wish.
HEDDLE_ENTRY(cuMemAddressReserve)
(CUdeviceptr* p, std::size_t bytes, std::size_t, CUdeviceptr, unsigned long long) {
  return driver_entry([&](Session& s) {
    require(p != nullptr && bytes != 0 && bytes % kMapGranularity == 0, cudaErrorInvalidValue);
    *p = reinterpret_cast<CUdeviceptr>(s.allocate(bytes, MemoryKind::Device, "cuMemAddressReserve"));
  });
}
HEDDLE_ENTRY(cuMemAddressFree)(CUdeviceptr p, std::size_t) {
  return waiting_driver_entry(
      [&](Session& s) { s.release(pointer(p), {MemoryKind::Device}, cudaErrorInvalidValue); });
}
HEDDLE_ENTRY(cuMemCreate)
(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties,
 unsigned long long) {
  return driver_entry([&](Session&) {
    require(handle != nullptr && properties != nullptr, cudaErrorInvalidValue);
    require(bytes != 0 && bytes % kMapGranularity == 0, cudaErrorInvalidValue);
    require(properties->requestedHandleTypes == 0, cudaErrorNotSupported);  // to share with other processes
    require_device(properties->location.id);
    auto m = std::make_unique<PhysicalMemory>();
    m->bytes = bytes;
    m->properties = *properties;
    *handle = m.get();
    physical_memory()[m.get()] = std::move(m);
  });
}
HEDDLE_ENTRY(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  return driver_entry([&](Session&) {
    PhysicalMemory& m = physical_memory(handle);
    m.released = true;
    if (m.mapped == 0) physical_memory().erase(&m);
  });
}
HEDDLE_ENTRY(cuMemMap)
(CUdeviceptr p, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
 unsigned long long) {
  return driver_entry([&](Session& s) {
    PhysicalMemory& m = physical_memory(handle);
    require(offset == 0 && bytes == m.bytes && s.memory_of(pointer(p)) != nullptr, cudaErrorInvalidValue);
    if (m.mapped != 0)
      throw Failure{cudaErrorNotSupported, "cuMemMap: memory at two addresses at once is not supported"};
    const auto next = mapped_memory().upper_bound(p);
    require(
        (next == mapped_memory().end() || p + bytes <= next->first) &&
            (next == mapped_memory().begin() || std::prev(next)->first + std::prev(next)->second->bytes <= p),
        cudaErrorInvalidValue);  // other memory is mapped there
    m.mapped = p;
    mapped_memory()[p] = &m;
    if (m.content.empty())
      s.fill(pointer(p), 0, bytes);
    else
      s.copy(pointer(p), m.content.data(), bytes, cudaMemcpyHostToDevice);
    m.content = {};
  });
}
HEDDLE_ENTRY(cuMemUnmap)(CUdeviceptr p, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    std::vector<PhysicalMemory*> inside;
    for (auto at = mapped_memory().lower_bound(p); at != mapped_memory().end(); ++at)
      if (at->first + at->second->bytes <= p + bytes)
        inside.push_back(at->second);
      else
        break;
    require(!inside.empty(), cudaErrorInvalidValue);
    for (PhysicalMemory* m : inside) {
      mapped_memory().erase(m->mapped);
      if (m->released) {
        physical_memory().erase(m);
        continue;
      }
      m->content.resize(m->bytes);
      s.copy(m->content.data(), pointer(m->mapped), m->bytes, cudaMemcpyDeviceToHost);
      m->mapped = 0;
    }
  });
}
HEDDLE_ENTRY(cuMemSetAccess)(CUdeviceptr p, std::size_t, const void*, std::size_t) {
  return driver_entry(
      [&](Session& s) { require(s.memory_of(pointer(p)) != nullptr, cudaErrorInvalidValue); });
}
HEDDLE_ENTRY(cuMemGetAccess)(unsigned long long* flags, const void*, CUdeviceptr p) {
  constexpr unsigned long long kReadAndWrite = 3;
  return driver_entry([&](Session& s) {
    require(s.memory_of(pointer(p)) != nullptr, cudaErrorInvalidValue);
    *flags = kReadAndWrite;
  });
}
HEDDLE_ENTRY(cuMemGetAllocationPropertiesFromHandle)
(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  return driver_entry([&](Session&) { *properties = physical_memory(handle).properties; });
}
HEDDLE_ENTRY(cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle* handle, void* p) {
  return driver_entry([&](Session&) {
    const auto a = reinterpret_cast<CUdeviceptr>(p);
    auto at = mapped_memory().upper_bound(a);
    require(at != mapped_memory().begin(), cudaErrorInvalidValue);
    --at;
    require(a < at->first + at->second->bytes, cudaErrorInvalidValue);
    at->second->released = false;
    *handle = at->second;
  });
}

}  // namespace heddle::runtime
