// The common conversions between floating-point formats; the others go through bind_convert's general
// function.
#include "exec/alu/bind.h"
#include "exec/alu/byte_float.h"
#include "exec/alu/convert.h"
#include "exec/alu/host_rounding.h"

namespace heddle::exec::alu {
namespace {

using ptx::Op;
using U32 = std::uint32_t;

// cvt d, a, b into a pair: a becomes the upper half.
U32 pack_pair(const ptx::Instr& instr, U32 a, U32 b) {
  ptx::Instr one = instr;
  one.type = instr.type == Type::BF16x2 ? Type::BF16 : Type::F16;
  one.src_type = Type::F32;
  return static_cast<U32>(convert_general(one, a) << 16 | convert_general(one, b));
}
U32 pack_pair_f16_rn(float a, float b) {
  return f32_to_f16(a) << 16 | f32_to_f16(b);
}
U32 pack_pair_bf16_rn(float a, float b) {
  return narrow_bf16(a) << 16 | narrow_bf16(b);
}
Handler bind_pair(const ptx::Instr& instr) {
  if (instr.type != Type::F16x2 && instr.type != Type::BF16x2) return nullptr;
  if (instr.round == Round::Rn && !instr.relu && !instr.satfinite) {
    return instr.type == Type::F16x2 ? lanes<pack_pair_f16_rn> : lanes<pack_pair_bf16_rn>;
  }
  return lanes<pack_pair>;
}

template <class Fmt>
Handler bind_bytes(const ptx::Instr& instr) {
  if (instr.op == Op::CvtPack) return lanes<bytes_of_f32<Fmt>>;
  return instr.type == Type::F16x2 ? lanes<bytes_to_f16<Fmt>> : lanes<bytes_of_f16<Fmt>>;
}

float bf16_to_f32(U32 a) {
  return widen_bf16(a & 0xffffu);
}

}  // namespace

Handler bind_format_change(const ptx::Instr& instr) {
  for (const Type t : {instr.type, instr.src_type})
    if (is_pair_of_bytes(t)) return t == Type::E4M3x2 ? bind_bytes<E4M3>(instr) : bind_bytes<E5M2>(instr);
  if (instr.op == Op::CvtPack) return bind_pair(instr);
  if (instr.sat || instr.satfinite || instr.relu || !is_float(instr.type)) return nullptr;
  const Type from = instr.src_type;
  switch (instr.type) {
    case Type::F64:
      if (from != Type::F32) return nullptr;
      return instr.ftz ? lanes<f32_to_f64<true>> : lanes<f32_to_f64<false>>;
    case Type::F32:
      if (from == Type::F64)
        return instr.ftz ? in_mode<f64_to_f32<true>>(instr) : in_mode<f64_to_f32<false>>(instr);
      if (instr.ftz) return nullptr;
      return from == Type::F16 ? lanes<f16_to_f32> : from == Type::BF16 ? lanes<bf16_to_f32> : nullptr;
    case Type::F16:
      return from == Type::F32 && instr.round == Round::Rn ? lanes<f32_to_f16> : nullptr;
    case Type::BF16:
      return from == Type::F32 && instr.round == Round::Rn && !instr.ftz ? lanes<narrow_bf16> : nullptr;
    case Type::TF32:
      return instr.round == Round::Rna ? lanes<f32_to_tf32_rna> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec::alu
