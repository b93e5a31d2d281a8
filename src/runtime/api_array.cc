// CUDA arrays, texture and surface objects.
#include <cstring>

#include "runtime/copies.h"
#include "runtime/entry.h"

namespace heddle::runtime {
namespace {

// The old one-dimensional copies run on from row to row.
void copy_run(Session& s, Array& a, std::size_t x, std::size_t y, char* linear, std::size_t bytes,
              bool to_array, cudaMemcpyKind kind) {
  const std::uint64_t row = a.extent.width * a.element();
  while (bytes != 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, row - x);
    const Rows there = rows(a, x, y), here = rows(linear, piece);
    copy_box(s, to_array ? there : here, to_array ? here : there, {piece}, kind);
    linear += piece;
    bytes -= piece;
    x = 0;
    ++y;
  }
}

void set_format(exec::Texture& t, const cudaChannelFormatDesc& d) {
  const int channels = (d.x != 0) + (d.y != 0) + (d.z != 0) + (d.w != 0);
  const bool known =
      (d.x == 8 || d.x == 16 || d.x == 32) && (channels == 1 || channels == 2 || channels == 4);
  if (!known || (d.f == cudaChannelFormatKindFloat && d.x == 16))
    throw Failure{cudaErrorNotSupported, "textures hold 1, 2 or 4 channels of 8, 16 or 32 bits (half: not)"};
  t.channel_bits = static_cast<std::uint8_t>(d.x);
  t.channels = static_cast<std::uint8_t>(channels);
  t.format = d.f == cudaChannelFormatKindSigned     ? exec::TexelFormat::Signed
             : d.f == cudaChannelFormatKindUnsigned ? exec::TexelFormat::Unsigned
                                                    : exec::TexelFormat::Float;
}

void set_resource(Session& s, exec::Texture& t, const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray: {
      const Array& a = s.array(r.res.array.array);
      if (a.extent.depth != 0)
        throw Failure{cudaErrorNotSupported, "textures of three dimensions or layers are not supported"};
      set_format(t, a.format);
      t.address = a.address;
      t.width = static_cast<std::uint32_t>(a.extent.width);
      t.height = static_cast<std::uint32_t>(a.rows());
      t.pitch = a.pitch;
      return;
    }
    case cudaResourceTypeLinear:
      set_format(t, r.res.linear.desc);
      t.address = reinterpret_cast<Address>(r.res.linear.devPtr);
      t.pitch = r.res.linear.sizeInBytes;
      t.width = static_cast<std::uint32_t>(r.res.linear.sizeInBytes / (t.channel_bits / 8u * t.channels));
      return;
    case cudaResourceTypePitch2D:
      set_format(t, r.res.pitch2D.desc);
      t.address = reinterpret_cast<Address>(r.res.pitch2D.devPtr);
      t.pitch = r.res.pitch2D.pitchInBytes;
      t.width = static_cast<std::uint32_t>(r.res.pitch2D.width);
      t.height = static_cast<std::uint32_t>(r.res.pitch2D.height);
      return;
    default:
      throw Failure{cudaErrorNotSupported, "mipmapped textures are not supported"};
  }
}

exec::TexAddress address_mode(int mode) {
  constexpr exec::TexAddress kModes[] = {exec::TexAddress::Wrap, exec::TexAddress::Clamp,
                                         exec::TexAddress::Mirror, exec::TexAddress::Border};
  require(mode >= 0 && mode <= 3, cudaErrorInvalidValue);
  return kModes[mode];
}

}  // namespace

HEDDLE_ENTRY_RETURNING(cudaChannelFormatDesc, cudaCreateChannelDesc)
(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

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

HEDDLE_ENTRY(cudaMemcpy2DToArray)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_box(s, rows(s.array(to), x, y), rows(const_cast<void*>(from), pitch), {width, height}, kind,
               nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DToArrayAsync)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
 std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return entry([&](Session& s) {
    submit_box(s, rows(s.array(to), x, y), rows(const_cast<void*>(from), pitch), {width, height}, kind,
               stream);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DFromArray)
(void* to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y, std::size_t width,
 std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_box(s, rows(to, pitch), rows(s.array(from), x, y), {width, height}, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpy2DArrayToArray)
(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from, std::size_t x, std::size_t y,
 std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    submit_box(s, rows(s.array(to), to_x, to_y), rows(s.array(from), x, y), {width, height}, kind, nullptr);
  });
}
HEDDLE_ENTRY(cudaMemcpyToArray)
(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return waiting_entry([&](Session& s) {
    copy_run(s, s.array(to), x, y, static_cast<char*>(const_cast<void*>(from)), bytes, true, kind);
  });
}
HEDDLE_ENTRY(cudaMemcpyFromArray)
(void* to, cudaArray_t from, std::size_t x, std::size_t y, std::size_t bytes, cudaMemcpyKind kind) {
  return waiting_entry(
      [&](Session& s) { copy_run(s, s.array(from), x, y, static_cast<char*>(to), bytes, false, kind); });
}

HEDDLE_ENTRY(cudaCreateTextureObject)
(unsigned long long* object, const cudaResourceDesc* resource, const cudaTextureDesc* d, const void*) {
  return entry([&](Session& s) {
    require(object != nullptr && resource != nullptr && d != nullptr, cudaErrorInvalidValue);
    exec::Texture t;
    set_resource(s, t, *resource);
    t.normalized_coordinates = d->normalizedCoords != 0;
    t.normalized_values = d->readMode != 0;
    t.filter = d->filterMode != 0 ? exec::TexFilter::Linear : exec::TexFilter::Point;
    t.address_u = address_mode(d->addressMode[0]);
    t.address_v = address_mode(d->addressMode[1]);
    // Wrap and mirror need normalized coordinates; cards clamp without.
    for (exec::TexAddress* mode : {&t.address_u, &t.address_v})
      if (!t.normalized_coordinates && (*mode == exec::TexAddress::Wrap || *mode == exec::TexAddress::Mirror))
        *mode = exec::TexAddress::Clamp;
    *object = s.simulator().create_texture(t);
    s.textures()[*object] = {*resource, *d};
  });
}
HEDDLE_ENTRY(cudaDestroyTextureObject)(unsigned long long object) {
  return entry([&](Session& s) {
    if (s.textures().erase(object) != 0) s.simulator().destroy_texture(object);
  });
}
HEDDLE_ENTRY(cudaGetTextureObjectResourceDesc)(cudaResourceDesc* resource, unsigned long long object) {
  return entry([&](Session& s) {
    require(s.textures().contains(object), cudaErrorInvalidValue);
    *resource = s.textures()[object].resource;
  });
}
HEDDLE_ENTRY(cudaGetTextureObjectTextureDesc)(cudaTextureDesc* d, unsigned long long object) {
  return entry([&](Session& s) {
    require(s.textures().contains(object), cudaErrorInvalidValue);
    *d = s.textures()[object].texture;
  });
}

}  // namespace heddle::runtime
