#include "ptx/assemble/value_moves.h"

#include <unordered_set>
#include <vector>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/natural_loops.h"
#include "ptx/assemble/rewrite.h"

namespace heddle::ptx {
namespace {

constexpr std::uint8_t kWords = 2;  // of 64 bits

// p = p + constant.
bool moves_pointer(const Instr& in) {
  return in.op == Op::Add && bits(in.type) == 64 && !is_float(in.type) && is_register(in.src[0]) &&
         in.src[1].kind == Operand::Kind::Imm && in.dst[0] == in.src[0] &&
         in.guard.kind == Operand::Kind::None && !in.narrow;
}

// An instruction holds the upper word of a constant of double precision.
bool is_wide_constant(const Operand& o) {
  return o.kind == Operand::Kind::Imm && static_cast<std::uint32_t>(o.value) != 0;
}

class ValueMoves {
 public:
  ValueMoves(Function& f, const ControlFlow& flow) : f_(f), flow_(flow), definitions_(f.registers.size(), 0) {
    for (const Instr& in : f.instrs) for_each_def(f, in, [&](std::uint32_t r) { ++definitions_[r]; });
  }

  void run() {
    const std::vector<RegSet> live_out = live_out_of_blocks(f_, flow_);
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      find_copies(flow_.blocks[b], live_out[b]);
      find_wide_constants(flow_.blocks[b]);
    }
    find_pointers();
  }

 private:
  // Into a register that has other values as well. A copy whose source nobody reads again is the same
  // register.
  void find_copies(const Block& block, RegSet live) {
    for (std::uint32_t i = block.end; i-- > block.first;) {
      Instr& in = f_.instrs[i];
      if (in.op == Op::Mov && is_register(in.dst[0]) && definitions_[in.dst[0].index] > 1) {
        const bool constant = in.src[0].kind == Operand::Kind::Imm;
        const bool words = bits(in.type) > 32 && !in.narrow && !(constant && in.src[0].value == 0);
        if (constant || (is_register(in.src[0]) && live.contains(in.src[0].index)))
          in.moves = words ? kWords : 1;
      }
      step_back(f_, in, live);
    }
  }

  void find_wide_constants(const Block& block) {
    std::unordered_set<std::uint64_t> known;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      Instr& in = f_.instrs[i];
      if (in.type != Type::F64 || is_store(in.op) || in.moves != 0) continue;
      for (std::uint8_t s = 0; s < in.n_src; ++s)
        if (is_wide_constant(in.src[s]) && known.insert(in.src[s].value).second) in.moves += kWords;
    }
  }

  void find_pointers() {
    bool any = false;
    for (const Instr& in : f_.instrs) any |= moves_pointer(in);
    if (!any) return;
    const LoopForest forest = find_loops(f_, flow_);
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      const std::uint32_t loop = forest.innermost[flow_.block_of[i]];
      if (loop != kNoTarget && moves_pointer(f_.instrs[i])) copy_pointer(forest.loops[loop], f_.instrs[i]);
    }
  }

  // Both halves for one access; where several share the pointer, it often is in the pair that they take.
  void copy_pointer(const NaturalLoop& loop, Instr& add) {
    const std::uint32_t pointer = add.dst[0].index;
    std::uint32_t changes = 0, accesses = 0;
    for (const std::uint32_t b : loop.blocks)
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        const Instr& in = f_.instrs[i];
        for_each_def(f_, in, [&](std::uint32_t r) { changes += r == pointer ? 1 : 0; });
        accesses += is_register(in.address) && in.address.index == pointer ? 1 : 0;
      }
    if (changes == 1 && accesses != 0) add.moves = accesses == 1 ? kWords : 1;
  }

  Function& f_;
  const ControlFlow& flow_;
  std::vector<std::uint32_t> definitions_;  // by register
};

}  // namespace

void find_value_moves(Function& f, const ControlFlow& flow) {
  ValueMoves(f, flow).run();
}

}  // namespace heddle::ptx
