#include "ptx/assemble/reload_parameters.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/analysis/natural_loops.h"

namespace heddle::ptx {
namespace {

bool reads_parameter(const Instr& in) {
  return in.op == Op::Ld && in.space == Space::Param && in.address.kind == Operand::Kind::Symbol &&
         in.vector == 1 && in.guard.kind == Operand::Kind::None;
}

// The address of global memory is the generic one.
bool renames(const Instr& in) {
  return in.op == Op::Cvta && in.space == Space::Global && in.src[0].kind == Operand::Kind::Reg &&
         in.guard.kind == Operand::Kind::None;
}

class Reloads {
 public:
  explicit Reloads(Function& f)
      : f_(f),
        flow_(build_control_flow(f)),
        forest_(find_loops(f, flow_)),
        read_at_(f.registers.size(), kNoTarget),
        before_(flow_.blocks.size()),
        read_in_(flow_.blocks.size()) {}

  void run() {
    if (forest_.loops.empty()) return;
    find_parameters();
    std::vector<bool> has_loops(forest_.loops.size());
    for (const NaturalLoop& loop : forest_.loops)
      if (loop.parent != kNoTarget) has_loops[loop.parent] = true;
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      if (const std::uint32_t loop = forest_.innermost[b]; loop != kNoTarget && has_loops[loop]) reload(b);
    insert();
  }

 private:
  // Registers that have one value: a parameter's, which instruction `read_at_` reads.
  void find_parameters() {
    std::vector<std::uint32_t> definitions(f_.registers.size(), 0);
    for (const Instr& in : f_.instrs) for_each_def(f_, in, [&](std::uint32_t r) { ++definitions[r]; });
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      const Instr& in = f_.instrs[i];
      if (in.n_dst != 1 || in.dst[0].kind != Operand::Kind::Reg || definitions[in.dst[0].index] != 1)
        continue;
      if (reads_parameter(in))
        read_at_[in.dst[0].index] = i;
      else if (renames(in))
        read_at_[in.dst[0].index] = read_at_[in.src[0].index];
    }
  }

  void reload(std::uint32_t b) {
    for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
      Instr& in = f_.instrs[i];
      if (in.op == Op::Cvta || in.op == Op::Mov) continue;
      if (in.address.kind == Operand::Kind::Reg) use(b, in.address);
      for (std::uint8_t s = 0; s < in.n_src; ++s)
        if (in.src[s].kind == Operand::Kind::Reg) use(b, in.src[s]);
    }
  }

  void use(std::uint32_t b, Operand& o) {
    const std::uint32_t at = o.index < read_at_.size() ? read_at_[o.index] : kNoTarget;
    if (at == kNoTarget || forest_.contains(forest_.innermost[b], flow_.block_of[at])) return;
    std::uint32_t here = known(b, at);
    if (here == kNoTarget) {
      here = static_cast<std::uint32_t>(f_.registers.size());
      f_.registers.push_back(
          {fmt::format("{}.{}", f_.registers[o.index].name, here), f_.registers[o.index].type});
      Instr read = f_.instrs[at];
      read.dst[0].index = here;
      before_[b].push_back(read);
      read_in_[b].emplace_back(at, here);
    }
    // A word is in a uniform register at once: that it is read takes an issue slot and nothing else.
    if (bits(f_.registers[o.index].type) > 32) o.index = here;
  }

  // The register that has it already in this round of the loop.
  std::uint32_t known(std::uint32_t b, std::uint32_t at) const {
    const std::uint32_t loop = forest_.innermost[b];
    for (; b != kNoTarget && forest_.contains(loop, b); b = forest_.dominator[b])
      for (const auto& [place, here] : read_in_[b])
        if (place == at) return here;
    return kNoTarget;
  }

  void insert() {
    std::vector<Instr> code;
    std::vector<std::uint32_t> start(f_.instrs.size() + 1), moved(f_.instrs.size() + 1);  // by old place
    for (std::uint32_t i = 0; i < f_.instrs.size(); ++i) {
      start[i] = static_cast<std::uint32_t>(code.size());
      const std::uint32_t b = flow_.block_of[i];
      if (i == flow_.blocks[b].first) code.insert(code.end(), before_[b].begin(), before_[b].end());
      moved[i] = static_cast<std::uint32_t>(code.size());
      code.push_back(f_.instrs[i]);
    }
    start.back() = moved.back() = static_cast<std::uint32_t>(code.size());
    for (Instr& in : code)
      if (in.op == Op::Bra) in.target = start[in.target];
    for (auto& table : f_.branch_tables)
      for (std::uint32_t& t : table) t = start[t];
    for (std::uint32_t& i : f_.no_unroll) i = moved[i];
    f_.instrs = std::move(code);
  }

  Function& f_;
  const ControlFlow flow_;
  const LoopForest forest_;
  std::vector<std::uint32_t> read_at_;  // by register: instruction; kNoTarget: no parameter
  // By block: what is put before it, and for each read the register that has it from there on.
  std::vector<std::vector<Instr>> before_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> read_in_;
};

}  // namespace

void reload_parameters(Function& f) {
  if (f.entry && !f.instrs.empty()) Reloads(f).run();
}

}  // namespace heddle::ptx
