// Memory and events of another process. Memory that is given away lies in a file from then on
// (memory_file.h); who gets the handle maps its part. What is given to a stream has ended
// when the call returns, in whichever process: an event of another one has nothing to wait for.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include <fmt/format.h>

#include "runtime/device/memory_file.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {

struct cudaIpcMemHandle_t {
  char bytes[64];
};
struct cudaIpcEventHandle_t {
  char bytes[64];
};

namespace {

constexpr std::uint64_t kMemoryMark = 0x656c'6464'6568'6d01, kEventMark = 0x656c'6464'6568'6501;

// What a handle holds.
struct SharedMemory {
  std::uint64_t mark, process, file, begin, bytes;
};
struct SharedEvent {
  std::uint64_t mark, process;
};

template <class Content, class Handle>
Handle pack(const Content& content) {
  Handle handle{};
  static_assert(sizeof content <= sizeof handle);
  std::memcpy(handle.bytes, &content, sizeof content);
  return handle;
}
template <class Content, class Handle>
Content unpack(const Handle& handle, std::uint64_t mark) {
  Content content;
  std::memcpy(&content, handle.bytes, sizeof content);
  require(content.mark == mark, cudaErrorInvalidResourceHandle);
  // The process that gave a handle away cannot open it.
  require(content.process != static_cast<std::uint64_t>(getpid()), cudaErrorDeviceUninitialized);
  return content;
}

// Memory of others that is open here, by its address.
struct Import {
  SharedMemory memory{};
  MappedPart part{};
  unsigned times = 0;  // it was opened
};
// Never destroyed, as the session. Entry points hold the session's lock.
std::map<void*, Import>& imports() {
  static auto& all = *new std::map<void*, Import>;
  return all;
}

void* map_memory(Import& import) {
  const SharedMemory& m = import.memory;
  const std::string path = fmt::format("/proc/{}/fd/{}", m.process, m.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    throw Failure{cudaErrorInvalidResourceHandle,
                  fmt::format("cudaIpcOpenMemHandle: cannot open {}: has the process that owns the memory "
                              "ended?",
                              path)};
  import.part = map_part(file, m.begin, m.bytes);
  close(file);
  if (import.part.begin == nullptr) throw Failure{cudaErrorMemoryAllocation, {}};
  return import.part.begin;
}

}  // namespace

HEDDLE_ENTRY(cudaIpcGetMemHandle)(cudaIpcMemHandle_t* handle, void* p) {
  return waiting_entry([&](Session& s) {
    Address begin = 0;
    const Session::Memory* m = s.memory_of(p, &begin);
    require(handle != nullptr && m != nullptr && m->kind == MemoryKind::Device, cudaErrorInvalidValue);
    const auto file = static_cast<std::uint64_t>(s.simulator().shared_file());
    *handle = pack<SharedMemory, cudaIpcMemHandle_t>(
        {kMemoryMark, static_cast<std::uint64_t>(getpid()), file, begin, m->bytes});
  });
}

HEDDLE_ENTRY(cudaIpcOpenMemHandle)(void** p, cudaIpcMemHandle_t handle, unsigned) {
  return entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    Import import{.memory = unpack<SharedMemory>(handle, kMemoryMark)};
    for (auto& [at, other] : imports())
      if (std::memcmp(&other.memory, &import.memory, sizeof other.memory) == 0) {
        if (s.memory_of(at) == nullptr) {  // cudaDeviceReset has forgotten it
          s.import(at, other.memory.bytes);
          other.times = 0;
        }
        ++other.times;
        *p = at;
        return;
      }
    *p = map_memory(import);
    import.times = 1;
    s.import(*p, import.memory.bytes);
    imports()[*p] = import;
  });
}

HEDDLE_ENTRY(cudaIpcCloseMemHandle)(void* p) {
  return waiting_entry([&](Session& s) {
    const auto at = imports().find(p);
    require(at != imports().end(), cudaErrorInvalidValue);
    if (--at->second.times != 0) return;
    s.end_import(p);
    unmap(at->second.part);
    imports().erase(at);
  });
}

HEDDLE_ENTRY(cudaIpcGetEventHandle)(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  constexpr unsigned kInterprocess = 4;
  return entry([&](Session& s) {
    require(handle != nullptr, cudaErrorInvalidValue);
    require((s.event(event).flags & kInterprocess) != 0, cudaErrorInvalidResourceHandle);
    *handle = pack<SharedEvent, cudaIpcEventHandle_t>({kEventMark, static_cast<std::uint64_t>(getpid())});
  });
}

HEDDLE_ENTRY(cudaIpcOpenEventHandle)(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  constexpr unsigned kNoTiming = 2, kInterprocess = 4;
  return entry([&](Session& s) {
    require(event != nullptr, cudaErrorInvalidValue);
    unpack<SharedEvent>(handle, kEventMark);
    *event = s.create_event(kNoTiming | kInterprocess);
  });
}

}  // namespace heddle::runtime
