// Driver interface: memory.
#include <vector>

#include "runtime/driver/driver_entry.h"
#include "runtime/session/copies.h"

namespace heddle::runtime {
namespace {

void allocate_device(CUdeviceptr* p, std::size_t bytes, MemoryKind kind, const char* label) {
  require(p != nullptr && bytes != 0, cudaErrorInvalidValue);
  *p = reinterpret_cast<CUdeviceptr>(Session::get().allocate(bytes, kind, label));
}

// Values of 1, 2 or 4 bytes.
void submit_values(Session& s, CUdeviceptr to, unsigned value, unsigned size, std::size_t count,
                   cudaStream_t stream) {
  s.submit(stream, NodeType::Memset, [=](Session& session) {
    if (size == 1) return session.fill(pointer(to), static_cast<int>(value), count);
    std::vector<char> bytes(count * size);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value >> (8 * (i % size)));
    session.copy(pointer(to), bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  });
}

}  // namespace

HEDDLE_ENTRY(cuMemAlloc)(CUdeviceptr* p, std::size_t bytes) {
  return driver_entry([&](Session&) { allocate_device(p, bytes, MemoryKind::Device, "cuMemAlloc"); });
}
HEDDLE_ENTRY(cuMemAllocManaged)(CUdeviceptr* p, std::size_t bytes, unsigned) {
  return driver_entry([&](Session&) { allocate_device(p, bytes, MemoryKind::Managed, "cuMemAllocManaged"); });
}
HEDDLE_ENTRY(cuMemAllocPitch)
(CUdeviceptr* p, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
  constexpr std::size_t kPitch = 512;
  return driver_entry([&](Session&) {
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    allocate_device(p, *pitch * height, MemoryKind::Device, "cuMemAllocPitch");
  });
}
HEDDLE_ENTRY(cuMemAllocHost)(void** p, std::size_t bytes) {
  return driver_entry([&](Session& s) { *p = s.allocate(bytes, MemoryKind::Pinned, "cuMemAllocHost"); });
}
HEDDLE_ENTRY(cuMemHostAlloc)(void** p, std::size_t bytes, unsigned) {
  return heddle_cuMemAllocHost(p, bytes);
}
HEDDLE_ENTRY(cuMemHostGetDevicePointer)(CUdeviceptr* p, void* host, unsigned) {
  return driver_entry([&](Session& s) {
    require(s.memory_of(host) != nullptr, cudaErrorInvalidValue);
    *p = reinterpret_cast<CUdeviceptr>(host);
  });
}
HEDDLE_ENTRY(cuMemFree)(CUdeviceptr p) {
  return waiting_driver_entry([&](Session& s) {
    if (p != 0) s.release(pointer(p), {MemoryKind::Device, MemoryKind::Managed}, cudaErrorInvalidValue);
  });
}
HEDDLE_ENTRY(cuMemFreeHost)(void* p) {
  return waiting_driver_entry([&](Session& s) { s.release(p, {MemoryKind::Pinned}, cudaErrorInvalidValue); });
}
HEDDLE_ENTRY(cuMemGetInfo)(std::size_t* available, std::size_t* total) {
  return driver_entry([&](Session& s) {
    *total = Simulator::kMemoryBytes;
    *available = *total - std::min<std::size_t>(*total, s.simulator().memory().used());
  });
}
HEDDLE_ENTRY(cuMemGetAddressRange)(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr p) {
  return driver_entry([&](Session& s) {
    Address first = 0;
    const Session::Memory* m = s.memory_of(pointer(p), &first);
    require(m != nullptr, cudaErrorInvalidValue);
    if (begin != nullptr) *begin = first;
    if (bytes != nullptr) *bytes = m->bytes;
  });
}

HEDDLE_ENTRY(cuMemcpyHtoD)(CUdeviceptr to, const void* from, std::size_t bytes) {
  return waiting_driver_entry(
      [&](Session& s) { submit_copy(s, pointer(to), from, bytes, cudaMemcpyHostToDevice, nullptr); });
}
HEDDLE_ENTRY(cuMemcpyDtoH)(void* to, CUdeviceptr from, std::size_t bytes) {
  return waiting_driver_entry(
      [&](Session& s) { submit_copy(s, to, pointer(from), bytes, cudaMemcpyDeviceToHost, nullptr); });
}
HEDDLE_ENTRY(cuMemcpyDtoD)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    submit_copy(s, pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, nullptr);
  });
}
HEDDLE_ENTRY(cuMemcpy)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return waiting_driver_entry(
      [&](Session& s) { submit_copy(s, pointer(to), pointer(from), bytes, cudaMemcpyDefault, nullptr); });
}
HEDDLE_ENTRY(cuMemcpyHtoDAsync)(CUdeviceptr to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return driver_entry(
      [&](Session& s) { submit_copy(s, pointer(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
HEDDLE_ENTRY(cuMemcpyDtoHAsync)(void* to, CUdeviceptr from, std::size_t bytes, cudaStream_t stream) {
  return driver_entry(
      [&](Session& s) { submit_copy(s, to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
HEDDLE_ENTRY(cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, cudaStream_t stream) {
  return driver_entry([&](Session& s) {
    submit_copy(s, pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
  });
}

HEDDLE_ENTRY(cuMemsetD8)(CUdeviceptr to, unsigned char value, std::size_t count) {
  return waiting_driver_entry([&](Session& s) { submit_values(s, to, value, 1, count, nullptr); });
}
HEDDLE_ENTRY(cuMemsetD16)(CUdeviceptr to, unsigned short value, std::size_t count) {
  return waiting_driver_entry([&](Session& s) { submit_values(s, to, value, 2, count, nullptr); });
}
HEDDLE_ENTRY(cuMemsetD32)(CUdeviceptr to, unsigned value, std::size_t count) {
  return waiting_driver_entry([&](Session& s) { submit_values(s, to, value, 4, count, nullptr); });
}
HEDDLE_ENTRY(cuMemsetD8Async)(CUdeviceptr to, unsigned char value, std::size_t count, cudaStream_t stream) {
  return driver_entry([&](Session& s) { submit_values(s, to, value, 1, count, stream); });
}
HEDDLE_ENTRY(cuMemsetD32Async)(CUdeviceptr to, unsigned value, std::size_t count, cudaStream_t stream) {
  return driver_entry([&](Session& s) { submit_values(s, to, value, 4, count, stream); });
}

HEDDLE_ENTRY(cuMemsetD16Async)(CUdeviceptr to, unsigned short value, std::size_t count, cudaStream_t stream) {
  return driver_entry([&](Session& s) { submit_values(s, to, value, 2, count, stream); });
}
HEDDLE_ENTRY(cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, cudaStream_t stream) {
  return driver_entry(
      [&](Session& s) { submit_copy(s, pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream); });
}

HEDDLE_ENTRY(cuPointerGetAttribute)(void* value, int number, CUdeviceptr p) {
  enum {
    kContext = 1,
    kMemoryType,
    kDevicePointer,
    kHostPointer,
    kIsManaged = 8,
    kDevice = 9,
    kBegin = 11,
    kBytes
  };
  return driver_entry([&](Session& s) {
    Address begin = 0;
    const Session::Memory* m = s.memory_of(pointer(p), &begin);
    require(value != nullptr && m != nullptr, cudaErrorInvalidValue);
    const bool host = m->kind == MemoryKind::Pinned || m->kind == MemoryKind::Registered;
    const bool managed = m->kind == MemoryKind::Managed;
    switch (number) {
      case kMemoryType:
        *static_cast<unsigned*>(value) = host ? 1 : 2;
        return;
      case kDevicePointer:
        *static_cast<CUdeviceptr*>(value) = p;
        return;
      case kHostPointer:
        require(host || managed, cudaErrorInvalidValue);
        *static_cast<void**>(value) = pointer(p);
        return;
      case kIsManaged:
        *static_cast<int*>(value) = managed ? 1 : 0;
        return;
      case kDevice:
        *static_cast<int*>(value) = 0;
        return;
      case kBegin:
        *static_cast<CUdeviceptr*>(value) = begin;
        return;
      case kBytes:
        *static_cast<std::size_t*>(value) = m->bytes;
        return;
      default:
        throw Failure{cudaErrorNotSupported, {}};
    }
  });
}

}  // namespace heddle::runtime
