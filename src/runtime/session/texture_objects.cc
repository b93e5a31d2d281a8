#include "runtime/session/texture_objects.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {
namespace {

void set_format(exec::Texture& t, const cudaChannelFormatDesc& d) {
  const int channels = (d.x != 0) + (d.y != 0) + (d.z != 0) + (d.w != 0);
  const bool known = (d.x == 8 || d.x == 16 || d.x == 32) &&
                     (channels == 1 || channels == 2 || channels == 4) &&
                     d.f >= cudaChannelFormatKindSigned && d.f <= cudaChannelFormatKindFloat;
  require(known && !(d.f == cudaChannelFormatKindFloat && d.x == 8), cudaErrorInvalidChannelDescriptor);
  t.channel_bits = static_cast<std::uint8_t>(d.x);
  t.channels = static_cast<std::uint8_t>(channels);
  t.format = d.f == cudaChannelFormatKindSigned     ? exec::TexelFormat::Signed
             : d.f == cudaChannelFormatKindUnsigned ? exec::TexelFormat::Unsigned
                                                    : exec::TexelFormat::Float;
}

void set_array(exec::Texture& t, const Array& a) {
  set_format(t, a.format);
  t.address = a.address;
  t.width = static_cast<std::uint32_t>(a.extent.width);
  t.height = static_cast<std::uint32_t>(a.rows());
  t.depth = static_cast<std::uint32_t>(a.layers());
  t.pitch = a.pitch;
  t.slice = a.pitch * a.rows();
  t.layered = a.has(cudaArrayLayered);
  t.cube = a.has(cudaArrayCubemap);
}

constexpr std::size_t kLargestLinear = std::size_t{1} << 28;  // cudaDeviceProp::maxTexture1DLinear

void set_linear(exec::Texture& t, const cudaResourceDesc& r) {
  const auto& linear = r.res.linear;
  require(linear.devPtr != nullptr && linear.sizeInBytes != 0, cudaErrorInvalidValue);
  set_format(t, linear.desc);
  t.address = reinterpret_cast<Address>(linear.devPtr);
  t.pitch = t.slice = linear.sizeInBytes;
  const std::size_t texels = linear.sizeInBytes / t.texel_bytes();
  require(texels != 0 && texels <= kLargestLinear, cudaErrorInvalidValue);
  t.width = static_cast<std::uint32_t>(texels);
}

void set_pitched(exec::Texture& t, const cudaResourceDesc& r) {
  constexpr std::size_t kAlignment = 32;  // cudaDeviceProp::texturePitchAlignment
  const auto& rows = r.res.pitch2D;
  set_format(t, rows.desc);
  require(rows.devPtr != nullptr && rows.width != 0 && rows.height != 0, cudaErrorInvalidValue);
  require(rows.pitchInBytes % kAlignment == 0 && rows.pitchInBytes >= rows.width * t.texel_bytes(),
          cudaErrorInvalidValue);
  t.address = reinterpret_cast<Address>(rows.devPtr);
  t.pitch = rows.pitchInBytes;
  t.slice = rows.pitchInBytes * rows.height;
  t.width = static_cast<std::uint32_t>(rows.width);
  t.height = static_cast<std::uint32_t>(rows.height);
}

void set_resource(Session& s, exec::Texture& t, const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      return set_array(t, s.array(r.res.array.array));
    case cudaResourceTypeMipmappedArray: {
      const MipmappedArray& m = s.mipmapped_array(r.res.mipmap.mipmap);
      set_array(t, s.array(m.levels.front()));
      t.levels = static_cast<std::uint8_t>(m.levels.size());
      return;
    }
    case cudaResourceTypeLinear:
      return set_linear(t, r);
    case cudaResourceTypePitch2D:
      return set_pitched(t, r);
  }
  throw Failure{cudaErrorInvalidValue, {}};
}

exec::TexAddress address_mode(int mode, bool normalized) {
  constexpr exec::TexAddress kModes[] = {exec::TexAddress::Wrap, exec::TexAddress::Clamp,
                                         exec::TexAddress::Mirror, exec::TexAddress::Border};
  require(mode >= 0 && mode <= 3, cudaErrorInvalidValue);
  // Wrap and mirror need normalized coordinates; cards clamp without.
  if (!normalized && (mode == 0 || mode == 2)) return exec::TexAddress::Clamp;
  return kModes[mode];
}

exec::TexFilter filter_mode(int mode) {
  require(mode == 0 || mode == 1, cudaErrorInvalidValue);
  return mode != 0 ? exec::TexFilter::Linear : exec::TexFilter::Point;
}

void set_border(exec::Texture& t, const cudaTextureDesc& d) {
  std::copy_n(d.borderColor, 4, t.border.begin());
  const bool zero = std::all_of(t.border.begin(), t.border.end(), [](float f) { return f == 0; });
  const bool asked = t.address_u == exec::TexAddress::Border || t.address_v == exec::TexAddress::Border ||
                     t.address_w == exec::TexAddress::Border;
  if (asked && !zero && !t.as_float())
    throw Failure{cudaErrorNotSupported, "borders other than zero of textures of integers are not supported"};
}

void set_sampling(exec::Texture& t, const cudaTextureDesc& d) {
  const bool integers = t.format != exec::TexelFormat::Float;
  t.normalized_coordinates = d.normalizedCoords != 0;
  require(d.readMode == 0 || d.readMode == 1, cudaErrorInvalidValue);
  require(d.readMode == 0 || !integers || t.channel_bits <= 16, cudaErrorInvalidNormSetting);
  t.normalized_values = d.readMode != 0 && integers;
  t.filter = filter_mode(d.filterMode);
  require(t.filter == exec::TexFilter::Point || t.as_float(), cudaErrorInvalidFilterSetting);
  t.address_u = address_mode(d.addressMode[0], t.normalized_coordinates);
  t.address_v = address_mode(d.addressMode[1], t.normalized_coordinates);
  t.address_w = address_mode(d.addressMode[2], t.normalized_coordinates);
  t.srgb =
      d.sRGB != 0 && t.normalized_values && t.channel_bits == 8 && t.format == exec::TexelFormat::Unsigned;
  if (d.seamlessCubemap != 0 && t.cube && t.filter == exec::TexFilter::Linear)
    throw Failure{cudaErrorNotSupported,
                  "filtering across the edges of a cube map (seamlessCubemap) is not supported"};
  set_border(t, d);
  t.mip_filter = filter_mode(d.mipmapFilterMode);
  t.mip_bias = d.mipmapLevelBias;
  t.min_level = d.minMipmapLevelClamp;
  t.max_level = d.maxMipmapLevelClamp;
}

}  // namespace

std::uint64_t create_texture_object(Session& s, const cudaResourceDesc& resource,
                                    const cudaTextureDesc& texture) {
  exec::Texture t;
  set_resource(s, t, resource);
  set_sampling(t, texture);
  const std::uint64_t object = s.simulator().create_texture(t);
  s.textures()[object] = {resource, texture};
  return object;
}

std::uint64_t create_surface_object(Session& s, const cudaResourceDesc& resource) {
  require(resource.resType == cudaResourceTypeArray, cudaErrorInvalidValue);
  // The card makes one of arrays without cudaArraySurfaceLoadStore, too.
  exec::Texture t;
  set_array(t, s.array(resource.res.array.array));
  t.surface = true;
  const std::uint64_t object = s.simulator().create_texture(t);
  s.surfaces()[object] = resource;
  return object;
}

void destroy_texture_object(Session& s, std::uint64_t object) {
  if (s.textures().erase(object) != 0) s.simulator().destroy_texture(object);
}

void destroy_surface_object(Session& s, std::uint64_t object) {
  if (s.surfaces().erase(object) != 0) s.simulator().destroy_texture(object);
}

const TextureObject& find_texture_object(Session& s, std::uint64_t object) {
  require(s.textures().contains(object), cudaErrorInvalidValue);
  return s.textures()[object];
}

const cudaResourceDesc& find_surface_object(Session& s, std::uint64_t object) {
  require(s.surfaces().contains(object), cudaErrorInvalidValue);
  return s.surfaces()[object];
}

void refuse_view(const void* view) {
  int format = 0;
  if (view != nullptr) std::memcpy(&format, view, sizeof format);
  if (format != 0) throw Failure{cudaErrorNotSupported, "resource views of textures are not supported"};
}

}  // namespace heddle::runtime
