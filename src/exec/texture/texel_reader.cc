#include "exec/texture/texel_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/alu/convert.h"
#include "exec/image/kernel_image.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kSector = 32;

// x to the power 2.4, for sRGB: the square times the fifth root of the square, by Newton's method, so that
// every host has the same bits.
double power_2_4(double x) {
  const double square = x * x;
  double root = 1;  // x is at most 1: it falls towards the root
  for (int i = 0; i < 40; ++i) {
    const double fourth = root * root * root * root;
    root = (4 * root + square / fourth) / 5;
  }
  return square * root;
}

// IEC 61966-2-1.
std::array<float, 256> make_srgb() {
  std::array<float, 256> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    const double c = i / 255.0;
    table[i] = static_cast<float>(c <= 0.04045 ? c / 12.92 : power_2_4((c + 0.055) / 1.055));
  }
  return table;
}

template <class Channel>
std::uint32_t read_channel(const std::byte* from, unsigned k) {
  Channel c;
  std::memcpy(&c, from + k * sizeof c, sizeof c);
  return static_cast<std::uint32_t>(c);
}

void read_channels(const Texture& t, const std::byte* from, Texel& out) {
  const bool is_signed = t.format == TexelFormat::Signed;
  for (unsigned k = 0; k < t.channels; ++k) switch (t.channel_bits) {
      case 32:
        out.channel[k] = read_channel<std::uint32_t>(from, k);
        break;
      case 16:
        out.channel[k] =
            is_signed ? read_channel<std::int16_t>(from, k) : read_channel<std::uint16_t>(from, k);
        if (t.format == TexelFormat::Float)
          out.channel[k] = std::bit_cast<std::uint32_t>(alu::f16_to_f32(out.channel[k]));
        break;
      default:
        out.channel[k] = is_signed ? read_channel<std::int8_t>(from, k) : read_channel<std::uint8_t>(from, k);
        break;
    }
}

float linear_of_srgb(std::uint32_t v) {
  static const std::array<float, 256> kTable = make_srgb();
  return kTable[v & 255];
}

}  // namespace

std::int64_t address_texel(std::int64_t i, std::uint32_t n, TexAddress mode) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case TexAddress::Clamp:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case TexAddress::Border:
      return -1;
    case TexAddress::Wrap:
      return ((i % n) + n) % n;
    case TexAddress::Mirror: {
      const std::int64_t period = 2 * std::int64_t{n};
      const std::int64_t j = ((i % period) + period) % period;
      return j < n ? j : period - 1 - j;
    }
  }
  return -1;
}

TexelTrace::TexelTrace() = default;

void TexelTrace::note(unsigned lane, mem::Address a) {
  for (unsigned k = 0; k < sectors_[lane]; ++k)
    if (address_[k][lane] / kSector == a / kSector) return;
  // A lane that touches more than there are parts borrows the place of another: only sectors count.
  for (unsigned n = 0; n < kLanes && sectors_[lane] == kMostParts; ++n) lane = (lane + 1) % kLanes;
  if (sectors_[lane] == kMostParts) return;
  const unsigned k = sectors_[lane]++;
  mask_[k] |= 1u << lane;
  address_[k][lane] = a;
}

void TexelTrace::hand_to(Warp& w, std::uint32_t bytes) {
  w.access().parts = 0;
  w.access().mask = mask_[0];
  for (unsigned k = 0; k < kMostParts && mask_[k] != 0; ++k) {
    Access p;
    p.space = ptx::Space::Global;
    p.bytes = bytes;
    p.mask = mask_[k];
    for (Mask m = p.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(m));
      p.address[lane] = address_[k][lane];
    }
    w.add_part(p);
  }
}

TexelReader::TexelReader(Warp& w, const Code& c) : warp_(w), code_(c) {
  if (w.context().log != nullptr) trace_.emplace();
}

const Texture& TexelReader::begin(unsigned lane, std::uint64_t handle) {
  lane_ = lane;
  if (texture_ != nullptr && handle == handle_) return *texture_;
  const TextureTable* table = warp_.context().textures;
  const Texture* t = table != nullptr ? table->find(handle) : nullptr;
  if (t == nullptr || t->surface)
    throw Error(warp_.image().place(warp_.pc() - 1),
                fmt::format("{:#x} is not the handle of a texture object", handle));
  handle_ = handle;
  texture_ = t;
  bytes_ = t->texel_bytes();
  return *t;
}

void TexelReader::find_block(mem::Address a, std::uint32_t bytes) {
  const mem::Allocation* block = warp_.context().memory.find(a);
  if (block == nullptr || block->end - a < bytes) {
    Access& access = warp_.access();
    access.begin(ptx::Space::Global, bytes, false, 0);
    fault(warp_, code_, static_cast<int>(lane_), a, "out-of-bounds texture");
  }
  block_begin_ = block->begin;
  block_end_ = block->end;
}

Texel TexelReader::border() const {
  Texel out;
  out.border = true;
  if (texture_->as_float())
    for (unsigned k = 0; k < texture_->channels; ++k)
      out.channel[k] = std::bit_cast<std::uint32_t>(texture_->border[k]);
  return out;
}

Texel TexelReader::at(const TexelBox& box, std::int64_t x, std::int64_t y, std::uint32_t slice) {
  const Texture& t = *texture_;
  x = address_texel(x, box.width, t.cube ? TexAddress::Clamp : t.address_u);
  y = address_texel(y, box.height, t.cube ? TexAddress::Clamp : t.address_v);
  if (x < 0 || y < 0) return border();
  Texel out;
  const unsigned bytes = t.channel_bits / 8u;
  const mem::Address a = box.address + slice * box.slice + static_cast<std::uint64_t>(y) * box.pitch +
                         static_cast<std::uint64_t>(x) * bytes * t.channels;
  if (a < block_begin_ || a >= block_end_ || block_end_ - a < bytes * t.channels) [[unlikely]]
    find_block(a, bytes * t.channels);
  warp_.access().address[lane_] = a;
  touched_ |= 1u << lane_;
  if (trace_) trace_->note(lane_, a);
  read_channels(t, warp_.context().memory.host(a), out);
  return out;
}

float TexelReader::value(const Texel& texel, unsigned k) const {
  const Texture& t = *texture_;
  if (texel.border || t.format == TexelFormat::Float) return std::bit_cast<float>(texel.channel[k]);
  if (t.format == TexelFormat::Unsigned) {
    const auto v = static_cast<float>(texel.channel[k]);
    if (!t.normalized_values) return v;
    // Cards leave the second of two channels as it is.
    if (t.srgb && k < 3 && !(t.channels == 2 && k == 1)) return linear_of_srgb(texel.channel[k]);
    return v / static_cast<float>((1u << t.channel_bits) - 1);
  }
  const auto v = static_cast<float>(static_cast<std::int32_t>(texel.channel[k]));
  if (!t.normalized_values) return v;
  return std::max(-1.0f, v / static_cast<float>((1u << (t.channel_bits - 1)) - 1));
}

void TexelReader::finish() {
  Access& access = warp_.access();
  access.begin(ptx::Space::Global, bytes_, false, touched_);
  if (touched_ == 0) return;  // borders only
  fill_inactive(access.address.data(), touched_);
  if (trace_) trace_->hand_to(warp_, bytes_);
  if (warp_.context().count_accesses)
    count_access(warp_, code_, shape_of(access.address.data(), touched_, bytes_));
}

}  // namespace heddle::exec
