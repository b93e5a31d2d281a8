// cvt between integers whose registers are wider than the types: PTX lets a 64-bit register be read as a
// narrower value, and one that is written be filled by extension. CUB's kernels have it.
#include "exec/handlers/bind.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec {
namespace {

using ptx::Type;

// The low bits of v that belong to t, extended as t's sign says.
std::uint64_t extended(std::uint64_t v, Type t) {
  const unsigned shift = 64 - ptx::bits(t);
  if (ptx::is_signed(t)) return static_cast<std::uint64_t>(static_cast<std::int64_t>(v << shift) >> shift);
  return v << shift >> shift;
}

template <class Destination, class Source>
void convert(Warp& w, const Code& c, Mask active) {
  const Source* a = w.in<Source>(c.a);
  const Type from = c.instr->src_type, to = c.instr->type;
  Destination result[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    std::uint64_t v = extended(extended(a[i], from), to);
    // Lane vectors of 32 bits hold narrower values zero-extended.
    if (sizeof(Destination) == 4 && ptx::bits(to) < 32) v &= (std::uint64_t{1} << ptx::bits(to)) - 1;
    result[i] = static_cast<Destination>(v);
  }
  blend(w.out<Destination>(c.d), result, active);
}

bool wide(const ptx::Operand& o, const Binder& b) {
  return o.kind == ptx::Operand::Kind::Reg && ptx::bits(b.register_type(o)) == 64;
}

}  // namespace

bool bind_wide_convert(const ptx::Instr& in, Binder& b, Code& c) {
  if (in.op != ptx::Op::Cvt || ptx::is_float(in.type) || ptx::is_float(in.src_type) || in.sat) return false;
  const bool from = wide(in.src[0], b), to = wide(in.dst[0], b);
  const bool matches = (from || in.src[0].kind != ptx::Operand::Kind::Reg || ptx::bits(in.src_type) < 64) &&
                       (!from || ptx::bits(in.src_type) == 64) && to == (ptx::bits(in.type) == 64);
  if (matches) return false;
  // A register that is too narrow for its type is an error, as elsewhere.
  if ((!from && ptx::bits(in.src_type) == 64) || (!to && ptx::bits(in.type) == 64)) return false;
  c.a = b.place(in.src[0], from ? Type::B64 : Type::B32);
  c.d = b.place(in.dst[0], to ? Type::B64 : Type::B32);
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  c.handler =
      to ? (from ? convert<U64, U64> : convert<U64, U32>) : (from ? convert<U32, U64> : convert<U32, U32>);
  return true;
}

}  // namespace heddle::exec
