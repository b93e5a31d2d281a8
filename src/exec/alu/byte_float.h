// 8-bit floating-point values, which come in pairs: conversions only.
#pragma once

#include <cstdint>

#include "exec/alu/float_format.h"
#include "ptx/ir/instr.h"

namespace heddle::exec::alu {

// To the nearest, ties to even; what is too large, infinity too, becomes the largest number.
template <class Fmt>
inline std::uint32_t to_byte(const Unpacked& u, bool relu) {
  if (u.cls == Unpacked::Class::Nan) return Fmt::nan;
  if (relu && u.negative) return 0;
  const std::uint64_t sign = u.negative ? Fmt::sign : 0;
  if (u.cls == Unpacked::Class::Inf) return static_cast<std::uint32_t>(sign | Fmt::max);
  const std::uint64_t r = pack<Fmt>(u, Round::Rn);
  return static_cast<std::uint32_t>((r & (Fmt::sign - 1)) >= Fmt::inf ? sign | Fmt::max : r);
}

// Exact.
template <class Fmt>
inline std::uint32_t from_byte(std::uint32_t b, bool relu) {
  const Unpacked u = unpack<Fmt>(b & 0xffu);
  if (u.cls == Unpacked::Class::Nan) return F16::nan;
  return relu && u.negative ? 0 : static_cast<std::uint32_t>(pack<F16>(u, Round::Rn));
}

// cvt d, a, b: a becomes the upper byte.
template <class Fmt>
std::uint32_t bytes_of_f32(const ptx::Instr& instr, std::uint32_t a, std::uint32_t b) {
  return to_byte<Fmt>(unpack<F32>(a), instr.relu) << 8 | to_byte<Fmt>(unpack<F32>(b), instr.relu);
}
template <class Fmt>
std::uint32_t bytes_of_f16(const ptx::Instr& instr, std::uint32_t a) {
  return to_byte<Fmt>(unpack<F16>(a >> 16), instr.relu) << 8 |
         to_byte<Fmt>(unpack<F16>(a & 0xffffu), instr.relu);
}
template <class Fmt>
std::uint32_t bytes_to_f16(const ptx::Instr& instr, std::uint32_t a) {
  return from_byte<Fmt>(a >> 8, instr.relu) << 16 | from_byte<Fmt>(a, instr.relu);
}

}  // namespace heddle::exec::alu
