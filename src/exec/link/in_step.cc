#include "exec/link/in_step.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "exec/image/kernel_image.h"

namespace heddle::exec {
namespace {

using ptx::Instr;
using ptx::Op;
using ptx::Space;

enum SpaceBit : unsigned { kSharedBit = 1, kGlobalBit = 2, kSpaceBits = 3 };

// The spaces in which an instruction reads, writes, or acts atomically.
struct Touched {
  unsigned reads = 0, writes = 0, atomics = 0;
  unsigned any() const { return reads | writes | atomics; }
};

unsigned bits(Space space) {
  switch (space) {
    case Space::Shared:
      return kSharedBit;
    case Space::Global:
      return kGlobalBit;
    case Space::Generic:
    case Space::None:
      return kSpaceBits;
    default:
      return 0;
  }
}

Touched touched(const Instr& in) {
  switch (in.op) {
    case Op::Ld:
      return {.reads = in.cache == ptx::CacheHint::Nc ? 0 : bits(in.space)};
    case Op::LoadMatrix:
    case Op::WmmaLoad:
      return {.reads = bits(in.space)};
    case Op::St:
    case Op::StoreMatrix:
    case Op::WmmaStore:
      return {.writes = bits(in.space)};
    case Op::Atom:
    case Op::Red:
      return {.atomics = bits(in.space)};
    case Op::CpAsync:
      return {.reads = kGlobalBit, .writes = kSharedBit};
    case Op::CpAsyncBulk:
      return {.reads = kSpaceBits, .writes = kSpaceBits};
    case Op::Mbarrier:
      return {.atomics = kSharedBit};
    case Op::Suld:
      return {.reads = kGlobalBit};
    case Op::Sust:
      return {.writes = kGlobalBit};
    case Op::Sured:
      return {.atomics = kGlobalBit};
    default:
      return {};
  }
}

// All threads of the CTA wait for each other.
bool is_cta_barrier(const Code& c) {
  const Instr& in = *c.instr;
  if (in.op != Op::BarSync && in.op != Op::BarRed) return false;
  const unsigned numbers = in.op == Op::BarRed ? in.n_src - 1u : in.n_src;
  return numbers < 2 || in.src[1].kind == ptx::Operand::Kind::None;
}

// Where control may go from `pc` without a barrier, inside the function.
template <class F>
void for_each_next(const KernelImage& image, std::uint32_t pc, F&& f) {
  const Code& c = image.code[pc];
  const auto target = static_cast<std::uint32_t>(c.imm);
  if (c.instr->op == Op::Bra) f(target);
  if (c.instr->op == Op::BrxIdx)
    for (const std::uint32_t t : image.branch_tables[target]) f(t);
  const bool leaves = c.instr->op == Op::Bra || c.instr->op == Op::BrxIdx || c.instr->op == Op::Ret ||
                      c.instr->op == Op::Exit || is_cta_barrier(c);
  if (pc + 1 < image.code.size() && !(leaves && c.unguarded())) f(pc + 1);
}

// Sets of instructions between which control may pass without a barrier.
class Regions {
 public:
  explicit Regions(const KernelImage& image) : parent_(image.code.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::uint32_t pc = 0; pc < parent_.size(); ++pc)
      for_each_next(image, pc, [&](std::uint32_t next) { unite(pc, next); });
    // What runs between the barriers of a function depends on its callers.
    if (image.functions.size() > 1)
      for (std::uint32_t pc = 1; pc < parent_.size(); ++pc) unite(0, pc);
  }
  std::uint32_t of(std::uint32_t pc) {
    while (parent_[pc] != pc) pc = parent_[pc] = parent_[parent_[pc]];
    return pc;
  }

 private:
  void unite(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }
  std::vector<std::uint32_t> parent_;
};

struct Accesses {
  unsigned reads = 0, writes = 0, atomics = 0;  // instructions
  bool conflict() const {
    return (writes != 0 && reads + writes + atomics > 1) || (atomics != 0 && reads != 0);
  }
};

// Breadth first, from the writes back. Through calls it is not followed: 0 is always true.
void measure_instructions_to_write(KernelImage& image) {
  constexpr std::uint32_t kNever = 1u << 30;
  if (image.functions.size() > 1) return;
  std::vector<std::vector<std::uint32_t>> before(image.code.size());
  std::vector<std::uint32_t> reached;
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    for_each_next(image, pc, [&](std::uint32_t next) { before[next].push_back(pc); });
    const bool writes = image.code[pc].in_step == Code::InStep::Write;
    image.code[pc].instructions_to_write = writes ? 0 : kNever;
    if (writes) reached.push_back(pc);
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::uint32_t pc : before[reached[i]]) {
      if (image.code[pc].instructions_to_write != kNever) continue;
      image.code[pc].instructions_to_write = image.code[reached[i]].instructions_to_write + 1;
      reached.push_back(pc);
    }
}

}  // namespace

void mark_in_step(KernelImage& image) {
  const bool warps_meet = std::any_of(image.code.begin(), image.code.end(), [](const Code& c) {
    return is_cta_barrier(c) || c.instr->op == Op::BarArrive || c.instr->op == Op::BarSync ||
           c.instr->op == Op::BarRed || c.instr->space == Space::Shared || c.instr->op == Op::CpAsync;
  });
  if (!warps_meet) return;
  Regions regions(image);
  std::vector<std::array<Accesses, 2>> by_region(image.code.size());
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const Touched t = touched(*image.code[pc].instr);
    if (t.any() == 0) continue;
    auto& region = by_region[regions.of(pc)];
    for (unsigned s = 0; s < region.size(); ++s) {
      region[s].reads += t.reads >> s & 1;
      region[s].writes += t.writes >> s & 1;
      region[s].atomics += t.atomics >> s & 1;
    }
  }
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const Touched t = touched(*image.code[pc].instr);
    if (t.any() == 0) continue;
    const auto& region = by_region[regions.of(pc)];
    for (unsigned s = 0; s < region.size(); ++s) {
      if ((t.any() >> s & 1) == 0 || !region[s].conflict()) continue;
      image.in_step = true;
      const bool writes = (t.writes | t.atomics) != 0;
      image.code[pc].in_step = writes ? Code::InStep::Write : Code::InStep::Read;
    }
  }
  if (image.in_step) measure_instructions_to_write(image);
}

}  // namespace heddle::exec
