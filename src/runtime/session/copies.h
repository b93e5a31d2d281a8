// Copies of rectangles and boxes, for all entry points that make them.
#pragma once

#include "runtime/session/session.h"

namespace heddle::runtime {

// Rows of one side: where the first begins, and how far rows and layers are apart.
struct Rows {
  char* at = nullptr;
  std::uint64_t pitch = 0, layer = 0;  // bytes
};

Rows rows(void* p, std::uint64_t pitch, std::uint64_t height = 0);
// From element (x bytes, y, z) of an array on.
Rows rows(const Array& array, std::uint64_t x, std::uint64_t y, std::uint64_t z = 0);

// `width` in bytes.
struct Box {
  std::uint64_t width = 0, height = 1, depth = 1;
};
// The same for a box that must lie in the array. Throws Failure, as all that follow.
Rows rows_inside(const Array& array, std::uint64_t x, std::uint64_t y, std::uint64_t z, const Box& box);
void copy_box(Session& s, const Rows& to, const Rows& from, const Box& box, cudaMemcpyKind kind);
void fill_box(Session& s, const Rows& to, int value, const Box& box);
void copy_3d(Session& s, const cudaMemcpy3DParms& p);

// The same in the order of a stream.
void submit_copy(Session& s, void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream);
void submit_box(Session& s, const Rows& to, const Rows& from, const Box& box, cudaMemcpyKind kind,
                cudaStream_t stream);
void submit_fill(Session& s, const Rows& to, int value, const Box& box, cudaStream_t stream);

}  // namespace heddle::runtime
