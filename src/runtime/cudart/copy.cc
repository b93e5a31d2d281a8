// Copies and fills of linear memory, and of variables.
#include <fmt/format.h>

#include "runtime/session/copies.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {
namespace {

struct Symbol {
  Address address = 0;
  std::uint64_t bytes = 0;
};

Symbol find_symbol(Session& s, const void* symbol) {
  // The host's name of a managed variable is the variable itself.
  const auto itself = reinterpret_cast<Address>(symbol);
  if (s.has_simulator())
    if (const mem::Allocation* a = s.simulator().memory().find(itself); a != nullptr && a->begin == itself)
      return {a->begin, a->end - a->begin};
  Symbol found;
  found.address = s.modules().address(s.modules().variable(symbol), s.simulator(), &found.bytes);
  return found;
}

char* symbol_address(Session& s, const void* symbol, std::size_t bytes, std::size_t offset) {
  const Symbol found = find_symbol(s, symbol);
  if (offset > found.bytes || bytes > found.bytes - offset)
    refuse("copy", "it runs past the end of a variable",
           fmt::format("a copy of {} bytes at offset {} of a variable that has {} bytes at {:#x}", bytes,
                       offset, found.bytes, found.address));
  return reinterpret_cast<char*>(found.address + offset);
}

[[noreturn]] void wrong_symbol_direction(cudaMemcpyKind kind) {
  refuse("copy", "its direction is not that of its pointers",
         fmt::format("a copy to or from a variable in direction {} (cudaMemcpyKind)", static_cast<int>(kind)),
         cudaErrorInvalidMemcpyDirection);
}

}  // namespace

HEDDLE_ENTRY(cudaMemcpy)(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) { submit_copy(s, to, from, bytes, kind, nullptr); });
}
HEDDLE_ENTRY(cudaMemcpyAsync)
(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return entry([&](Session& s) { submit_copy(s, to, from, bytes, kind, stream); });
}
HEDDLE_ENTRY(cudaMemcpyPeer)(void* to, int, const void* from, int, std::size_t bytes) {
  return heddle_cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
HEDDLE_ENTRY(cudaMemcpyPeerAsync)
(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
  return heddle_cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

HEDDLE_ENTRY(cudaMemcpy2D)
(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_box(s, rows(to, to_pitch), rows(const_cast<void*>(from), from_pitch), {width, height}, kind,
               nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DAsync)
(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return entry([&](Session& s) {
    submit_box(s, rows(to, to_pitch), rows(const_cast<void*>(from), from_pitch), {width, height}, kind,
               stream);
  });
}

HEDDLE_ENTRY(cudaMemcpy3D)(const cudaMemcpy3DParms* p) {
  return waiting_entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    copy_3d(s, *p);
  });
}
HEDDLE_ENTRY(cudaMemcpy3DAsync)(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return entry([&](Session& s) {
    require(p != nullptr, cudaErrorInvalidValue);
    s.submit(stream, NodeType::Memcpy, [params = *p](Session& session) { copy_3d(session, params); });
  });
}

HEDDLE_ENTRY(cudaMemset)(void* to, int value, std::size_t bytes) {
  return waiting_entry([&](Session& s) { submit_fill(s, rows(to, bytes), value, {bytes}, nullptr); });
}
HEDDLE_ENTRY(cudaMemsetAsync)(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return entry([&](Session& s) { submit_fill(s, rows(to, bytes), value, {bytes}, stream); });
}
HEDDLE_ENTRY(cudaMemset2D)(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return waiting_entry([&](Session& s) { submit_fill(s, rows(to, pitch), value, {width, height}, nullptr); });
}
HEDDLE_ENTRY(cudaMemset2DAsync)
(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream) {
  return entry([&](Session& s) { submit_fill(s, rows(to, pitch), value, {width, height}, stream); });
}
HEDDLE_ENTRY(cudaMemset3D)(cudaPitchedPtr p, int value, cudaExtent e) {
  return waiting_entry([&](Session& s) {
    submit_fill(s, rows(p.ptr, p.pitch, p.ysize), value, {e.width, e.height, e.depth}, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemset3DAsync)(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t stream) {
  return entry([&](Session& s) {
    submit_fill(s, rows(p.ptr, p.pitch, p.ysize), value, {e.width, e.height, e.depth}, stream);
  });
}

// ---- variables --------------------------------------------------------------------------------------------

HEDDLE_ENTRY(cudaMemcpyToSymbol)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) wrong_symbol_direction(kind);
    submit_copy(s, symbol_address(s, symbol, bytes, offset), from, bytes, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
 cudaStream_t stream) {
  return entry([&](Session& s) {
    submit_copy(s, symbol_address(s, symbol, bytes, offset), from, bytes, kind, stream);
  });
}
HEDDLE_ENTRY(cudaMemcpyFromSymbol)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) wrong_symbol_direction(kind);
    submit_copy(s, to, symbol_address(s, symbol, bytes, offset), bytes, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
 cudaStream_t stream) {
  return entry(
      [&](Session& s) { submit_copy(s, to, symbol_address(s, symbol, bytes, offset), bytes, kind, stream); });
}
HEDDLE_ENTRY(cudaGetSymbolAddress)(void** p, const void* symbol) {
  return entry([&](Session& s) { *p = symbol_address(s, symbol, 0, 0); });
}
HEDDLE_ENTRY(cudaGetSymbolSize)(std::size_t* bytes, const void* symbol) {
  return entry([&](Session& s) { *bytes = find_symbol(s, symbol).bytes; });
}

}  // namespace heddle::runtime
