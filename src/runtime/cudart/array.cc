// CUDA arrays, and copies from and to them.
#include <algorithm>

#include "runtime/session/copies.h"
#include "runtime/session/entry.h"

namespace heddle::runtime {
namespace {

// The old one-dimensional copies run on from row to row.
void copy_run(Session& s, Array& a, std::size_t x, std::size_t y, char* linear, std::size_t bytes,
              bool to_array, cudaMemcpyKind kind) {
  const std::uint64_t row = a.extent.width * a.element();
  require(x < row, cudaErrorInvalidValue);
  while (bytes != 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, row - x);
    const Rows there = rows_inside(a, x, y, 0, {piece}), here = rows(linear, piece);
    copy_box(s, to_array ? there : here, to_array ? here : there, {piece}, kind);
    linear += piece;
    bytes -= piece;
    x = 0;
    ++y;
  }
}

void submit_run(Session& s, cudaArray_t array, std::size_t x, std::size_t y, const void* linear,
                std::size_t bytes, bool to_array, cudaMemcpyKind kind, cudaStream_t stream) {
  s.array(array);
  s.submit(stream, NodeType::Memcpy, [=](Session& session) {
    copy_run(session, session.array(array), x, y, static_cast<char*>(const_cast<void*>(linear)), bytes,
             to_array, kind);
  });
}

void submit_to_array(Session& s, cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                     std::size_t pitch, const Box& box, cudaMemcpyKind kind, cudaStream_t stream) {
  submit_box(s, rows_inside(s.array(to), x, y, 0, box), rows(const_cast<void*>(from), pitch), box, kind,
             stream);
}

void submit_from_array(Session& s, void* to, std::size_t pitch, cudaArray_t from, std::size_t x,
                       std::size_t y, const Box& box, cudaMemcpyKind kind, cudaStream_t stream) {
  submit_box(s, rows(to, pitch), rows_inside(s.array(from), x, y, 0, box), box, kind, stream);
}

}  // namespace

HEDDLE_ENTRY(cudaMallocArray)
(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height,
 unsigned flags) {
  return entry([&](Session& s) {
    require(array != nullptr && format != nullptr, cudaErrorInvalidValue);
    *array = s.create_array(*format, {width, height, 0}, flags);
  });
}
HEDDLE_ENTRY(cudaMalloc3DArray)
(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags) {
  return entry([&](Session& s) {
    require(array != nullptr && format != nullptr, cudaErrorInvalidValue);
    *array = s.create_array(*format, extent, flags);
  });
}
HEDDLE_ENTRY(cudaFreeArray)(cudaArray_t array) {
  return waiting_entry([&](Session& s) {
    if (array != nullptr) s.destroy_array(array);
  });
}
HEDDLE_ENTRY(cudaArrayGetInfo)
(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  return entry([&](Session& s) {
    const Array& a = s.array(array);
    if (format != nullptr) *format = a.format;
    if (extent != nullptr) *extent = a.extent;
    if (flags != nullptr) *flags = a.flags;
  });
}
HEDDLE_ENTRY(cudaGetChannelDesc)(cudaChannelFormatDesc* format, cudaArray_t array) {
  return entry([&](Session& s) { *format = s.array(array).format; });
}

HEDDLE_ENTRY(cudaMallocMipmappedArray)
(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned levels,
 unsigned flags) {
  return entry([&](Session& s) {
    require(array != nullptr && format != nullptr, cudaErrorInvalidValue);
    *array = s.create_mipmapped_array(*format, extent, levels, flags);
  });
}
HEDDLE_ENTRY(cudaGetMipmappedArrayLevel)
(cudaArray_t* level, cudaMipmappedArray_t array, unsigned number) {
  return entry([&](Session& s) {
    const MipmappedArray& m = s.mipmapped_array(array);
    require(level != nullptr && number < m.levels.size(), cudaErrorInvalidValue);
    *level = m.levels[number];
  });
}
HEDDLE_ENTRY(cudaFreeMipmappedArray)(cudaMipmappedArray_t array) {
  return waiting_entry([&](Session& s) {
    if (array != nullptr) s.destroy_mipmapped_array(array);
  });
}

HEDDLE_ENTRY(cudaMemcpy2DToArray)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_to_array(s, to, x, y, from, pitch, {width, height}, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DToArrayAsync)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return entry([&](Session& s) { submit_to_array(s, to, x, y, from, pitch, {width, height}, kind, stream); });
}
HEDDLE_ENTRY(cudaMemcpy2DFromArray)
(void* to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y, std::size_t width,
 std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_from_array(s, to, pitch, from, x, y, {width, height}, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DFromArrayAsync)
(void* to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y, std::size_t width,
 std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return entry([&](Session& s) {
    submit_from_array(s, to, pitch, from, x, y, {width, height}, kind, stream);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DArrayToArray)
(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from, std::size_t x, std::size_t y,
 std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    const Box box{width, height};
    submit_box(s, rows_inside(s.array(to), to_x, to_y, 0, box), rows_inside(s.array(from), x, y, 0, box), box,
               kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpyToArray)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) { submit_run(s, to, x, y, from, bytes, true, kind, nullptr); });
}
HEDDLE_ENTRY(cudaMemcpyToArrayAsync)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind,
 cudaStream_t stream) {
  return entry([&](Session& s) { submit_run(s, to, x, y, from, bytes, true, kind, stream); });
}
HEDDLE_ENTRY(cudaMemcpyFromArray)
(void* to, cudaArray_t from, std::size_t x, std::size_t y, std::size_t bytes, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) { submit_run(s, from, x, y, to, bytes, false, kind, nullptr); });
}
HEDDLE_ENTRY(cudaMemcpyFromArrayAsync)
(void* to, cudaArray_t from, std::size_t x, std::size_t y, std::size_t bytes, cudaMemcpyKind kind,
 cudaStream_t stream) {
  return entry([&](Session& s) { submit_run(s, from, x, y, to, bytes, false, kind, stream); });
}

}  // namespace heddle::runtime
