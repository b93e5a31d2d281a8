// Driver interface: copies of rectangles and boxes, and from and to arrays.
#include "runtime/driver/array.h"
#include "runtime/session/copies.h"

namespace heddle::runtime {
namespace {

enum CUmemorytype : int {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};

struct Copy2dSide {
  std::size_t x, y;  // bytes, rows
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch;
};
struct CUDA_MEMCPY2D {
  Copy2dSide src, dst;
  std::size_t WidthInBytes, Height;
};
static_assert(sizeof(CUDA_MEMCPY2D) == 128);

struct Copy3dSide {
  std::size_t x, y, z, level;
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  void* reserved;
  std::size_t pitch, height;
};
struct CUDA_MEMCPY3D {
  Copy3dSide src, dst;
  std::size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUDA_MEMCPY3D) == 200);

Copy3dSide flat(const Copy2dSide& s) {
  return {s.x, s.y, 0, 0, s.type, s.host, s.device, s.array, nullptr, s.pitch, 0};
}

Rows rows_of(Session& s, const Copy3dSide& side, const Box& box) {
  require(side.level == 0, cudaErrorInvalidValue);
  if (side.type == CU_MEMORYTYPE_ARRAY) return rows_inside(s.array(side.array), side.x, side.y, side.z, box);
  require(side.type >= CU_MEMORYTYPE_HOST && side.type <= CU_MEMORYTYPE_UNIFIED, cudaErrorInvalidValue);
  // A pitch of 0 means rows without gaps.
  const std::size_t pitch = side.pitch != 0 ? side.pitch : side.x + box.width;
  require(pitch >= side.x + box.width || box.height <= 1, cudaErrorInvalidValue);
  Rows r = rows(side.type == CU_MEMORYTYPE_HOST ? side.host : pointer(side.device), pitch,
                side.height != 0 ? side.height : side.y + box.height);
  r.at += side.z * r.layer + side.y * r.pitch + side.x;
  return r;
}

cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from) {
  if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool to_host = to == CU_MEMORYTYPE_HOST, from_host = from == CU_MEMORYTYPE_HOST;
  return to_host ? (from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost)
                 : (from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice);
}

void submit_sides(Session& s, const Copy3dSide& to, const Copy3dSide& from, const Box& box,
                  cudaStream_t stream) {
  submit_box(s, rows_of(s, to, box), rows_of(s, from, box), box, kind_of(to.type, from.type), stream);
}

void submit_2d(Session& s, const CUDA_MEMCPY2D* p, cudaStream_t stream) {
  require(p != nullptr, cudaErrorInvalidValue);
  submit_sides(s, flat(p->dst), flat(p->src), {p->WidthInBytes, p->Height}, stream);
}

void submit_3d(Session& s, const CUDA_MEMCPY3D* p, cudaStream_t stream) {
  require(p != nullptr, cudaErrorInvalidValue);
  submit_sides(s, p->dst, p->src, {p->WidthInBytes, p->Height, p->Depth}, stream);
}

// Of one-dimensional arrays.
Copy3dSide side_of(CUarray array, std::size_t x) {
  return {x, 0, 0, 0, CU_MEMORYTYPE_ARRAY, nullptr, 0, array, nullptr, 0, 0};
}
Copy3dSide side_of(const void* p, CUmemorytype type) {
  return {0, 0, 0, 0, type, const_cast<void*>(p), reinterpret_cast<CUdeviceptr>(p), nullptr, nullptr, 0, 0};
}

}  // namespace

HEDDLE_ENTRY(cuMemcpy2D)(const CUDA_MEMCPY2D* p) {
  return waiting_driver_entry([&](Session& s) { submit_2d(s, p, nullptr); });
}
HEDDLE_ENTRY(cuMemcpy2DUnaligned)(const CUDA_MEMCPY2D* p) {
  return heddle_cuMemcpy2D(p);
}
HEDDLE_ENTRY(cuMemcpy2DAsync)(const CUDA_MEMCPY2D* p, cudaStream_t stream) {
  return driver_entry([&](Session& s) { submit_2d(s, p, stream); });
}
HEDDLE_ENTRY(cuMemcpy3D)(const CUDA_MEMCPY3D* p) {
  return waiting_driver_entry([&](Session& s) { submit_3d(s, p, nullptr); });
}
HEDDLE_ENTRY(cuMemcpy3DAsync)(const CUDA_MEMCPY3D* p, cudaStream_t stream) {
  return driver_entry([&](Session& s) { submit_3d(s, p, stream); });
}

HEDDLE_ENTRY(cuMemcpyHtoA)(CUarray to, std::size_t x, const void* from, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    submit_sides(s, side_of(to, x), side_of(from, CU_MEMORYTYPE_HOST), {bytes}, nullptr);
  });
}
HEDDLE_ENTRY(cuMemcpyAtoH)(void* to, CUarray from, std::size_t x, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    submit_sides(s, side_of(to, CU_MEMORYTYPE_HOST), side_of(from, x), {bytes}, nullptr);
  });
}
HEDDLE_ENTRY(cuMemcpyDtoA)(CUarray to, std::size_t x, CUdeviceptr from, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    submit_sides(s, side_of(to, x), side_of(pointer(from), CU_MEMORYTYPE_DEVICE), {bytes}, nullptr);
  });
}
HEDDLE_ENTRY(cuMemcpyAtoD)(CUdeviceptr to, CUarray from, std::size_t x, std::size_t bytes) {
  return waiting_driver_entry([&](Session& s) {
    submit_sides(s, side_of(pointer(to), CU_MEMORYTYPE_DEVICE), side_of(from, x), {bytes}, nullptr);
  });
}
HEDDLE_ENTRY(cuMemcpyAtoA)(CUarray to, std::size_t to_x, CUarray from, std::size_t x, std::size_t bytes) {
  return waiting_driver_entry(
      [&](Session& s) { submit_sides(s, side_of(to, to_x), side_of(from, x), {bytes}, nullptr); });
}

}  // namespace heddle::runtime
