// Driver interface: texture and surface objects.
#include <algorithm>

#include "runtime/driver/array.h"
#include "runtime/session/texture_objects.h"

namespace heddle::runtime {
namespace {

cudaResourceDesc runtime_form(const CUDA_RESOURCE_DESC& d) {
  cudaResourceDesc r{};
  r.resType = static_cast<cudaResourceType>(d.resType);
  switch (r.resType) {
    case cudaResourceTypeArray:
      r.res.array.array = static_cast<CUarray>(d.res.array.hArray);
      break;
    case cudaResourceTypeMipmappedArray:
      r.res.mipmap.mipmap = static_cast<CUmipmappedArray>(d.res.mipmap.hMipmappedArray);
      break;
    case cudaResourceTypeLinear:
      r.res.linear = {pointer(d.res.linear.devPtr),
                      channel_format(d.res.linear.format, d.res.linear.numChannels),
                      d.res.linear.sizeInBytes};
      break;
    case cudaResourceTypePitch2D:
      r.res.pitch2D = {pointer(d.res.pitch2D.devPtr),
                       channel_format(d.res.pitch2D.format, d.res.pitch2D.numChannels), d.res.pitch2D.width,
                       d.res.pitch2D.height, d.res.pitch2D.pitchInBytes};
      break;
  }
  return r;
}

CUDA_RESOURCE_DESC driver_form(const cudaResourceDesc& r) {
  CUDA_RESOURCE_DESC d{};
  d.resType = static_cast<CUresourcetype>(r.resType);
  switch (r.resType) {
    case cudaResourceTypeArray:
      d.res.array.hArray = r.res.array.array;
      break;
    case cudaResourceTypeMipmappedArray:
      d.res.mipmap.hMipmappedArray = r.res.mipmap.mipmap;
      break;
    case cudaResourceTypeLinear:
      d.res.linear = {reinterpret_cast<CUdeviceptr>(r.res.linear.devPtr), array_format(r.res.linear.desc),
                      channel_count(r.res.linear.desc), r.res.linear.sizeInBytes};
      break;
    case cudaResourceTypePitch2D:
      d.res.pitch2D = {reinterpret_cast<CUdeviceptr>(r.res.pitch2D.devPtr),
                       array_format(r.res.pitch2D.desc),
                       channel_count(r.res.pitch2D.desc),
                       r.res.pitch2D.width,
                       r.res.pitch2D.height,
                       r.res.pitch2D.pitchInBytes};
      break;
  }
  return d;
}

// Bits of the channels: the driver reads integers of up to 16 bits as fractions unless it is told otherwise,
// and wider ones never.
int channel_bits(Session& s, const cudaResourceDesc& r) {
  switch (r.resType) {
    case cudaResourceTypeArray:
      return s.array(r.res.array.array).format.x;
    case cudaResourceTypeMipmappedArray:
      return s.array(s.mipmapped_array(r.res.mipmap.mipmap).levels.front()).format.x;
    case cudaResourceTypeLinear:
      return r.res.linear.desc.x;
    case cudaResourceTypePitch2D:
      return r.res.pitch2D.desc.x;
  }
  return 32;
}

cudaTextureDesc runtime_form(const CUDA_TEXTURE_DESC& d, int bits) {
  cudaTextureDesc t{};
  std::copy_n(d.addressMode, 3, t.addressMode);
  t.filterMode = d.filterMode;
  t.readMode = (d.flags & CU_TRSF_READ_AS_INTEGER) == 0 && bits <= 16 ? 1 : 0;
  t.sRGB = (d.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  std::copy_n(d.borderColor, 4, t.borderColor);
  t.normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  t.maxAnisotropy = d.maxAnisotropy;
  t.mipmapFilterMode = d.mipmapFilterMode;
  t.mipmapLevelBias = d.mipmapLevelBias;
  t.minMipmapLevelClamp = d.minMipmapLevelClamp;
  t.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  t.seamlessCubemap = (d.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  return t;
}

CUDA_TEXTURE_DESC driver_form(const cudaTextureDesc& t) {
  CUDA_TEXTURE_DESC d{};
  std::copy_n(t.addressMode, 3, d.addressMode);
  d.filterMode = t.filterMode;
  d.flags = (t.readMode == 0 ? CU_TRSF_READ_AS_INTEGER : 0) |
            (t.normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
            (t.sRGB != 0 ? CU_TRSF_SRGB : 0) | (t.seamlessCubemap != 0 ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
  std::copy_n(t.borderColor, 4, d.borderColor);
  d.maxAnisotropy = t.maxAnisotropy;
  d.mipmapFilterMode = t.mipmapFilterMode;
  d.mipmapLevelBias = t.mipmapLevelBias;
  d.minMipmapLevelClamp = t.minMipmapLevelClamp;
  d.maxMipmapLevelClamp = t.maxMipmapLevelClamp;
  return d;
}

}  // namespace

HEDDLE_ENTRY(cuTexObjectCreate)
(std::uint64_t* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
 const void* view) {
  return driver_entry([&](Session& s) {
    require(object != nullptr && resource != nullptr && texture != nullptr, cudaErrorInvalidValue);
    refuse_view(view);
    const cudaResourceDesc r = runtime_form(*resource);
    *object = create_texture_object(s, r, runtime_form(*texture, channel_bits(s, r)));
  });
}
HEDDLE_ENTRY(cuTexObjectDestroy)(std::uint64_t object) {
  return driver_entry([&](Session& s) { destroy_texture_object(s, object); });
}
HEDDLE_ENTRY(cuTexObjectGetResourceDesc)(CUDA_RESOURCE_DESC* resource, std::uint64_t object) {
  return driver_entry([&](Session& s) { *resource = driver_form(find_texture_object(s, object).resource); });
}
HEDDLE_ENTRY(cuTexObjectGetTextureDesc)(CUDA_TEXTURE_DESC* texture, std::uint64_t object) {
  return driver_entry([&](Session& s) { *texture = driver_form(find_texture_object(s, object).texture); });
}
HEDDLE_ENTRY(cuSurfObjectCreate)(std::uint64_t* object, const CUDA_RESOURCE_DESC* resource) {
  return driver_entry([&](Session& s) {
    require(object != nullptr && resource != nullptr, cudaErrorInvalidValue);
    *object = create_surface_object(s, runtime_form(*resource));
  });
}
HEDDLE_ENTRY(cuSurfObjectDestroy)(std::uint64_t object) {
  return driver_entry([&](Session& s) { destroy_surface_object(s, object); });
}
HEDDLE_ENTRY(cuSurfObjectGetResourceDesc)(CUDA_RESOURCE_DESC* resource, std::uint64_t object) {
  return driver_entry([&](Session& s) { *resource = driver_form(find_surface_object(s, object)); });
}

}  // namespace heddle::runtime
