// Driver interface: memory and its addresses apart (cuMemAddressReserve, cuMemCreate, cuMemMap).
//
// A reservation is an allocation like any other.
#include <memory>
#include <vector>

#include "runtime/driver/driver_entry.h"

namespace heddle::runtime {

constexpr std::uint64_t kMapGranularity = 2 << 20;

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
  return driver_entry([&](Session& s) {
    require(handle != nullptr && properties != nullptr, cudaErrorInvalidValue);
    require(bytes != 0 && bytes % kMapGranularity == 0, cudaErrorInvalidValue);
    require(properties->requestedHandleTypes == 0, cudaErrorNotSupported);  // to share with other processes
    require_device(properties->location.id);
    auto m = std::make_unique<PhysicalMemory>();
    m->bytes = bytes;
    m->properties = *properties;
    *handle = m.get();
    s.physical_memory().all[m.get()] = std::move(m);
  });
}
HEDDLE_ENTRY(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  return driver_entry([&](Session& s) {
    PhysicalMemory& m = s.physical_memory().find(handle);
    m.released = true;
    if (m.mapped == 0) s.physical_memory().all.erase(&m);
  });
}
HEDDLE_ENTRY(cuMemMap)
(CUdeviceptr p, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
 unsigned long long) {
  return driver_entry([&](Session& s) {
    PhysicalMemory& m = s.physical_memory().find(handle);
    auto& mapped = s.physical_memory().mapped;
    require(offset == 0 && bytes == m.bytes && s.memory_of(pointer(p)) != nullptr, cudaErrorInvalidValue);
    if (m.mapped != 0)
      throw Failure{cudaErrorNotSupported, "cuMemMap: memory at two addresses at once is not supported"};
    const auto next = mapped.upper_bound(p);
    require((next == mapped.end() || p + bytes <= next->first) &&
                (next == mapped.begin() || std::prev(next)->first + std::prev(next)->second->bytes <= p),
            cudaErrorInvalidValue);  // other memory is mapped there
    m.mapped = p;
    mapped[p] = &m;
    if (m.content.empty())
      s.fill(pointer(p), 0, bytes);
    else
      s.copy(pointer(p), m.content.data(), bytes, cudaMemcpyHostToDevice);
    m.content = {};
  });
}
HEDDLE_ENTRY(cuMemUnmap)(CUdeviceptr p, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    auto& mapped = s.physical_memory().mapped;
    std::vector<PhysicalMemory*> inside;
    for (auto at = mapped.lower_bound(p); at != mapped.end(); ++at)
      if (at->first + at->second->bytes <= p + bytes)
        inside.push_back(at->second);
      else
        break;
    require(!inside.empty(), cudaErrorInvalidValue);
    for (PhysicalMemory* m : inside) {
      mapped.erase(m->mapped);
      if (m->released) {
        s.physical_memory().all.erase(m);
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
  return driver_entry([&](Session& s) { *properties = s.physical_memory().find(handle).properties; });
}
HEDDLE_ENTRY(cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle* handle, void* p) {
  return driver_entry([&](Session& s) {
    const auto a = reinterpret_cast<CUdeviceptr>(p);
    auto& mapped = s.physical_memory().mapped;
    auto at = mapped.upper_bound(a);
    require(at != mapped.begin(), cudaErrorInvalidValue);
    --at;
    require(a < at->first + at->second->bytes, cudaErrorInvalidValue);
    at->second->released = false;
    *handle = at->second;
  });
}

}  // namespace heddle::runtime
