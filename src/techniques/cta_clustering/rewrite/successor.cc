#include "techniques/cta_clustering/rewrite/successor.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ptx/analysis/liveness.h"
#include "ptx/rewrite/edit.h"
#include "ptx/rewrite/print.h"
#include "techniques/cta_clustering/rewrite/task_registers.h"

namespace heddle::cta_clustering {
namespace {

namespace tree = ptx::tree;
using ptx::Instr;
using ptx::Op;
using ptx::Operand;
using ptx::Space;

// Each costs every thread of every task its address arithmetic.
constexpr std::size_t kMostLoads = 8;
constexpr std::size_t kMostInstructions = 96;

bool is_arithmetic(Op op) {
  switch (op) {
    case Op::Mov:
    case Op::Cvt:
    case Op::Cvta:
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
    case Op::Abs:
    case Op::Mul:
    case Op::Mul24:
    case Op::Mad:
    case Op::Mad24:
    case Op::Div:
    case Op::Rem:
    case Op::Min:
    case Op::Max:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Lop3:
    case Op::Shl:
    case Op::Shr:
    case Op::Shf:
    case Op::Bfe:
    case Op::Bfi:
    case Op::Setp:
    case Op::Selp:
      return true;
    default:
      return false;
  }
}

class Slices {
 public:
  explicit Slices(const FunctionCode& f) : f_(f), definitions_(f.decoded->registers.size()) {
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i)
      ptx::for_each_def(*f.decoded, f.decoded->instrs[i],
                        [&](std::uint32_t reg) { definitions_[reg].push_back(i); });
  }

  // Takes the instructions that make this register along, or none where one of them cannot be repeated.
  bool take(std::uint32_t reg) {
    std::set<std::uint32_t> with;
    if (!add(reg, with)) return false;
    if (!std::any_of(with.begin(), with.end(), [&](std::uint32_t i) { return reads_place(i); })) return false;
    with.insert(taken_.begin(), taken_.end());
    if (with.size() > kMostInstructions) return false;
    taken_ = std::move(with);
    return true;
  }
  const std::set<std::uint32_t>& taken() const { return taken_; }

 private:
  // The first in the text that does not go on from the register itself: what a loop begins with.
  std::optional<std::uint32_t> definition(std::uint32_t reg) const {
    for (const std::uint32_t i : definitions_[reg]) {
      bool from_itself = false;
      ptx::for_each_use(*f_.decoded, f_.decoded->instrs[i],
                        [&](std::uint32_t r) { from_itself |= r == reg; });
      if (!from_itself) return i;
    }
    return {};
  }

  bool repeatable(std::uint32_t i) const {
    const Instr& in = f_.decoded->instrs[i];
    if (in.guard.kind != Operand::Kind::None || in.n_dst != 1 || in.carry_in || in.carry_out) return false;
    if (names_special(*f_.instructions[i], "%ctaid") || names_special(*f_.instructions[i], "%nctaid"))
      return in.op == Op::Mov && ptx::bits(in.type) == 32;
    if (in.op == Op::Ld)
      return in.space == Space::Param && in.address.kind == Operand::Kind::Symbol && in.vector == 1;
    if (in.op == Op::Mov && in.src[0].kind == Operand::Kind::Sreg)
      return static_cast<ptx::Sreg>(in.src[0].index) < ptx::kFirstDynamicSreg;
    return is_arithmetic(in.op);
  }

  bool add(std::uint32_t reg, std::set<std::uint32_t>& with) const {
    const auto i = definition(reg);
    if (!i || !repeatable(*i)) return false;
    if (!with.insert(*i).second) return true;
    if (with.size() > kMostInstructions) return false;
    bool all = true;
    ptx::for_each_use(*f_.decoded, f_.decoded->instrs[*i],
                      [&](std::uint32_t r) { all = all && add(r, with); });
    return all;
  }

  bool reads_place(std::uint32_t i) const { return names_special(*f_.instructions[i], "%ctaid"); }

  const FunctionCode& f_;
  std::vector<std::vector<std::uint32_t>> definitions_;  // by register, in the order of the text
  std::set<std::uint32_t> taken_;                        // instructions, in the order of the text
};

std::string copy_of(std::uint32_t reg) {
  return fmt::format("%HD_s{}", reg);
}

// The instruction with registers of its own, for the place that comes next.
std::string repeated(const FunctionCode& f, std::uint32_t index) {
  tree::Statement copy = *f.instructions[index];
  auto& i = *copy.as<tree::Instruction>();
  std::map<std::string, std::string> names;
  const auto note = [&](std::uint32_t reg) { names[f.decoded->registers[reg].name] = copy_of(reg); };
  ptx::for_each_use(*f.decoded, f.decoded->instrs[index], note);
  ptx::for_each_def(*f.decoded, f.decoded->instrs[index], note);
  for (tree::Pieces& o : i.operands) {
    for (std::size_t n = 0; n < o.size(); ++n) {
      const bool special =
          n + 1 < o.size() && o[n + 1].text.starts_with('.');  // %tid.x, beside a register %tid
      const auto found = names.find(o[n].text);
      o[n].text = found != names.end() && !special ? found->second : verbatim(o[n].text);
    }
    for (const char element : {'x', 'y', 'z'}) {
      tree::replace_special(o, "%ctaid", fmt::format(".{}", element), fmt::format("%HD_n{}", element));
      tree::replace_special(o, "%nctaid", fmt::format(".{}", element), fmt::format("%HD_g{}", element));
    }
  }
  return tree::print(copy) + "\n";
}

const char* register_type(ptx::Type t) {
  return t == ptx::Type::Pred ? ".pred" : ptx::bits(t) == 64 ? ".b64" : ptx::bits(t) == 32 ? ".b32" : ".b16";
}

}  // namespace

SuccessorPrefetch successor_prefetch(const KernelCode& code) {
  const FunctionCode& f = code.kernel();
  Slices slices(f);
  std::set<std::pair<std::uint32_t, std::int64_t>> addresses;  // register and 128-byte block of the offset
  std::string prefetches;
  for (std::size_t n = 0; n < f.instructions.size() && addresses.size() < kMostLoads; ++n) {
    const Instr& in = f.decoded->instrs[n];
    if (in.op != Op::Ld || in.space != Space::Global || in.address.kind != Operand::Kind::Reg) continue;
    const std::pair address{in.address.index, in.offset / 128};
    if (addresses.contains(address) || !slices.take(in.address.index)) continue;
    addresses.insert(address);
    prefetches += fmt::format("prefetch.global.L1 [{}+{}];\n", copy_of(in.address.index), in.offset);
  }
  SuccessorPrefetch result;
  result.loads = static_cast<std::uint32_t>(addresses.size());
  for (const std::uint32_t i : slices.taken()) {
    const std::uint32_t reg = f.decoded->instrs[i].dst[0].index;
    result.declarations +=
        fmt::format(".reg {} {};\n", register_type(f.decoded->registers[reg].type), copy_of(reg));
    result.code += repeated(f, i);
  }
  result.code += prefetches;
  return result;
}

}  // namespace heddle::cta_clustering
