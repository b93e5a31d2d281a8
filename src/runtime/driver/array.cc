// Driver interface: arrays.
#include "runtime/driver/array.h"

namespace heddle::runtime {
namespace {

struct FormatRow {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr FormatRow kFormats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                                  {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                                  {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                                  {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                                  {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                                  {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                                  {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                                  {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};

cudaExtent extent_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return {d.Width, d.Height, d.Depth};
}

}  // namespace

cudaChannelFormatDesc channel_format(CUarray_format format, unsigned channels) {
  require(channels == 1 || channels == 2 || channels == 4, cudaErrorInvalidValue);
  for (const FormatRow& row : kFormats) {
    if (row.format != format) continue;
    const int b = row.bits;
    return {b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 3 ? b : 0, row.kind};
  }
  throw Failure{cudaErrorNotSupported,
                "arrays of packed, normalized or compressed formats are not supported"};
}

CUarray_format array_format(const cudaChannelFormatDesc& d) {
  for (const FormatRow& row : kFormats)
    if (row.bits == d.x && row.kind == d.f) return row.format;
  throw Failure{cudaErrorInvalidValue, {}};
}

unsigned channel_count(const cudaChannelFormatDesc& d) {
  return static_cast<unsigned>((d.x != 0) + (d.y != 0) + (d.z != 0) + (d.w != 0));
}

HEDDLE_ENTRY(cuArrayCreate)(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* d) {
  return driver_entry([&](Session& s) {
    require(array != nullptr && d != nullptr, cudaErrorInvalidValue);
    *array = s.create_array(channel_format(d->Format, d->NumChannels), {d->Width, d->Height, 0}, 0);
  });
}
HEDDLE_ENTRY(cuArray3DCreate)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return driver_entry([&](Session& s) {
    require(array != nullptr && d != nullptr, cudaErrorInvalidValue);
    *array = s.create_array(channel_format(d->Format, d->NumChannels), extent_of(*d), d->Flags);
  });
}
HEDDLE_ENTRY(cuArrayGetDescriptor)(CUDA_ARRAY_DESCRIPTOR* d, CUarray array) {
  return driver_entry([&](Session& s) {
    const Array& a = s.array(array);
    *d = {a.extent.width, a.extent.height, array_format(a.format), channel_count(a.format)};
  });
}
HEDDLE_ENTRY(cuArray3DGetDescriptor)(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray array) {
  return driver_entry([&](Session& s) {
    const Array& a = s.array(array);
    *d = {a.extent.width,         a.extent.height,         a.extent.depth,
          array_format(a.format), channel_count(a.format), a.flags};
  });
}
HEDDLE_ENTRY(cuArrayDestroy)(CUarray array) {
  return waiting_driver_entry([&](Session& s) { s.destroy_array(array); });
}

HEDDLE_ENTRY(cuMipmappedArrayCreate)
(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
  return driver_entry([&](Session& s) {
    require(array != nullptr && d != nullptr, cudaErrorInvalidValue);
    *array =
        s.create_mipmapped_array(channel_format(d->Format, d->NumChannels), extent_of(*d), levels, d->Flags);
  });
}
HEDDLE_ENTRY(cuMipmappedArrayGetLevel)(CUarray* level, CUmipmappedArray array, unsigned number) {
  return driver_entry([&](Session& s) {
    const MipmappedArray& m = s.mipmapped_array(array);
    require(level != nullptr && number < m.levels.size(), cudaErrorInvalidValue);
    *level = m.levels[number];
  });
}
HEDDLE_ENTRY(cuMipmappedArrayDestroy)(CUmipmappedArray array) {
  return waiting_driver_entry([&](Session& s) { s.destroy_mipmapped_array(array); });
}

}  // namespace heddle::runtime
