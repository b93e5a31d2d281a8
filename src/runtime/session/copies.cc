#include "runtime/session/copies.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::runtime {

static void check_pitch(const char* what, std::uint64_t width, std::uint64_t pitch) {
  if (pitch >= width) return;
  refuse(what, "its rows are wider than their pitch",
         fmt::format("a {} with rows of {} bytes, which are {} bytes apart", what, width, pitch),
         cudaErrorInvalidPitchValue);
}

Rows rows(void* p, std::uint64_t pitch, std::uint64_t height) {
  return {static_cast<char*>(p), pitch, pitch * height};
}

Rows rows(const Array& a, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  const std::uint64_t layer = a.pitch * a.rows();
  return {reinterpret_cast<char*>(a.address + z * layer + y * a.pitch + x), a.pitch, layer};
}

Rows rows_inside(const Array& a, std::uint64_t x, std::uint64_t y, std::uint64_t z, const Box& box) {
  const auto inside = [](std::uint64_t at, std::uint64_t n, std::uint64_t size) {
    return at <= size && n <= size - at;
  };
  const std::uint64_t width = a.extent.width * a.element();
  if (!inside(x, box.width, width) || !inside(y, box.height, a.rows()) || !inside(z, box.depth, a.layers()))
    refuse("copy", "it is not all inside an array",
           fmt::format(
               "a copy of {} bytes x {} x {} at {}, {}, {} is not all inside an array of {} bytes x {} x {}",
               box.width, box.height, box.depth, x, y, z, width, a.rows(), a.layers()));
  return rows(a, x, y, z);
}

void copy_box(Session& s, const Rows& to, const Rows& from, const Box& box, cudaMemcpyKind kind) {
  if (box.width == 0 || box.height == 0 || box.depth == 0) return;
  const bool flat = box.height == 1;
  if (!flat) check_pitch("copy", box.width, std::min(to.pitch, from.pitch));
  // Rows without gaps are one piece.
  const bool solid = to.pitch == box.width && from.pitch == box.width;
  for (std::uint64_t z = 0; z < box.depth; ++z) {
    char* const t = to.at + z * to.layer;
    const char* const f = from.at + z * from.layer;
    if (solid) {
      s.copy(t, f, box.width * box.height, kind);
      continue;
    }
    for (std::uint64_t y = 0; y < box.height; ++y)
      s.copy(t + y * to.pitch, f + y * from.pitch, box.width, kind);
  }
}

void fill_box(Session& s, const Rows& to, int value, const Box& box) {
  if (box.height > 1) check_pitch("fill", box.width, to.pitch);
  for (std::uint64_t z = 0; z < box.depth; ++z)
    for (std::uint64_t y = 0; y < box.height; ++y)
      s.fill(to.at + z * to.layer + y * to.pitch, value, box.width);
}

void copy_3d(Session& s, const cudaMemcpy3DParms& p) {
  // With an array on either side, x and width count elements, else bytes.
  const Array* to_array = p.dstArray != nullptr ? &s.array(p.dstArray) : nullptr;
  const Array* from_array = p.srcArray != nullptr ? &s.array(p.srcArray) : nullptr;
  const std::uint64_t unit = to_array != nullptr     ? to_array->element()
                             : from_array != nullptr ? from_array->element()
                                                     : 1;
  if (to_array != nullptr && from_array != nullptr && to_array->element() != from_array->element())
    refuse("copy", "elements of its arrays differ in size",
           fmt::format("a copy from an array with elements of {} bytes to one of {}", from_array->element(),
                       to_array->element()));
  const Box box{p.extent.width * unit, p.extent.height, p.extent.depth};
  auto side = [&](const Array* a, const cudaPos& at, const cudaPitchedPtr& p3) {
    if (a != nullptr) return rows_inside(*a, at.x * unit, at.y, at.z, box);
    Rows r = rows(p3.ptr, p3.pitch, p3.ysize);
    r.at += at.z * r.layer + at.y * r.pitch + at.x;  // the element of a pointer is a byte
    return r;
  };
  copy_box(s, side(to_array, p.dstPos, p.dstPtr), side(from_array, p.srcPos, p.srcPtr), box, p.kind);
}

void submit_copy(Session& s, void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  s.check_copy(to, from, bytes, kind);
  s.submit(stream, NodeType::Memcpy, [=](Session& session) { session.copy(to, from, bytes, kind); });
}

void submit_box(Session& s, const Rows& to, const Rows& from, const Box& box, cudaMemcpyKind kind,
                cudaStream_t stream) {
  s.submit(stream, NodeType::Memcpy, [=](Session& session) { copy_box(session, to, from, box, kind); });
}

void submit_fill(Session& s, const Rows& to, int value, const Box& box, cudaStream_t stream) {
  s.submit(stream, NodeType::Memset, [=](Session& session) { fill_box(session, to, value, box); });
}

}  // namespace heddle::runtime
