#include "exec/link/fixed_access.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "exec/image/kernel_image.h"
#include "exec/memory/memory_access.h"
#include "exec/warp/kernel_fault.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Variable;

constexpr std::uint64_t kMbarrierBytes = 8, kMatrixRowBytes = 16;

// What is known of an operand's value: the constant, or nothing.
std::uint64_t constant_or_zero(const Operand& o) {
  return o.kind == Operand::Kind::Imm ? static_cast<std::uint32_t>(o.value) : 0;
}

// From the first to the last byte of a fragment; with a stride that is known at run time only, its first
// line.
std::uint64_t fragment_bytes(const ptx::MatrixInstr& m, const Instr& in) {
  const ptx::MatrixExtent extent = ptx::matrix_extent(m);
  const std::uint64_t stride = in.n_src == 0 ? extent.line : constant_or_zero(in.src[0]);
  const std::uint64_t elements = (extent.lines - 1) * stride + extent.line;
  return (elements * ptx::bits(m.a_type) + 7) / 8;
}

// Bytes at `address` + `offset`, as far as they are known.
std::uint64_t accessed_bytes(const ptx::Function& f, const Instr& in) {
  switch (in.op) {
    case Op::Ld:
    case Op::St:
      return std::uint64_t{ptx::bytes(in.type)} * in.vector;
    case Op::Atom:
    case Op::Red:
      return ptx::bytes(in.type);
    case Op::CpAsync:
      return in.cp_size;
    case Op::CpAsyncBulk:
      return constant_or_zero(in.src[1]);
    case Op::Mbarrier:
      return in.mbarrier == ptx::MbarrierOp::PendingCount ? 0 : kMbarrierBytes;
    case Op::LoadMatrix:
    case Op::StoreMatrix:
      return kMatrixRowBytes;
    case Op::WmmaLoad:
    case Op::WmmaStore:
      return fragment_bytes(f.matrices[in.matrix], in);
    default:
      return 0;  // a prefetch accesses nothing
  }
}

class OutsideFinder {
 public:
  explicit OutsideFinder(const ptx::Module& module) : module_(module) {}

  void look(const Operand& base, std::int64_t offset, std::uint64_t bytes, const char* what) {
    const Variable* v = base.kind == Operand::Kind::Symbol ? module_.variable_of(base.index) : nullptr;
    if (found_ || bytes == 0 || v == nullptr || v->size == 0 || v->space == Space::Global) return;
    const std::uint64_t at = static_cast<std::uint64_t>(offset) + base.value;
    if (at <= v->size && bytes <= v->size - at) return;
    const auto shown = static_cast<std::int64_t>(at);
    found_ = OutsideAccess{
        fmt::format("{} of {} bytes at [{}{}], outside of the .{} variable '{}', which has {} bytes", what,
                    bytes, v->name, shown == 0 ? "" : fmt::format("{:+}", shown), ptx::name(v->space),
                    v->name, v->size),
        bytes > v->size ? fmt::format("It is declared at line {} and too small for this access.", v->line)
                        : fmt::format("It is declared at line {}; this access may begin at 0 to {}.", v->line,
                                      v->size - bytes)};
  }
  std::optional<OutsideAccess> take() { return std::move(found_); }

 private:
  const ptx::Module& module_;
  std::optional<OutsideAccess> found_;
};

bool leaves(const ptx::Function& f, const ptx::Block& block) {
  const Op last = f.instrs[block.end - 1].op;
  return block.successors.empty() || last == Op::Ret || last == Op::Exit || last == Op::Trap ||
         block.end == f.instrs.size();
}

}  // namespace

std::optional<OutsideAccess> outside_access(const ptx::Module& module, const ptx::Function& function,
                                            const Instr& in) {
  const bool copies = in.op == Op::CpAsync || in.op == Op::CpAsyncBulk;
  if (in.address.kind != Operand::Kind::Symbol && !copies) return {};
  OutsideFinder finder(module);
  const std::uint64_t bytes = accessed_bytes(function, in);
  const bool atomic = in.op == Op::Atom || in.op == Op::Red || in.op == Op::Mbarrier;
  finder.look(in.address, in.offset, bytes,
              atomic                ? "atomic access"
              : ptx::is_load(in.op) ? "load"
              : copies              ? "copy"
                                    : "store");
  if (in.op == Op::CpAsync) {
    // Fewer bytes may be read than written; the others become zero.
    const std::uint64_t read = in.n_src > 1 ? std::min(bytes, constant_or_zero(in.src[1])) : bytes;
    finder.look(in.src[0], in.offset2, read, "copy");
  } else if (in.op == Op::CpAsyncBulk) {
    finder.look(in.src[0], in.offset2, bytes, "copy");
    if (in.n_src > 2) finder.look(in.src[2], in.offset3, kMbarrierBytes, "atomic access");
  }
  return finder.take();
}

bool always_executed(const ptx::Function& f, const ptx::ControlFlow& flow, std::uint32_t at) {
  if (f.instrs[at].guard.kind != Operand::Kind::None) return false;
  const std::uint32_t own = flow.block_of[at];
  std::vector<std::uint8_t> seen(flow.blocks.size(), 0);
  std::vector<std::uint32_t> work;
  const auto visit = [&](std::uint32_t b) {
    if (b != own && seen[b] == 0) work.push_back(b);
    seen[b] = 1;
  };
  visit(0);
  while (!work.empty()) {
    const ptx::Block& block = flow.blocks[work.back()];
    work.pop_back();
    if (leaves(f, block)) return false;
    for (const std::uint32_t s : block.successors) visit(s);
  }
  return seen[own] != 0;
}

void fault_outside(Warp& w, const Code& c, Mask active) {
  const auto pc = static_cast<std::uint32_t>(&c - w.image().code.data());
  const ptx::Function& f = *w.image().functions[w.image().function_of(pc)].source;
  const OutsideAccess wrong = outside_access(*w.image().module, f, *c.instr).value_or(OutsideAccess{});
  throw KernelFault(FaultKind::IllegalAddress, w.image().place(pc),
                    fmt::format("{}, by {}", wrong.message, describe_thread(w, std::countr_zero(active))),
                    wrong.advice);
}

}  // namespace heddle::exec
