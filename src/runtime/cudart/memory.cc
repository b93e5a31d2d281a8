// Allocation: device, host, managed; pools; what a pointer is.
#include "runtime/cudart/pool_imports.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPitch = 512;  // rows of cudaMallocPitch begin at multiples of this

void allocate_to(void** p, std::uint64_t bytes, MemoryKind kind, const char* label) {
  require(p != nullptr, cudaErrorInvalidValue);
  if (bytes == 0) {
    *p = nullptr;
    return;
  }
  *p = Session::get().allocate(bytes, kind, label);
}

}  // namespace

HEDDLE_ENTRY(cudaMalloc)(void** p, std::size_t bytes) {
  return entry([&](Session&) { allocate_to(p, bytes, MemoryKind::Device, "cudaMalloc"); });
}

HEDDLE_ENTRY(cudaFree)(void* p) {
  return waiting_entry([&](Session& s) {
    if (p == nullptr) {
      s.simulator();  // programs call cudaFree(0) to start the device
      return;
    }
    if (release_pool_import(s, p)) return;
    s.release(p, {MemoryKind::Device, MemoryKind::Managed}, cudaErrorInvalidValue);
  });
}

HEDDLE_ENTRY(cudaMallocPitch)(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
  return entry([&](Session&) {
    require(pitch != nullptr, cudaErrorInvalidValue);
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    allocate_to(p, *pitch * height, MemoryKind::Device, "cudaMallocPitch");
  });
}

HEDDLE_ENTRY(cudaMalloc3D)(cudaPitchedPtr* p, cudaExtent extent) {
  return entry([&](Session&) {
    require(p != nullptr, cudaErrorInvalidValue);
    p->pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
    p->xsize = extent.width;
    p->ysize = extent.height;
    allocate_to(&p->ptr, p->pitch * extent.height * extent.depth, MemoryKind::Device, "cudaMalloc3D");
  });
}

HEDDLE_ENTRY(cudaMallocManaged)(void** p, std::size_t bytes, unsigned) {
  return entry([&](Session&) {
    require(bytes != 0, cudaErrorInvalidValue);
    allocate_to(p, bytes, MemoryKind::Managed, "cudaMallocManaged");
  });
}

HEDDLE_ENTRY(cudaMallocHost)(void** p, std::size_t bytes) {
  return entry([&](Session&) { allocate_to(p, bytes, MemoryKind::Pinned, "cudaMallocHost"); });
}

HEDDLE_ENTRY(cudaHostAlloc)(void** p, std::size_t bytes, unsigned) {
  return entry([&](Session&) { allocate_to(p, bytes, MemoryKind::Pinned, "cudaHostAlloc"); });
}

HEDDLE_ENTRY(cudaFreeHost)(void* p) {
  return waiting_entry([&](Session& s) {
    if (p != nullptr) s.release(p, {MemoryKind::Pinned}, cudaErrorInvalidValue);
  });
}

HEDDLE_ENTRY(cudaHostRegister)(void* p, std::size_t bytes, unsigned) {
  return entry([&](Session& s) { s.register_host(p, bytes); });
}

HEDDLE_ENTRY(cudaHostUnregister)(void* p) {
  return waiting_entry([&](Session& s) { s.unregister_host(p); });
}

HEDDLE_ENTRY(cudaHostGetDevicePointer)(void** device, void* host, unsigned) {
  return entry([&](Session& s) {
    const Session::Memory* m = s.memory_of(host);
    require(device != nullptr && m != nullptr && m->kind != MemoryKind::Device, cudaErrorInvalidValue);
    *device = host;
  });
}

HEDDLE_ENTRY(cudaHostGetFlags)(unsigned* flags, void* host) {
  constexpr unsigned kPortable = 1, kMapped = 2;
  return entry([&](Session& s) {
    require(flags != nullptr && s.memory_of(host) != nullptr, cudaErrorInvalidValue);
    *flags = kPortable | kMapped;
  });
}

HEDDLE_ENTRY(cudaMemGetInfo)(std::size_t* available, std::size_t* total) {
  return entry([&](Session& s) {
    if (total != nullptr) *total = Simulator::kMemoryBytes;
    if (available != nullptr)
      *available = Simulator::kMemoryBytes - std::min(Simulator::kMemoryBytes, s.simulator().memory().used());
  });
}

HEDDLE_ENTRY(cudaPointerGetAttributes)(cudaPointerAttributes* a, const void* p) {
  return entry([&](Session& s) {
    require(a != nullptr, cudaErrorInvalidValue);
    const Session::Memory* m = s.memory_of(p);
    const bool variable = m == nullptr && s.has_simulator() &&
                          s.simulator().memory().find(reinterpret_cast<Address>(p)) != nullptr;
    if (m == nullptr && !variable) {
      *a = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(p)};
      return;
    }
    const bool device_only = variable || m->kind == MemoryKind::Device || m->kind == MemoryKind::Array ||
                             m->kind == MemoryKind::Graph || m->kind == MemoryKind::Imported;
    a->type = device_only                      ? cudaMemoryTypeDevice
              : m->kind == MemoryKind::Managed ? cudaMemoryTypeManaged
                                               : cudaMemoryTypeHost;
    a->device = 0;
    a->devicePointer = const_cast<void*>(p);
    a->hostPointer = device_only ? nullptr : const_cast<void*>(p);
  });
}

// ---- in the order of a stream ---------------------------------------------------------------------------

HEDDLE_ENTRY(cudaMallocAsync)(void** p, std::size_t bytes, cudaStream_t stream) {
  return entry([&](Session& s) {
    const bool captured = s.stream(stream).capture != nullptr;
    allocate_to(p, bytes, captured ? MemoryKind::Graph : MemoryKind::Device, "cudaMallocAsync");
    if (captured)
      s.submit(stream, NodeType::Alloc,
               [memory = *p](Session& session) { session.occupy_graph_memory(memory); });
  });
}

HEDDLE_ENTRY(cudaMallocFromPoolAsync)(void** p, std::size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return heddle_cudaMallocAsync(p, bytes, stream);
}

HEDDLE_ENTRY(cudaFreeAsync)(void* p, cudaStream_t stream) {
  return entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    s.submit(stream, NodeType::Free, [p](Session& session) {
      if (release_pool_import(session, p)) return;
      session.release(p, {MemoryKind::Device, MemoryKind::Managed}, cudaErrorInvalidValue);
    });
  });
}

HEDDLE_ENTRY(cudaDeviceGetDefaultMemPool)(cudaMemPool_t* pool, int device) {
  return entry([&](Session& s) {
    require(pool != nullptr && device == 0, cudaErrorInvalidValue);
    *pool = &s.default_pool();
  });
}
HEDDLE_ENTRY(cudaDeviceGetMemPool)(cudaMemPool_t* pool, int device) {
  return heddle_cudaDeviceGetDefaultMemPool(pool, device);
}
HEDDLE_ENTRY(cudaDeviceSetMemPool)(int, cudaMemPool_t) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaMemPoolCreate)(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return heddle_cudaDeviceGetDefaultMemPool(pool, 0);
}
HEDDLE_ENTRY(cudaMemPoolDestroy)(cudaMemPool_t) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaMemPoolTrimTo)(cudaMemPool_t, std::size_t) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaMemPoolSetAccess)(cudaMemPool_t, const void*, std::size_t) {
  return cudaSuccess;
}
HEDDLE_ENTRY(cudaMemPoolSetAttribute)(cudaMemPool_t pool, int attribute, void* value) {
  constexpr int kReleaseThreshold = 4;
  return entry([&](Session&) {
    require(pool != nullptr && value != nullptr, cudaErrorInvalidValue);
    if (attribute == kReleaseThreshold) pool->release_threshold = *static_cast<std::uint64_t*>(value);
  });
}
HEDDLE_ENTRY(cudaMemPoolGetAttribute)(cudaMemPool_t pool, int attribute, void* value) {
  constexpr int kFirst64Bit = 4, kLast = 8;
  return entry([&](Session& s) {
    require(pool != nullptr && value != nullptr && attribute >= 1 && attribute <= kLast,
            cudaErrorInvalidValue);
    if (attribute < kFirst64Bit)
      *static_cast<int*>(value) = 1;  // reuse is allowed
    else
      *static_cast<std::uint64_t*>(value) =
          attribute == kFirst64Bit ? pool->release_threshold : s.simulator().memory().used();
  });
}

// ---- advice: memory is where both sides see it ------------------------------------------------------------

HEDDLE_ENTRY(cudaMemAdvise)(const void* p, std::size_t, int, cudaMemLocation) {
  return entry([&](Session& s) { require(s.memory_of(p) != nullptr, cudaErrorInvalidValue); });
}
HEDDLE_ENTRY(cudaMemPrefetchAsync)(const void* p, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return entry([&](Session& s) { require(s.memory_of(p) != nullptr, cudaErrorInvalidValue); });
}
// As CUDA 11 and 12 have them, with the number of a device.
HEDDLE_ENTRY(cudaMemAdvise_v11)(const void* p, std::size_t bytes, int advice, int device) {
  return heddle_cudaMemAdvise(p, bytes, advice, {1, device});
}
HEDDLE_ENTRY(cudaMemPrefetchAsync_v11)(const void* p, std::size_t bytes, int device, cudaStream_t stream) {
  return heddle_cudaMemPrefetchAsync(p, bytes, {1, device}, 0, stream);
}
HEDDLE_ENTRY(cudaStreamAttachMemAsync)(cudaStream_t stream, void*, std::size_t, unsigned) {
  return entry([&](Session& s) { s.stream(stream); });
}

}  // namespace heddle::runtime
