#include "exec/handlers/memory_operands.h"

#include <cstring>
#include <type_traits>

#include "exec/warp/context.h"

namespace heddle::exec {
namespace {

// Addresses go round at 2^64.
std::int64_t sum(std::int64_t offset, std::uint64_t address) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + address);
}

using ptx::Instr;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

// ld.param of a kernel's parameter at a fixed place: the same value for every lane.
template <int Bytes>
void load_kernel_param(Warp& w, const Code& c, Mask active) {
  using E = typename Element<Bytes>::type;
  const std::uint32_t n = c.aux() & kVectorMask;
  const auto places = values(c);
  const std::byte* const block = w.context().params.data() + c.imm;
  for (std::uint32_t e = 0; e < n; ++e) {
    E v;
    std::memcpy(&v, block + e * sizeof(E), sizeof v);
    const auto extended =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<E>>(v)));
    std::uint64_t value = (c.aux() & kSignExtend) != 0 ? extended : v;
    if ((c.aux() & kNarrow16) != 0) value &= 0xffff;
    if (Bytes == 8 || (c.aux() & kWide) != 0)
      write_lanes(w.out<std::uint64_t>(places[e]), active, [&](int) { return value; });
    else
      write_lanes(w.out<std::uint32_t>(places[e]), active,
                  [&](int) { return static_cast<std::uint32_t>(value); });
  }
}

}  // namespace

Handler kernel_param_handler(unsigned bytes) {
  switch (bytes) {
    case 1:
      return load_kernel_param<1>;
    case 2:
      return load_kernel_param<2>;
    case 4:
      return load_kernel_param<4>;
    case 8:
      return load_kernel_param<8>;
    default:
      return nullptr;
  }
}

void bind_address_operand(const Instr& in, Binder& b, Code& c, Space& space, bool& kernel_param) {
  c.imm = in.offset;
  kernel_param = false;
  if (in.address.kind == Operand::Kind::Reg) {
    const bool narrow = ptx::bits(b.register_type(in.address)) <= 32;
    if (narrow) c.set_aux(c.aux() | kAddress32);
    c.a = b.place(in.address, narrow ? Type::U32 : Type::U64);
    if (space == Space::Param && !b.in_entry()) space = Space::Local;
    return;
  }
  c.a = b.constant64(0);
  if (in.address.kind == Operand::Kind::Imm) {
    c.imm = sum(c.imm, in.address.value);
    return;
  }
  const Binder::Resolved r = b.resolve(in.address);
  c.imm = sum(c.imm, r.value);
  if (r.kind == Binder::Resolved::Kind::FrameRelative) {
    space = Space::Local;
    c.set_aux(c.aux() | kFrameRelative);
  } else if (r.kind == Binder::Resolved::Kind::EntryParam) {
    kernel_param = true;
  }
}

}  // namespace heddle::exec
