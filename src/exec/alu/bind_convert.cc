#include "exec/alu/bind.h"
#include "exec/alu/convert.h"
#include "exec/alu/host_rounding.h"
#include "exec/alu/lane_handlers.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

// ---- any pair of types, by the general function
// --------------------------------------------------------------------

template <class D, class S>
D general(const ptx::Instr& instr, S a) {
  return static_cast<D>(convert_general(instr, a));
}

Handler bind_general(const ptx::Instr& instr) {
  const bool wide_to = bits(instr.type) == 64, wide_from = bits(instr.src_type) == 64;
  if (wide_to) return wide_from ? lanes<general<U64, U64>> : lanes<general<U64, U32>>;
  return wide_from ? lanes<general<U32, U64>> : lanes<general<U32, U32>>;
}

// ---- integers
// --------------------------------------------------------------------------------------------------------

template <class S>
Handler from_int(const ptx::Instr& instr) {
  switch (instr.type) {
    case Type::U8:
    case Type::B8:
      return lanes<cvt_int<std::uint8_t, S>>;
    case Type::S8:
      return lanes<cvt_int<std::int8_t, S>>;
    case Type::U16:
    case Type::B16:
      return lanes<cvt_int<std::uint16_t, S>>;
    case Type::S16:
      return lanes<cvt_int<std::int16_t, S>>;
    case Type::U32:
    case Type::S32:
    case Type::B32:
      return lanes<cvt_int<U32, S>>;
    case Type::U64:
    case Type::S64:
    case Type::B64:
      return lanes<cvt_int<U64, S>>;
    case Type::F32:
      return in_mode<int_to_float<float, S>>(instr);
    case Type::F64:
      return in_mode<int_to_float<double, S>>(instr);
    default:
      return nullptr;
  }
}

Handler bind_from_int(const ptx::Instr& instr) {
  if (instr.sat || instr.type == Type::F16 || instr.type == Type::BF16) return bind_general(instr);
  switch (instr.src_type) {
    case Type::U8:
    case Type::B8:
      return from_int<std::uint8_t>(instr);
    case Type::S8:
      return from_int<std::int8_t>(instr);
    case Type::U16:
    case Type::B16:
      return from_int<std::uint16_t>(instr);
    case Type::S16:
      return from_int<std::int16_t>(instr);
    case Type::U32:
    case Type::B32:
      return from_int<std::uint32_t>(instr);
    case Type::S32:
      return from_int<std::int32_t>(instr);
    case Type::U64:
    case Type::B64:
      return from_int<std::uint64_t>(instr);
    case Type::S64:
      return from_int<std::int64_t>(instr);
    default:
      return nullptr;
  }
}

// ---- f32
// ---------------------------------------------------------------------------------------------------------------

template <Round R, bool kFtz>
Handler f32_rounded_to_integral(const ptx::Instr& instr) {
  switch (instr.type) {
    case Type::S32:
      return lanes<f32_to_s32<R, kFtz>>;
    case Type::U32:
      return lanes<f32_to_u32<R, kFtz>>;
    case Type::S64:
      return kFtz ? bind_general(instr) : lanes<to_s64<R, float>>;
    case Type::U64:
      return kFtz ? bind_general(instr) : lanes<to_u64<R, float>>;
    case Type::F32:
      return instr.sat ? lanes<f32_to_integral<R, kFtz, true>> : lanes<f32_to_integral<R, kFtz, false>>;
    default:
      return bind_general(instr);
  }
}
template <Round R>
Handler f32_rounded_to_integral(const ptx::Instr& instr) {
  return instr.ftz ? f32_rounded_to_integral<R, true>(instr) : f32_rounded_to_integral<R, false>(instr);
}

U32 copy_bits(U32 a) {
  return a;
}
U64 copy_bits64(U64 a) {
  return a;
}
U32 flush_bits(U32 a) {
  return bits_of(canonical(flushed<true>(f32_of(a))));
}

Handler bind_from_f32(const ptx::Instr& instr) {
  switch (instr.round) {
    case Round::Rni:
      return f32_rounded_to_integral<Round::Rni>(instr);
    case Round::Rzi:
      return f32_rounded_to_integral<Round::Rzi>(instr);
    case Round::Rmi:
      return f32_rounded_to_integral<Round::Rmi>(instr);
    case Round::Rpi:
      return f32_rounded_to_integral<Round::Rpi>(instr);
    default:
      break;
  }
  if (instr.type == Type::F32) {  // without rounding: a move, unless something is changed on the way
    if (instr.sat) return instr.ftz ? lanes<f32_saturated<true>> : lanes<f32_saturated<false>>;
    return instr.ftz ? lanes<flush_bits> : lanes<copy_bits>;
  }
  return bind_general(instr);
}

// ---- f64 and 16-bit floats
// ---------------------------------------------------------------------------------------------

template <Round R>
Handler f64_rounded_to_integral(const ptx::Instr& instr) {
  switch (instr.type) {
    case Type::F64:
      return instr.sat ? bind_general(instr) : lanes<f64_to_integral<R>>;
    case Type::S32:
      return lanes<f64_to_s32<R>>;
    case Type::S64:
      return lanes<to_s64<R, double>>;
    case Type::U64:
      return lanes<to_u64<R, double>>;
    default:
      return bind_general(instr);
  }
}

Handler bind_from_f64(const ptx::Instr& instr) {
  switch (instr.round) {
    case Round::Rni:
      return f64_rounded_to_integral<Round::Rni>(instr);
    case Round::Rzi:
      return f64_rounded_to_integral<Round::Rzi>(instr);
    case Round::Rmi:
      return f64_rounded_to_integral<Round::Rmi>(instr);
    case Round::Rpi:
      return f64_rounded_to_integral<Round::Rpi>(instr);
    default:
      break;
  }
  if (instr.type == Type::F64 && !instr.sat) return instr.round == Round::None ? lanes<copy_bits64> : nullptr;
  return bind_general(instr);
}

}  // namespace

Handler bind_convert(const ptx::Instr& instr) {
  if (const Handler fast = bind_format_change(instr); fast != nullptr) return fast;
  if (instr.op == Op::CvtPack) return nullptr;
  switch (instr.src_type) {
    case Type::F32:
      return bind_from_f32(instr);
    case Type::F64:
      return bind_from_f64(instr);
    case Type::F16:
    case Type::BF16:
      return bind_general(instr);
    default:
      return bind_from_int(instr);
  }
}

}  // namespace heddle::exec::alu
