#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "runtime/session/session.h"

namespace heddle::runtime {
namespace {

Address to_address(const void* p) {
  return reinterpret_cast<Address>(p);
}

bool host_may_use(MemoryKind kind) {
  return kind == MemoryKind::Pinned || kind == MemoryKind::Managed || kind == MemoryKind::Registered;
}

// Whether the program may touch these bytes at all: a call that is given a wrong pointer fails, the library
// does not.
bool is_mapped(const void* p, std::uint64_t bytes) {
  constexpr std::uint64_t kHostPage = 4096, kAtOnce = 1 << 16;  // pages
  const Address first = to_address(p) / kHostPage * kHostPage, last = to_address(p) + bytes - 1;
  if (last < first) return false;
  std::vector<unsigned char> resident(std::min(kAtOnce, (last - first) / kHostPage + 1));
  for (Address at = first; at <= last; at += kAtOnce * kHostPage) {
    const std::uint64_t length = std::min(kAtOnce * kHostPage, last - at + 1);
    if (mincore(reinterpret_cast<void*>(at), length, resident.data()) != 0 && errno == ENOMEM) return false;
    if (last - at < kAtOnce * kHostPage) break;
  }
  return true;
}

bool in_window(Address a) {
  return a - mem::kDeviceBase < mem::kWindowBytes;
}

[[noreturn]] void wrong_direction(std::uint64_t bytes, Address at, const char* taken, const char* is) {
  refuse(
      "copy", "its direction is not that of its pointers",
      fmt::format("a copy of {} bytes takes {:#x} for memory of the {}, which is the {}'s: is its direction "
                  "(cudaMemcpyKind) right?",
                  bytes, at, taken, is));
}

}  // namespace

void* Session::allocate(std::uint64_t bytes, MemoryKind kind, const char* label) {
  const Address a = simulator().allocate(bytes, label, host_may_use(kind));
  if (a == 0) throw Failure{cudaErrorMemoryAllocation, {}};
  memory_[a] = {kind, bytes, kind != MemoryKind::Graph};
  return reinterpret_cast<void*>(a);
}

void Session::release(void* p, std::initializer_list<MemoryKind> kinds, cudaError_t wrong) {
  const auto at = memory_.find(to_address(p));
  if (at != memory_.end() && at->second.kind == MemoryKind::Graph && at->second.occupied) {
    at->second.occupied = false;
    graph_memory_.used -= at->second.bytes;
    return;
  }
  if (at == memory_.end() || std::find(kinds.begin(), kinds.end(), at->second.kind) == kinds.end())
    throw Failure{wrong, {}};
  simulator().release(at->first);
  memory_.erase(at);
}

void Session::occupy_graph_memory(void* p) {
  const auto at = memory_.find(to_address(p));
  if (at == memory_.end() || at->second.occupied) return;
  at->second.occupied = true;
  GraphMemoryUse& g = graph_memory_;
  g.used += at->second.bytes;
  g.most_used = std::max(g.most_used, g.used);
  g.reserved = std::max(g.reserved, g.used);
  g.most_reserved = std::max(g.most_reserved, g.reserved);
}

void Session::register_host(void* p, std::uint64_t bytes) {
  if (p == nullptr || bytes == 0) throw Failure{cudaErrorInvalidValue, {}};
  Address begin = 0;
  if (memory_of(p, &begin) != nullptr) throw Failure{cudaErrorHostMemoryAlreadyRegistered, {}};
  try {
    simulator().adopt(p, bytes, "memory of the host that the program gives to the device (cudaHostRegister)");
  } catch (const Error& e) {
    throw Failure{cudaErrorNotSupported, e.what()};
  }
  memory_[to_address(p)] = {MemoryKind::Registered, bytes, true};
}

void Session::unregister_host(void* p) {
  const auto at = memory_.find(to_address(p));
  if (at == memory_.end() || at->second.kind != MemoryKind::Registered)
    throw Failure{cudaErrorHostMemoryNotRegistered, {}};
  simulator().disown(p);
  memory_.erase(at);
}

void Session::import(void* p, std::uint64_t bytes) {
  simulator().adopt(p, bytes, "memory of another process (IPC)");
  memory_[to_address(p)] = {MemoryKind::Imported, bytes, true};
}

void Session::end_import(void* p) {
  simulator().disown(p);
  memory_.erase(to_address(p));
}

const Session::Memory* Session::memory_of(const void* p, Address* begin) const {
  auto at = memory_.upper_bound(to_address(p));
  if (at == memory_.begin()) return nullptr;
  --at;
  if (to_address(p) - at->first >= std::max<std::uint64_t>(at->second.bytes, 1)) return nullptr;
  if (begin != nullptr) *begin = at->first;
  return &at->second;
}

// Variables of modules are memory of the device, too, that the program did not allocate.
bool Session::on_device(const void* p, std::uint64_t bytes, bool exclusively) const {
  if (simulator_ == nullptr) return false;
  const mem::Allocation* a = simulator_->memory().find(to_address(p));
  if (a == nullptr || a->end - to_address(p) < bytes) return false;
  if (!exclusively) return true;
  const Memory* m = memory_of(p);
  return m != nullptr && !host_may_use(m->kind);
}

// `verb`: what is done with the bytes at `p`.
void Session::require_device_range(const char* what, const char* verb, const void* p,
                                   std::uint64_t bytes) const {
  if (on_device(p, bytes, false)) return;
  const Address at = to_address(p);
  if (std::string_view(what) == "copy" && !in_window(at) && is_mapped(p, 1))
    wrong_direction(bytes, at, "device", "host");
  const mem::Allocation* a = simulator_ != nullptr ? simulator_->memory().find(at) : nullptr;
  if (a == nullptr)
    refuse(what, "the device has no memory there",
           fmt::format("a {} of {} bytes {} {:#x}, where the device has no memory{}", what, bytes, verb, at,
                       simulator_ != nullptr ? ". " + simulator_->memory().describe(at) : ""));
  refuse(what, "it runs past the end of an allocation",
         fmt::format("a {} of {} bytes {} {:#x} runs {} bytes past the end of '{}' ({} bytes from {:#x}, of "
                     "which it begins at offset {})",
                     what, bytes, verb, at, bytes - (a->end - at), a->label, a->end - a->begin, a->begin,
                     at - a->begin));
}

void Session::require_host_range(const char* verb, const void* p, std::uint64_t bytes) const {
  if (on_device(p, 1, true)) wrong_direction(bytes, to_address(p), "host", "device");
  if (!on_device(p, 1, false) && !is_mapped(p, bytes))
    refuse("copy", "the host has no memory there",
           fmt::format("a copy of {} bytes {} {:#x}, where the program has no memory", bytes, verb,
                       to_address(p)));
}

void Session::check_copy(const void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) const {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    refuse("copy", "there is no such direction",
           fmt::format("a copy of {} bytes in direction {}, where 0 to 4 (cudaMemcpyKind) are possible",
                       bytes, static_cast<int>(kind)),
           cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return;
  auto check = [&](const void* p, const char* verb, bool device) {
    if (p == nullptr)
      refuse("copy", "a pointer is null", fmt::format("a copy of {} bytes {} a null pointer", bytes, verb));
    // Of a device pointer all bytes must be there; what lies in memory of the device alone is no host
    // pointer.
    if (device)
      require_device_range("copy", verb, p, bytes);
    else
      require_host_range(verb, p, bytes);
  };
  const bool either = kind == cudaMemcpyDefault;
  const bool to_device =
      either ? on_device(to, 1, false) : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device =
      either ? on_device(from, 1, false) : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  // Of two that are wrong the device's is told: that is where sizes are known.
  if (!to_device) check(from, "from", from_device);
  check(to, "to", to_device);
  if (to_device) check(from, "from", from_device);
}

void Session::copy(void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) {
  check_copy(to, from, bytes, kind);
  if (bytes == 0) return;
  const bool to_device = on_device(to, bytes, false), from_device = on_device(from, bytes, false);
  if (to_device && from_device)
    simulator().copy(to_address(to), to_address(from), bytes);
  else if (to_device)
    simulator().write(to_address(to), from, bytes);
  else
    std::memmove(to, from, bytes);  // device addresses are the host's
}

void Session::fill(void* to, int value, std::uint64_t bytes) {
  if (bytes == 0) return;
  require_device_range("fill", "at", to, bytes);
  simulator().fill(to_address(to), static_cast<std::uint8_t>(value), bytes);
}

}  // namespace heddle::runtime
