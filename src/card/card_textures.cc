#include <fmt/format.h>

#include "base/error.h"
#include "card/card_device.h"

namespace heddle::card {
namespace {

CUarray_format format_of(const workload::TextureView& view) {
  using workload::TexelKind;
  const std::uint32_t bits = view.channel_bits;
  if (view.kind == TexelKind::Float && bits == 32) return CU_AD_FORMAT_FLOAT;
  if (view.kind == TexelKind::Float && bits == 16) return CU_AD_FORMAT_HALF;
  const bool is_signed = view.kind == TexelKind::Signed;
  if (view.kind != TexelKind::Float && bits == 8)
    return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  if (view.kind != TexelKind::Float && bits == 16)
    return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
  if (view.kind != TexelKind::Float && bits == 32)
    return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
  throw Error(fmt::format("a texture with channels of {} bits", bits),
              "Cards have integers of 8, 16 and 32 bits, and floats of 16 and 32.");
}

}  // namespace

TextureDescription describe(const workload::TextureView& view) {
  TextureDescription d{};
  const auto at = static_cast<CUdeviceptr>(view.texels);
  if (view.height == 0) {
    d.resource.resType = CU_RESOURCE_TYPE_LINEAR;
    d.resource.res.linear = {at, format_of(view), view.channels, view.row_bytes()};
  } else {
    d.resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    d.resource.res.pitch2D = {at, format_of(view), view.channels, view.width, view.height, view.row_bytes()};
  }
  for (int& mode : d.texture.addressMode) mode = kAddressClamp;
  d.texture.filterMode = kFilterPoint;
  // Without the flag integers of 8 and 16 bits are read as fractions.
  if (view.kind != workload::TexelKind::Float && !view.normalized) d.texture.flags = CU_TRSF_READ_AS_INTEGER;
  return d;
}

std::uint64_t CardDevice::texture(const workload::TextureView& view) {
  const TextureDescription d = describe(view);
  CUtexObject object = 0;
  driver_.cuTexObjectCreate(&object, &d.resource, &d.texture, nullptr);
  return object;
}

}  // namespace heddle::card
