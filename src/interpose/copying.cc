// Copies to the host, as programs ask for them.
#include "interpose/copies.h"
#include "interpose/entry.h"

namespace heddle::interpose {
namespace {

HostBox row(const void* at, std::size_t bytes) {
  HostBox box;
  box.at = at;
  box.width = box.pitch = bytes;
  return box;
}

HostBox between(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return is_device(from) && is_host(to) ? row(reinterpret_cast<const void*>(to), bytes) : HostBox{};
}

template <class Box, class F, class... Args>
CUresult copied(Box&& box, CUstream stream, F* function, Args... args) {
  const CUresult code = call(function, args...);
  if (code == kSuccess && watching()) quietly([&] { note_copy(box(), stream); });
  return code;
}

template <class Box, class F, class... Args>
CUresult copied_later(Box&& box, CUstream stream, F* function, Args... args) {
  const CUresult code = call(function, args..., stream);
  if (code == kSuccess && watching())
    quietly([&] {
      const RelaxedCapture relaxed;
      note_copy_later(box(), stream);
    });
  return code;
}

}  // namespace

HEDDLE_INTERPOSED CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return copied([=] { return row(to, bytes); }, nullptr, driver().cuMemcpyDtoH_v2, to, from, bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyDtoH_v2_ptds(void* to, CUdeviceptr from, std::size_t bytes) {
  return copied([=] { return row(to, bytes); }, kPerThreadStream, driver().cuMemcpyDtoH_v2_ptds, to, from,
                bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                                CUstream stream) {
  return copied_later([=] { return row(to, bytes); }, stream, driver().cuMemcpyDtoHAsync_v2, to, from, bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyDtoHAsync_v2_ptsz(void* to, CUdeviceptr from, std::size_t bytes,
                                                     CUstream stream) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, of_thread(stream));
}
HEDDLE_INTERPOSED CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copied([=] { return between(to, from, bytes); }, nullptr, driver().cuMemcpy, to, from, bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copied([=] { return between(to, from, bytes); }, kPerThreadStream, driver().cuMemcpy_ptds, to, from,
                bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                         CUstream stream) {
  return copied_later([=] { return between(to, from, bytes); }, stream, driver().cuMemcpyAsync, to, from,
                      bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                              CUstream stream) {
  return cuMemcpyAsync(to, from, bytes, of_thread(stream));
}
HEDDLE_INTERPOSED CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t at, std::size_t bytes) {
  return copied([=] { return row(to, bytes); }, nullptr, driver().cuMemcpyAtoH_v2, to, from, at, bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyAtoH_v2_ptds(void* to, CUarray from, std::size_t at, std::size_t bytes) {
  return copied([=] { return row(to, bytes); }, kPerThreadStream, driver().cuMemcpyAtoH_v2_ptds, to, from, at,
                bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t at, std::size_t bytes,
                                                CUstream stream) {
  return copied_later([=] { return row(to, bytes); }, stream, driver().cuMemcpyAtoHAsync_v2, to, from, at,
                      bytes);
}
HEDDLE_INTERPOSED CUresult cuMemcpyAtoHAsync_v2_ptsz(void* to, CUarray from, std::size_t at,
                                                     std::size_t bytes, CUstream stream) {
  return cuMemcpyAtoHAsync_v2(to, from, at, bytes, of_thread(stream));
}
HEDDLE_INTERPOSED CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  return copied([=] { return host_box(flat(*copy)); }, nullptr, driver().cuMemcpy2D_v2, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* copy) {
  return copied([=] { return host_box(flat(*copy)); }, kPerThreadStream, driver().cuMemcpy2D_v2_ptds, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  return copied([=] { return host_box(flat(*copy)); }, nullptr, driver().cuMemcpy2DUnaligned_v2, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* copy) {
  return copied([=] { return host_box(flat(*copy)); }, kPerThreadStream, driver().cuMemcpy2DUnaligned_v2_ptds,
                copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copied_later([=] { return host_box(flat(*copy)); }, stream, driver().cuMemcpy2DAsync_v2, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return cuMemcpy2DAsync_v2(copy, of_thread(stream));
}
HEDDLE_INTERPOSED CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  return copied([=] { return host_box(*copy); }, nullptr, driver().cuMemcpy3D_v2, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* copy) {
  return copied([=] { return host_box(*copy); }, kPerThreadStream, driver().cuMemcpy3D_v2_ptds, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copied_later([=] { return host_box(*copy); }, stream, driver().cuMemcpy3DAsync_v2, copy);
}
HEDDLE_INTERPOSED CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return cuMemcpy3DAsync_v2(copy, of_thread(stream));
}

}  // namespace heddle::interpose
