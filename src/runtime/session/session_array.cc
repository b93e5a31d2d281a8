// CUDA arrays and their mipmaps.
#include <algorithm>
#include <bit>

#include "runtime/session/session.h"

namespace heddle::runtime {
namespace {

// 1, 2 or 4 channels of 8, 16 or 32 bits, all of the same size.
void check_format(const cudaChannelFormatDesc& d) {
  if (d.f > cudaChannelFormatKindFloat && d.f != cudaChannelFormatKindNone)
    throw Failure{
        cudaErrorNotSupported,
        "arrays of packed, normalized or compressed formats are not supported: use 8, 16 or 32 bits"};
  const int bits[] = {d.x, d.y, d.z, d.w};
  int channels = 0;
  while (channels < 4 && bits[channels] == d.x && d.x != 0) ++channels;
  require(std::all_of(bits + channels, bits + 4, [](int b) { return b == 0; }),
          cudaErrorInvalidChannelDescriptor);
  require(channels == 1 || channels == 2 || channels == 4, cudaErrorInvalidChannelDescriptor);
  require(d.x == 8 || d.x == 16 || d.x == 32, cudaErrorInvalidChannelDescriptor);
  require(d.f >= cudaChannelFormatKindSigned && d.f <= cudaChannelFormatKindFloat,
          cudaErrorInvalidChannelDescriptor);
  require(d.f != cudaChannelFormatKindFloat || d.x != 8, cudaErrorInvalidChannelDescriptor);
}

void check_extent(const cudaExtent& e, unsigned flags) {
  constexpr std::size_t kLargest = std::size_t{1} << 17, kDeepest = std::size_t{1} << 14;  // as cards have it
  constexpr unsigned kSparse = 0x40, kDeferred = 0x80;
  constexpr unsigned kKnown = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                              cudaArrayTextureGather | cudaArrayColorAttachment;
  if ((flags & (kSparse | kDeferred)) != 0)
    throw Failure{cudaErrorNotSupported, "sparse arrays and arrays that are mapped later are not supported"};
  require((flags & ~kKnown) == 0, cudaErrorInvalidValue);
  require(e.width != 0 && e.width <= kLargest && e.height <= kLargest && e.depth <= kDeepest,
          cudaErrorInvalidValue);
  const bool layered = (flags & cudaArrayLayered) != 0;
  if ((flags & cudaArrayCubemap) != 0) {
    require(e.width == e.height, cudaErrorInvalidValue);
    require(layered ? e.depth != 0 && e.depth % 6 == 0 : e.depth == 6, cudaErrorInvalidValue);
  } else if (layered) {
    require(e.depth != 0, cudaErrorInvalidValue);
  } else {
    require(e.depth == 0 || e.height != 0, cudaErrorInvalidValue);
  }
  if ((flags & cudaArrayTextureGather) != 0)
    require(e.height != 0 && (e.depth == 0 || layered || (flags & cudaArrayCubemap) != 0),
            cudaErrorInvalidValue);
}

exec::TexelBox box_of(const cudaExtent& e, std::uint64_t element) {
  const auto side = [](std::size_t n) { return static_cast<std::uint32_t>(std::max<std::size_t>(n, 1)); };
  return exec::array_box(0, side(e.width), side(e.height), side(e.depth),
                         static_cast<std::uint32_t>(element));
}

std::unique_ptr<Array> make_array(const cudaChannelFormatDesc& format, const cudaExtent& extent,
                                  unsigned flags, const exec::TexelBox& box) {
  auto a = std::make_unique<Array>();
  a->address = box.address;
  a->format = format;
  a->extent = extent;
  a->pitch = box.pitch;
  a->flags = flags;
  return a;
}

}  // namespace

Array& Session::array(cudaArray_t handle) {
  const auto at = arrays_.find(handle);
  if (at == arrays_.end()) throw Failure{cudaErrorInvalidResourceHandle, {}};
  return *at->second;
}

cudaArray_t Session::create_array(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
  check_format(format);
  check_extent(extent, flags);
  auto a = make_array(format, extent, flags, {});
  const exec::TexelBox box = box_of(extent, a->element());
  a->pitch = box.pitch;
  a->address = reinterpret_cast<Address>(allocate(exec::box_bytes(box), MemoryKind::Array, "CUDA array"));
  const cudaArray_t handle = a.get();
  arrays_[handle] = std::move(a);
  return handle;
}

void Session::destroy_array(cudaArray_t handle) {
  Array& a = array(handle);
  require(a.level_of == nullptr, cudaErrorInvalidValue);  // its memory belongs to a mipmapped array
  release(reinterpret_cast<void*>(a.address), {MemoryKind::Array}, cudaErrorInvalidValue);
  arrays_.erase(handle);
}

MipmappedArray& Session::mipmapped_array(cudaMipmappedArray_t handle) {
  const auto at = mipmapped_arrays_.find(handle);
  if (at == mipmapped_arrays_.end()) throw Failure{cudaErrorInvalidResourceHandle, {}};
  return *at->second;
}

cudaMipmappedArray_t Session::create_mipmapped_array(const cudaChannelFormatDesc& format, cudaExtent extent,
                                                     unsigned levels, unsigned flags) {
  check_format(format);
  check_extent(extent, flags);
  const bool keep_depth = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const std::size_t longest = std::max({extent.width, extent.height, keep_depth ? 0 : extent.depth});
  const auto most = static_cast<unsigned>(std::bit_width(longest));
  levels = std::clamp(levels, 1u, most);
  const std::uint64_t element = make_array(format, extent, flags, {})->element();
  const auto bytes_of_texel = static_cast<std::uint32_t>(element);
  exec::TexelBox box = box_of(extent, element);
  std::vector<exec::TexelBox> boxes = {box};
  while (boxes.size() < levels) boxes.push_back(box = exec::next_level(box, bytes_of_texel, keep_depth));
  auto m = std::make_unique<MipmappedArray>();
  const std::uint64_t bytes = box.address + exec::box_bytes(box);
  m->address = reinterpret_cast<Address>(allocate(bytes, MemoryKind::Array, "mipmapped CUDA array"));
  for (exec::TexelBox& b : boxes) {
    b.address += m->address;
    // Sides that the array does not have stay 0.
    const cudaExtent e{b.width, extent.height == 0 ? 0 : b.height, extent.depth == 0 ? 0 : b.depth};
    auto level = make_array(format, e, flags, b);
    level->level_of = m.get();
    m->levels.push_back(level.get());
    arrays_[level.get()] = std::move(level);
  }
  const cudaMipmappedArray_t handle = m.get();
  mipmapped_arrays_[handle] = std::move(m);
  return handle;
}

void Session::destroy_mipmapped_array(cudaMipmappedArray_t handle) {
  MipmappedArray& m = mipmapped_array(handle);
  release(reinterpret_cast<void*>(m.address), {MemoryKind::Array}, cudaErrorInvalidValue);
  for (const cudaArray_t level : m.levels) arrays_.erase(level);
  mipmapped_arrays_.erase(handle);
}

}  // namespace heddle::runtime
