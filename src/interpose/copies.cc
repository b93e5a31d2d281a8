#include "interpose/copies.h"

#include <memory>

#include "base/hash.h"
#include "interpose/entry.h"

namespace heddle::interpose {
namespace {

int memory_type(CUdeviceptr p) {
  unsigned type = 0;
  const CUresult code =
      call(driver().cuPointerGetAttribute, static_cast<void*>(&type), kPointerMemoryType, p);
  return code == kSuccess ? static_cast<int>(type) : kMemoryHost;  // the driver does not know it
}

bool is_managed(CUdeviceptr p) {
  unsigned managed = 0;
  return call(driver().cuPointerGetAttribute, static_cast<void*>(&managed), kPointerIsManaged, p) ==
             kSuccess &&
         managed != 0;
}

bool from_device(const CopySide3d& side) {
  return side.type == kMemoryDevice || side.type == kMemoryArray ||
         (side.type == kMemoryUnified && is_device(side.device));
}

struct LateCopy {
  HostBox box;
  std::size_t number;
};

// Called by a thread of the driver, in which nothing may be asked of the device.
void hash_late(void* data) {
  const std::unique_ptr<LateCopy> late(static_cast<LateCopy*>(data));
  Session::get().set_hash(late->number, late->box.hash());
  Session::get().hash_came();
}

}  // namespace

bool is_host(CUdeviceptr p) {
  return memory_type(p) == kMemoryHost && !is_managed(p);
}

bool is_device(CUdeviceptr p) {
  return memory_type(p) == kMemoryDevice;
}

std::uint64_t HostBox::hash() const {
  Hasher h;
  const auto* const first = static_cast<const char*>(at);
  if (pitch == width && (depth == 1 || layer == pitch * height)) {
    h.add(first, bytes());
    return h.value();
  }
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y) h.add(first + z * layer + y * pitch, width);
  return h.value();
}

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D& c) {
  const auto side = [](const CopySide2d& s) {
    return CopySide3d{s.x, s.y, 0, 0, s.type, s.host, s.device, s.array, nullptr, s.pitch, 0};
  };
  return {side(c.from), side(c.to), c.width, c.height, 1};
}

HostBox host_box(const CUDA_MEMCPY3D& c) {
  const CopySide3d& to = c.to;
  const bool host = to.type == kMemoryHost || (to.type == kMemoryUnified && is_host(to.device));
  if (!host || !from_device(c.from)) return {};
  HostBox box;
  box.width = c.width;
  box.height = c.height;
  box.depth = c.depth;
  box.pitch = to.pitch != 0 ? to.pitch : to.x + c.width;
  box.layer = box.pitch * (to.height != 0 ? to.height : to.y + c.height);
  const auto* const base =
      to.type == kMemoryHost ? static_cast<const char*>(to.host) : reinterpret_cast<const char*>(to.device);
  box.at = base + to.z * box.layer + to.y * box.pitch + to.x;
  return box;
}

void note_copy(const HostBox& box, CUstream stream) {
  if (box.bytes() == 0) return;
  Session& s = Session::get();
  s.set_hash(s.add_copy(stream, box.bytes()), box.hash());
}

void note_copy_later(const HostBox& box, CUstream stream) {
  if (box.bytes() == 0 || is_capturing(stream)) return;
  Session& s = Session::get();
  auto late = std::make_unique<LateCopy>(LateCopy{box, s.add_copy(stream, box.bytes())});
  s.expect_hash();
  if (call(driver().cuLaunchHostFunc, stream, &hash_late, static_cast<void*>(late.get())) == kSuccess) {
    late.release();
    return;
  }
  s.hash_came();
  s.drop_copy(late->number);
  log("a copy of {} bytes that is not compared", box.bytes());
}

}  // namespace heddle::interpose
