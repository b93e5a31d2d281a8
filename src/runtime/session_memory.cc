#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

Address to_address(const void* p) {
  return reinterpret_cast<Address>(p);
}

bool host_may_use(MemoryKind kind) {
  return kind == MemoryKind::Pinned || kind == MemoryKind::Managed || kind == MemoryKind::Registered;
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

void Session::check_copy(const void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) const {
  require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
  if (bytes == 0) return;
  require(to != nullptr && from != nullptr, cudaErrorInvalidValue);
  auto check = [&](const void* p, bool device) {
    // Of a device pointer all bytes must be there; what lies in memory of the device alone is no host
    // pointer.
    const bool right = device ? on_device(p, bytes, false) : !on_device(p, 1, true);
    require(right, cudaErrorInvalidValue);
  };
  auto check_either = [&](const void* p) {
    if (on_device(p, 1, false)) check(p, true);
  };
  if (kind == cudaMemcpyDefault) {
    check_either(to);
    check_either(from);
    return;
  }
  check(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
  check(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
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
  require(on_device(to, bytes, false), cudaErrorInvalidValue);
  simulator().fill(to_address(to), static_cast<std::uint8_t>(value), bytes);
}

}  // namespace heddle::runtime
