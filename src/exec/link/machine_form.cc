#include "exec/link/machine_form.h"

#include "exec/link/static_code.h"

namespace heddle::exec {
namespace {

using ptx::Half;
using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Sreg;
using ptx::Type;
using workload::InstrClass;
using workload::StaticInstr;

// IntMinMax is what only the integer pipe can do.
constexpr InstrClass kAlu = InstrClass::IntMinMax;

bool is_fixed(const Operand& o) {
  return o.kind == Operand::Kind::Imm;
}

bool is_small(Type t) {
  return ptx::bits(t) < 32;
}

MachineForm conversion(const Instr& in) {
  const bool from_float = ptx::is_float(in.src_type), to_float = ptx::is_float(in.type);
  const std::uint32_t from = ptx::bits(in.src_type), to = ptx::bits(in.type);
  if (!from_float && !to_float) {
    const bool extends_sign = ptx::is_signed(in.src_type) && to > from;
    if (in.sat || is_small(in.type) || is_small(in.src_type) || extends_sign) return {.cls = kAlu};
    return {.cls = InstrClass::Move};  // half of a pair of registers, or zero above
  }
  if (from_float && to_float && from < 64 && to < 64)
    return {.cls = from == to ? InstrClass::Special : InstrClass::FloatAdd};  // rounding; f16 and f32
  if (!from_float && to == 32 && from == 32) return {.cls = kAlu};
  return {.cls = InstrClass::Special};
}

// Without .ftz small operands are scaled before the special-function unit, and results after it.
MachineForm approximation(const Instr& in) {
  MachineForm form{.cls = InstrClass::Special};
  auto more = [&](std::uint32_t slots, std::uint32_t latency) {
    form.slots = slots;
    form.latency = latency;
  };
  if (in.type != Type::F32) return form;
  switch (in.op) {
    case Op::Div:
      if (in.full)
        more(7, 28);
      else
        in.ftz ? more(1, 4) : more(4, 24);
      break;
    case Op::Rcp:
      if (!in.ftz) more(6, 24);
      break;
    case Op::Sin:
    case Op::Cos:
      more(1, 4);
      break;
    case Op::Tanh:
      break;
    default:
      if (!in.ftz) more(3, 20);
  }
  return form;
}

// Bits of a word from `from` on, `count` of them: whole bytes are one PRMT, the lowest one SGXT or LOP3; else
// a shift comes first. Where they are not known three PRMT do, which bound them.
MachineForm field_form(const Instr& in, const Operand& from, const Operand& count) {
  if (!is_fixed(from) || !is_fixed(count)) {
    const std::uint8_t n = in.op == Op::Bfi ? 6 : 5;
    return {.cls = kAlu, .repeat = n, .slots = n - 1u};
  }
  const bool whole_bytes = from.value % 8 == 0 && count.value % 8 == 0 && !ptx::is_signed(in.type);
  if (whole_bytes || from.value == 0) return {.cls = kAlu};
  return {.cls = kAlu, .repeat = 2, .slots = 1};
}

MachineForm bits_form(const Instr& in) {
  const bool wide = ptx::bits(in.type) == 64;
  switch (in.op) {
    case Op::Popc:
    case Op::Brev:
    case Op::Bfind:
      if (wide) return {.cls = InstrClass::Special, .repeat = 2, .slots = 2, .latency = 4};
      return {.cls = InstrClass::Special};
    case Op::Clz:
      if (wide) return {.cls = InstrClass::Special, .repeat = 2, .slots = 3, .latency = 8};
      return {.cls = InstrClass::Special, .slots = 1, .latency = 4};
    case Op::Bfe:
      if (wide) break;
      return field_form(in, in.src[1], in.src[2]);
    case Op::Bfi:
      if (wide) break;
      return field_form(in, in.src[2], in.src[3]);
    case Op::Prmt:
    case Op::Bmsk:
    case Op::Szext:
      return {.cls = kAlu};
    default:
      break;
  }
  return {.cls = instruction_class(in), .repeat = instruction_repeat(in)};
}

// The class is that of an unsigned one of 32 bits whose reciprocal is known.
MachineForm division(const Instr& in) {
  MachineForm form{.cls = InstrClass::IntDiv};
  if (ptx::bits(in.type) == 64) {
    if (ptx::is_signed(in.type)) return {.cls = form.cls, .repeat = 10, .slots = 79, .latency = 149};
    return {.cls = form.cls, .repeat = 9, .slots = 60, .latency = 139};
  }
  const bool rem = in.op == Op::Rem;
  if (in.varying) form = {.cls = form.cls, .repeat = 2, .slots = rem ? 8u : 9u, .latency = 52};
  if (ptx::is_signed(in.type)) {
    form.slots += rem ? 3 : 5;
    form.latency += 8;
  }
  return form;
}

MachineForm special_register(const Instr& in, InstrClass otherwise) {
  if (in.src[0].kind != Operand::Kind::Sreg || otherwise != InstrClass::Move) return {.cls = otherwise};
  const auto r = static_cast<Sreg>(in.src[0].index);
  const bool of_launch = (r >= Sreg::NtidX && r <= Sreg::NtidZ) || (r >= Sreg::NctaidX && r <= Sreg::NctaidZ);
  return {.cls = of_launch ? InstrClass::LoadParam : InstrClass::ReadClock};
}

MachineForm own_form(const Instr& in) {
  MachineForm form{.cls = instruction_class(in), .repeat = instruction_repeat(in)};
  if (in.folded) return {.cls = InstrClass::Move};
  switch (form.cls) {
    case InstrClass::IntAdd:
      if (in.op != Op::Add && in.op != Op::Sub && in.op != Op::Neg) form.cls = kAlu;
      break;
    case InstrClass::Bits:
      return bits_form(in);
    case InstrClass::Convert:
      return in.op == Op::Cvt ? conversion(in) : form;
    case InstrClass::Special:
      return approximation(in);
    case InstrClass::Move:
    case InstrClass::ReadClock:
      return in.op == Op::Mov ? special_register(in, form.cls) : form;
    case InstrClass::IntMul:
    case InstrClass::IntMad:
      if (in.half == Half::Wide || in.half == Half::Hi) return {.cls = form.cls, .repeat = 2, .latency = 4};
      break;
    case InstrClass::Int64Mul:
      if (in.half == Half::Hi) return {.cls = form.cls, .repeat = 2, .slots = 3, .latency = 8};
      break;
    case InstrClass::Int64Add:
      if (in.op == Op::Min || in.op == Op::Max)
        return {.cls = form.cls, .repeat = 2, .slots = 2, .latency = 4};
      // The upper half of a pair of registers.
      if (in.op == Op::Shr && !ptx::is_signed(in.type) && is_fixed(in.src[1]) && in.src[1].value == 32)
        return {.cls = InstrClass::Move};
      break;
    case InstrClass::IntDiv:
      return division(in);
    case InstrClass::DoubleMinMax:
      if (in.op == Op::Min || in.op == Op::Max) return {.cls = form.cls, .slots = 8, .latency = 16};
      break;
    case InstrClass::Branch:
      if (in.joins) form.slots = 2;
      break;
    default:
      break;
  }
  return form;
}

// As an operation on words.
MachineForm narrow_form(Instr in) {
  if (in.op == Op::Cvt) return {.cls = InstrClass::Move};
  if (in.half == Half::Wide) in.half = Half::Lo;
  in.type = ptx::is_signed(in.type) ? Type::S32 : Type::U32;
  return own_form(in);
}

}  // namespace

MachineForm machine_form(const Instr& in) {
  // A copy: on either pipe.
  if (in.op == Op::Mov && in.moves != 0) return {.cls = InstrClass::IntAdd, .slots = in.moves - 1u};
  MachineForm form = in.narrow ? narrow_form(in) : own_form(in);
  form.slots += in.moves;
  return form;
}

void PipeBalance::add(const Instr& in, StaticInstr& s) {
  constexpr std::uint32_t kHalfRate = 2, kDivision = 14;
  if ((s.flags & StaticInstr::kBranch) != 0) {
    *this = {};
    return;
  }
  const bool either =
      s.cls == InstrClass::IntAdd || (s.cls == kAlu && in.op == Op::Shl && is_fixed(in.src[1]));
  if (either) s.cls = multiply_ < integer_ ? InstrClass::IntMad : InstrClass::IntAdd;
  switch (s.cls) {
    case InstrClass::IntAdd:
    case InstrClass::FloatMinMax:
    case kAlu:
      integer_ += kHalfRate * s.repeat;
      break;
    case InstrClass::Int64Add:
      integer_ += 2 * kHalfRate;
      break;
    case InstrClass::IntMul:
    case InstrClass::IntMad:
      multiply_ += kHalfRate * s.repeat;
      break;
    case InstrClass::FloatAdd:
    case InstrClass::FloatMul:
    case InstrClass::FloatMad:
      ++multiply_;
      break;
    case InstrClass::IntDiv:
    case InstrClass::FloatDiv:
      multiply_ += kDivision * s.repeat;
      break;
    default:
      break;
  }
}

}  // namespace heddle::exec
