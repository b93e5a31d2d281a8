// Pools that processes share by a file descriptor. All pools of a process lie in one file, that of its whole
// memory (memory_file.h): a pool that is imported is this file, and what is exported of it a part.
#include "runtime/cudart/pool_imports.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>

#include "runtime/device/memory_file.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {

struct cudaMemPoolPtrExportData {
  unsigned char bytes[64];
};

namespace {

constexpr int kPosixFileDescriptor = 1, kReadAndWrite = 3;
constexpr std::uint64_t kPointerMark = 0x656c'6464'6568'7001;

// What is exported of a pointer.
struct PoolPointer {
  std::uint64_t mark, file, begin, bytes;  // the file's number, which is the same in all processes
};

struct ImportedPool {
  std::unique_ptr<MemPool> pool;
  int file = -1;
};
// Never destroyed, as the session. Entry points hold the session's lock.
std::map<cudaMemPool_t, ImportedPool>& imported_pools() {
  static auto& all = *new std::map<cudaMemPool_t, ImportedPool>;
  return all;
}
std::map<void*, MappedPart>& pool_parts() {
  static auto& all = *new std::map<void*, MappedPart>;
  return all;
}

std::uint64_t number_of(int file) {
  struct stat s {};
  require(fstat(file, &s) == 0, cudaErrorInvalidValue);
  return s.st_ino;
}

}  // namespace

bool release_pool_import(Session& s, void* p) {
  const auto at = pool_parts().find(p);
  if (at == pool_parts().end() || s.memory_of(p) == nullptr) return false;
  s.end_import(p);
  unmap(at->second);
  pool_parts().erase(at);
  return true;
}

HEDDLE_ENTRY(cudaMemPoolGetAccess)(int* flags, cudaMemPool_t pool, const cudaMemLocation*) {
  return entry([&](Session&) {
    require(flags != nullptr && pool != nullptr, cudaErrorInvalidValue);
    *flags = kReadAndWrite;
  });
}

// Whoever gets the descriptor closes it.
HEDDLE_ENTRY(cudaMemPoolExportToShareableHandle)(void* handle, cudaMemPool_t pool, int type, unsigned) {
  return waiting_entry([&](Session& s) {
    require(handle != nullptr && pool != nullptr && type == kPosixFileDescriptor, cudaErrorInvalidValue);
    require(imported_pools().count(pool) == 0, cudaErrorInvalidValue);
    const int file = dup(s.simulator().shared_file());
    require(file >= 0, cudaErrorUnknown);
    std::memcpy(handle, &file, sizeof file);
  });
}

HEDDLE_ENTRY(cudaMemPoolImportFromShareableHandle)(cudaMemPool_t* pool, void* handle, int type, unsigned) {
  return entry([&](Session&) {
    require(pool != nullptr && type == kPosixFileDescriptor, cudaErrorInvalidValue);
    const int file = fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), F_DUPFD_CLOEXEC, 0);
    require(file >= 0, cudaErrorInvalidValue);
    ImportedPool imported{std::make_unique<MemPool>(), file};
    *pool = imported.pool.get();
    imported_pools()[*pool] = std::move(imported);
  });
}

HEDDLE_ENTRY(cudaMemPoolExportPointer)(cudaMemPoolPtrExportData* data, void* p) {
  return waiting_entry([&](Session& s) {
    Address begin = 0;
    const Session::Memory* m = s.memory_of(p, &begin);
    require(data != nullptr && m != nullptr && m->kind == MemoryKind::Device, cudaErrorInvalidValue);
    const PoolPointer pointer{kPointerMark, number_of(s.simulator().shared_file()), begin, m->bytes};
    *data = {};
    std::memcpy(data->bytes, &pointer, sizeof pointer);
  });
}

HEDDLE_ENTRY(cudaMemPoolImportPointer)(void** p, cudaMemPool_t pool, const cudaMemPoolPtrExportData* data) {
  return entry([&](Session& s) {
    const auto from = imported_pools().find(pool);
    require(p != nullptr && data != nullptr && from != imported_pools().end(), cudaErrorInvalidValue);
    PoolPointer pointer{};
    std::memcpy(&pointer, data->bytes, sizeof pointer);
    require(pointer.mark == kPointerMark && pointer.file == number_of(from->second.file),
            cudaErrorInvalidValue);
    const MappedPart part = map_part(from->second.file, pointer.begin, pointer.bytes);
    if (part.begin == nullptr) throw Failure{cudaErrorMemoryAllocation, {}};
    s.import(part.begin, pointer.bytes);
    pool_parts()[part.begin] = part;
    *p = part.begin;
  });
}

}  // namespace heddle::runtime
