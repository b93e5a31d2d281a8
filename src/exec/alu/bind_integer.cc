#include "exec/alu/bind.h"
#include "exec/alu/integer_ops.h"
#include "exec/alu/lane_handlers.h"
#include "exec/alu/video.h"

namespace heddle::exec::alu {
namespace {

using ptx::Half;
using ptx::Op;
using ptx::Type;
using S32 = std::int32_t;
using U32 = std::uint32_t;

template <class T>
Handler multiply(const ptx::Instr& instr) {
  const bool mad = instr.op == Op::Mad;
  switch (instr.half) {
    case Half::None:
    case Half::Lo:
      return mad ? lanes<mad_lo<T>> : lanes<mul_lo<T>>;
    case Half::Hi:
      return mad ? lanes<mad_hi<T>> : lanes<mul_hi<T>>;
    case Half::Wide:
      if constexpr (sizeof(T) == 8)
        return nullptr;
      else
        return mad ? lanes<mad_wide<T>> : lanes<mul_wide<T>>;
  }
  return nullptr;
}

template <class T>
Handler bind_type(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Add:
      return lanes<add_int<T>>;
    case Op::Sub:
      return lanes<sub_int<T>>;
    case Op::Mul:
    case Op::Mad:
      return multiply<T>(instr);
    case Op::Div:
      return lanes<div_int<T>>;
    case Op::Rem:
      return lanes<rem_int<T>>;
    case Op::Min:
      return lanes<min_int<T>>;
    case Op::Max:
      return lanes<max_int<T>>;
    case Op::Sad:
      return lanes<sad_int<T>>;
    case Op::Neg:
      return lanes<neg_int<T>>;
    case Op::Abs:
      if constexpr (std::is_signed_v<T>)
        return lanes<abs_int<T>>;
      else
        return nullptr;
    default:
      return nullptr;
  }
}

// The few forms with .sat: s32 only.
Handler bind_saturating(const ptx::Instr& instr) {
  if (instr.type != Type::S32) return nullptr;
  switch (instr.op) {
    case Op::Add:
      return lanes<add_sat>;
    case Op::Sub:
      return lanes<sub_sat>;
    case Op::Mad:
      return instr.half == Half::Hi ? lanes<mad_hi_sat> : nullptr;
    case Op::Mad24:
      return instr.half == Half::Hi ? lanes<mad24_hi_sat> : nullptr;
    default:
      return nullptr;
  }
}

template <bool kMax>
S32 min_max_relu(S32 a, S32 b) {
  return std::max(kMax ? std::max(a, b) : std::min(a, b), 0);
}

template <class T>
Handler bind_24(const ptx::Instr& instr) {
  const bool high = instr.half == Half::Hi;
  if (instr.op == Op::Mul24) return high ? lanes<mul24<T, true>> : lanes<mul24<T, false>>;
  return high ? lanes<mad24<T, true>> : lanes<mad24<T, false>>;
}

template <class A8, class A16, class B8>
Handler bind_dot(const ptx::Instr& instr) {
  if (instr.op == Op::Dp4a) return lanes<dp4a<A8, B8>>;
  return instr.half == Half::Hi ? lanes<dp2a<A16, B8, true>> : lanes<dp2a<A16, B8, false>>;
}
Handler bind_dot(const ptx::Instr& instr) {
  // The first type is a's, wherever the decoder put it.
  const Type a = instr.src_type != Type::None ? instr.src_type : instr.type;
  const bool b_signed = is_signed(instr.src_type2);
  if (is_signed(a)) {
    return b_signed ? bind_dot<std::int8_t, std::int16_t, std::int8_t>(instr)
                    : bind_dot<std::int8_t, std::int16_t, std::uint8_t>(instr);
  }
  return b_signed ? bind_dot<std::uint8_t, std::uint16_t, std::int8_t>(instr)
                  : bind_dot<std::uint8_t, std::uint16_t, std::uint8_t>(instr);
}

template <int kParts>
U32 absolute_differences(const ptx::Instr& instr, U32 a, U32 b, U32 c) {
  return vabsdiff<kParts>(a, b, c, is_signed(instr.src_type), is_signed(instr.src_type2),
                          is_signed(instr.type), instr.sat, instr.accumulate);
}

// Two halves of a word, each on its own.
template <class T, T (*kOp)(T, T)>
U32 in_halves(U32 a, U32 b) {
  const auto half = [](T x, T y) { return U32{static_cast<std::uint16_t>(kOp(x, y))}; };
  return half(static_cast<T>(a), static_cast<T>(b)) | half(static_cast<T>(a >> 16), static_cast<T>(b >> 16))
                                                          << 16;
}
template <class T>
T add_half(T a, T b) {
  return static_cast<T>(a + b);
}
template <class T>
T min_half(T a, T b) {
  return std::min(a, b);
}
template <class T>
T max_half(T a, T b) {
  return std::max(a, b);
}
template <class T>
T min_half_relu(T a, T b) {
  return std::max<T>(std::min(a, b), 0);
}
template <class T>
T max_half_relu(T a, T b) {
  return std::max<T>(std::max(a, b), 0);
}

template <class T>
Handler bind_halves(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Add:
      return lanes<in_halves<T, add_half<T>>>;
    case Op::Min:
      return instr.relu ? lanes<in_halves<T, min_half_relu<T>>> : lanes<in_halves<T, min_half<T>>>;
    case Op::Max:
      return instr.relu ? lanes<in_halves<T, max_half_relu<T>>> : lanes<in_halves<T, max_half<T>>>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler bind_integer(const ptx::Instr& instr) {
  switch (instr.op) {
    case Op::Vabsdiff4:
      return lanes<absolute_differences<4>>;
    case Op::Vabsdiff2:
      return lanes<absolute_differences<2>>;
    case Op::Dp4a:
    case Op::Dp2a:
      return bind_dot(instr);
    default:
      break;
  }
  if (instr.type == Type::U16x2) return bind_halves<std::uint16_t>(instr);
  if (instr.type == Type::S16x2) return bind_halves<std::int16_t>(instr);
  if (instr.sat) return bind_saturating(instr);
  if (instr.op == Op::Mul24 || instr.op == Op::Mad24) {
    return is_signed(instr.type) ? bind_24<S32>(instr) : bind_24<U32>(instr);
  }
  if (instr.relu) {
    if (instr.type != Type::S32) return nullptr;
    return instr.op == Op::Max   ? lanes<min_max_relu<true>>
           : instr.op == Op::Min ? lanes<min_max_relu<false>>
                                 : nullptr;
  }
  switch (instr.type) {
    case Type::U16:
    case Type::B16:
      return bind_type<std::uint16_t>(instr);
    case Type::S16:
      return bind_type<std::int16_t>(instr);
    case Type::U32:
    case Type::B32:
      return bind_type<std::uint32_t>(instr);
    case Type::S32:
      return bind_type<std::int32_t>(instr);
    case Type::U64:
    case Type::B64:
      return bind_type<std::uint64_t>(instr);
    case Type::S64:
      return bind_type<std::int64_t>(instr);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
