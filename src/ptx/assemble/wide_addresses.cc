#include "ptx/assemble/wide_addresses.h"

#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/assemble/rewrite.h"

namespace heddle::ptx {
namespace {

bool is_plain(const Instr& in) {
  return in.guard.kind == Operand::Kind::None && !in.sat && !in.carry_in && !in.carry_out && in.n_dst == 1 &&
         in.dst[0].kind == Operand::Kind::Reg;
}

bool is_wide_product(const Instr& in) {
  return in.op == Op::Mul && in.half == Half::Wide && (in.type == Type::S32 || in.type == Type::U32) &&
         is_plain(in);
}

bool is_address_sum(const Instr& in) {
  return in.op == Op::Add && (in.type == Type::S64 || in.type == Type::U64) && is_plain(in) &&
         in.src[0].kind == Operand::Kind::Reg && in.src[1].kind == Operand::Kind::Reg;
}

// By block: it may run more than once in a call. A cycle comes back to a block, or to one before it, from
// that block or one behind it: every block of a cycle lies between the ends of an edge that leads backwards.
std::vector<std::uint8_t> find_repeated(const ControlFlow& cf) {
  std::vector<std::uint8_t> repeated(cf.blocks.size(), 0);
  std::vector<std::int32_t> depth(cf.blocks.size() + 1, 0);
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b)
    for (const std::uint32_t s : cf.blocks[b].successors)
      if (s <= b) {
        ++depth[s];
        --depth[b + 1];
      }
  std::int32_t now = 0;
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b) repeated[b] = (now += depth[b]) != 0;
  return repeated;
}

class AddressFuser {
 public:
  explicit AddressFuser(Function& f)
      : f_(f),
        cf_(build_control_flow(f)),
        repeated_(find_repeated(cf_)),
        definitions_(f.registers.size(), 0),
        defined_at_(f.registers.size(), kNoTarget),
        uses_(f.registers.size(), 0) {
    for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
      for_each_def(f, f.instrs[i], [&](std::uint32_t r) {
        ++definitions_[r];
        defined_at_[r] = i;
      });
      for_each_use(f, f.instrs[i], [&](std::uint32_t r) { ++uses_[r]; });
    }
    for (const CallSite& call : f.calls)
      if (call.pointer.kind == Operand::Kind::Reg) ++uses_[call.pointer.index];
  }

  void run() {
    std::vector<std::uint8_t> gone(f_.instrs.size(), 0);
    bool any = false;
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      if (!is_address_sum(f_.instrs[i])) continue;
      for (const unsigned k : {1u, 0u}) {
        const std::uint32_t product = f_.instrs[i].src[k].index;
        if (!can_fuse(product, i)) continue;
        fuse(i, k);
        if (uses_[product] == 0) gone[defined_at_[product]] = any = true;
        break;
      }
    }
    if (any) drop_instructions(f_, gone);
  }

 private:
  // The factors have the same values at the sum as they had at the product.
  bool can_fuse(std::uint32_t product, std::uint32_t sum) const {
    if (definitions_[product] != 1) return false;
    const std::uint32_t at = defined_at_[product];
    const Instr& in = f_.instrs[at];
    if (!is_wide_product(in)) return false;
    const bool near = at < sum && cf_.block_of[at] == cf_.block_of[sum];
    bool same = true;
    for_each_use(f_, in, [&](std::uint32_t r) {
      same &= near ? !is_written(r, at + 1, sum) : definitions_[r] == 1 && runs_once(defined_at_[r]);
    });
    return same && (near || runs_once(at));
  }
  bool runs_once(std::uint32_t at) const { return !repeated_[cf_.block_of[at]]; }
  bool is_written(std::uint32_t r, std::uint32_t first, std::uint32_t end) const {
    bool yes = false;
    for (std::uint32_t i = first; i < end; ++i)
      for_each_def(f_, f_.instrs[i], [&](std::uint32_t d) { yes |= d == r; });
    return yes;
  }

  void fuse(std::uint32_t sum, unsigned k) {
    Instr& in = f_.instrs[sum];
    const Instr& product = f_.instrs[defined_at_[in.src[k].index]];
    --uses_[in.src[k].index];
    for_each_use(f_, product, [&](std::uint32_t r) { ++uses_[r]; });
    const Operand other = in.src[1 - k];
    in.op = Op::Mad;
    in.half = Half::Wide;
    in.type = product.type;
    in.src[0] = product.src[0];
    in.src[1] = product.src[1];
    in.src[2] = other;
    in.n_src = 3;
  }

  Function& f_;
  const ControlFlow cf_;
  const std::vector<std::uint8_t> repeated_;
  std::vector<std::uint32_t> definitions_, defined_at_, uses_;  // by register
};

}  // namespace

void fuse_wide_addresses(Function& f) {
  if (!f.instrs.empty()) AddressFuser(f).run();
}

}  // namespace heddle::ptx
