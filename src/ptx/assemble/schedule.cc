#include "ptx/assemble/schedule.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_allocation.h"
#include "ptx/assemble/machine_cost.h"
#include "ptx/ir/kind.h"

namespace heddle::ptx {
namespace {

// Longer stretches are cut: the work grows faster than their length.
constexpr std::uint32_t kLongest = 2048;
constexpr std::int64_t kPredicates = 7;  // P0 to P6 of the machine

// Registers of a thread, and its predicates.
struct Pressure {
  std::int64_t registers = 0, predicates = 0;
};

}  // namespace

bool keeps_its_place(const Instr& in) {
  if (is_collective(in.op)) return false;
  if (in.op >= Op::Bra || in.op == Op::CpAsync || in.op == Op::CpAsyncBulk || in.op == Op::CpAsyncCommit ||
      in.op == Op::CpAsyncWait || in.op == Op::Mbarrier || in.op == Op::Suld || in.op == Op::Sust ||
      in.op == Op::Sured || becomes_call(in))
    return true;
  const bool atomic = in.op == Op::Atom || in.op == Op::Red;
  if (in.order != MemOrder::Weak && !(atomic && in.order == MemOrder::Relaxed)) return true;
  for (std::uint8_t i = 0; i < in.n_src; ++i)
    if (in.src[i].kind == Operand::Kind::Sreg && static_cast<Sreg>(in.src[i].index) >= kFirstDynamicSreg)
      return true;
  return false;
}

namespace {

bool reads_memory(const Instr& in) {
  return is_load(in.op) || in.op == Op::Tex || in.op == Op::Tld4 || in.op == Op::Prefetch;
}

// Windows that generic addresses cannot reach: they overlap with nothing else.
bool may_overlap(const Instr& a, const Instr& b) {
  auto known = [](Space s) {
    return s == Space::Global || s == Space::Shared || s == Space::Local || s == Space::Const ||
           s == Space::Param;
  };
  return a.space == b.space || !known(a.space) || !known(b.space);
}

std::int64_t access_bytes(const Instr& in) {
  return std::int64_t{bytes(in.type)} * in.vector;
}

// Words at different distances from one address.
bool lie_apart(const Instr& a, const Instr& b) {
  const bool plain = (a.op == Op::Ld || a.op == Op::St) && (b.op == Op::Ld || b.op == Op::St);
  return plain && a.space == b.space && a.address == b.address && a.address.kind == Operand::Kind::Reg &&
         (a.offset + access_bytes(a) <= b.offset || b.offset + access_bytes(b) <= a.offset);
}

// How long the assembler expects a result to take: 40 cycles for a load of shared memory (ptxas_order.py); of
// the others only the order of size matters.
std::uint32_t expected_latency(const Instr& in) {
  switch (in.op) {
    case Op::Ld:
    case Op::WmmaLoad:
    case Op::LoadMatrix:
      return in.space == Space::Param || in.space == Space::Const ? 4 : in.space == Space::Shared ? 40 : 300;
    case Op::Tex:
    case Op::Tld4:
      return 300;
    case Op::Atom:
      return in.space == Space::Shared ? 40 : 300;
    case Op::Mma:
    case Op::Shfl:
    case Op::Match:
    case Op::Redux:
      return 30;
    case Op::Div:
    case Op::Rem:
      return 60;
    default:
      // With scaling of small operands: 17 and 39 (h200_instructions.csv).
      return kind(in) != Kind::Special ? 4 : in.ftz ? 20 : 40;
  }
}

// From a comparison to what it guards, or to the branch that it decides (validation/training/sass.tar.gz).
constexpr std::uint32_t kGuardLatency = 13;

bool guards(const Function& f, const Instr& condition, const Instr& in) {
  bool found = false;
  if (in.guard.kind == Operand::Kind::Pred)
    for_each_def(f, condition, [&](std::uint32_t r) { found |= r == in.guard.index; });
  return found;
}

// One stretch of instructions without a fixed one among them.
class Stretch {
 public:
  // `live_after`: behind the last instruction. `weights`: by register; 0: needs none.
  Stretch(const Function& f, std::uint32_t first, std::uint32_t end, const RegSet& live_after,
          const std::vector<std::uint8_t>& weights)
      : f_(f), first_(first), nodes_(end - first), live_after_(live_after), weights_(weights) {}

  // Indices into the function in their new order.
  std::vector<std::uint32_t> order(std::uint32_t registers) {
    find_dependences();
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      Node& n = nodes_[k];
      n.height = 0;
      n.slow_load = is_load(instr(k).op) && expected_latency(instr(k)) >= kSlow;
      n.address = !n.slow_load && !writes_memory(instr(k)) && !is_float(instr(k).type);
      for (const Edge& e : n.successors) {
        const Node& to = nodes_[e.to];
        n.height = std::max(n.height, to.height + latency(k, e));
        n.address = n.address && (!e.waits || to.slow_load || to.address);
      }
      n.height =
          std::max<std::uint64_t>(n.height, k == decides_ ? kGuardLatency : expected_latency(instr(k)));
      n.unit = unit_of(instr(k));
    }
    count_uses();
    find_needs();
    return list(registers);
  }

 private:
  // `waits`: for a result, and as long before a register is written that is still to be read; else only the
  // order of two accesses counts.
  struct Edge {
    std::uint32_t to = 0;
    bool waits = false;
  };
  struct Node {
    std::vector<Edge> successors;
    std::uint32_t waits_for = 0;  // predecessors not yet placed
    std::uint64_t height = 0, ready_at = 0;
    Unit unit = Unit::None;
    bool slow_load = false;
    bool address = false;            // only loads and later addresses need it, here
    std::uint32_t load = kNoTarget;  // the only slow one that it depends on, itself included, or kSeveral
    std::uint32_t needs = 0;         // of a load: registers beyond its result's, until `most_at` is placed
    std::uint32_t most_at = kNoTarget;
  };
  static constexpr std::uint32_t kSeveral = kNoTarget - 1;
  static constexpr std::uint32_t kSlow = 20;
  const Instr& instr(std::size_t k) const { return f_.instrs[first_ + k]; }

  std::uint64_t latency(std::size_t from, const Edge& e) const {
    if (!e.waits) return 1;
    return guards(f_, instr(from), instr(e.to)) ? kGuardLatency : expected_latency(instr(from));
  }

  void edge(std::uint32_t from, std::uint32_t to, bool waits) {
    if (from == to) return;
    nodes_[from].successors.push_back({to, waits});
    ++nodes_[to].waits_for;
  }

  void find_dependences() {
    // By register, the flag of carries last: who wrote it, who has read it since.
    std::vector<std::uint32_t> writer(f_.registers.size() + 1, kNoTarget);
    std::vector<std::vector<std::uint32_t>> readers(f_.registers.size() + 1);
    const auto carry = static_cast<std::uint32_t>(f_.registers.size());
    struct Access {
      std::uint32_t at, base;  // who wrote the address
    };
    std::vector<Access> accesses;
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      const Instr& in = instr(k);
      const std::uint32_t base = in.address.kind == Operand::Kind::Reg ? writer[in.address.index] : kNoTarget;
      auto use = [&](std::uint32_t r) {
        if (writer[r] != kNoTarget) edge(writer[r], k, true);
        readers[r].push_back(k);
      };
      auto def = [&](std::uint32_t r) {
        if (writer[r] != kNoTarget) edge(writer[r], k, true);
        for (const std::uint32_t reader : readers[r]) edge(reader, k, true);
        writer[r] = k;
        readers[r].clear();
      };
      for_each_use(f_, in, use);
      if (in.carry_in) use(carry);
      for_each_def(f_, in, def);
      if (in.carry_out) def(carry);
      if (!reads_memory(in) && !writes_memory(in)) continue;
      for (const Access& a : accesses) {
        const Instr& other = instr(a.at);
        if ((writes_memory(in) || writes_memory(other)) && may_overlap(in, other) &&
            !(a.base == base && lie_apart(in, other)))
          edge(a.at, k, false);
      }
      accesses.push_back({k, base});
    }
    const std::size_t behind = first_ + nodes_.size();
    if (behind == f_.instrs.size()) return;
    const Instr& next = f_.instrs[behind];
    if (next.op == Op::Bra && next.guard.kind == Operand::Kind::Pred) decides_ = writer[next.guard.index];
  }

  void count_uses() {
    uses_left_.assign(f_.registers.size(), 0);
    live_.assign(f_.registers.size(), 0);
    RegSet live = live_after_;
    live_after_.for_each([&](std::uint32_t r) { ++uses_left_[r]; });
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      for_each_use(f_, instr(k), [&](std::uint32_t r) { ++uses_left_[r]; });
      step_back(f_, instr(k), live);
    }
    live.for_each([&](std::uint32_t r) {
      live_[r] = 1;
      count(pressure_, r, 1);
    });
  }

  // What is computed from one load alone may take more registers than its result has, as differences that
  // are kept beside their squares. Loads that are under way together must leave room for it.
  void find_needs() {
    std::vector<std::uint32_t> uses = uses_left_;
    std::vector<std::uint32_t> owner(f_.registers.size(), kNoTarget);  // the load whose value a register has
    std::vector<std::int64_t> held(nodes_.size(), 0), first_held(nodes_.size(), 0);
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      Node& n = nodes_[k];
      const Instr& in = instr(k);
      if (n.slow_load) n.load = k;
      const std::uint32_t load = n.load;
      for (const Edge& e : n.successors) {
        if (load == kNoTarget || !e.waits) continue;
        std::uint32_t& from = nodes_[e.to].load;
        from = from == kNoTarget || from == load ? load : kSeveral;
      }
      for_each_use(f_, in, [&](std::uint32_t r) {
        if (uses[r] != 0 && --uses[r] == 0 && owner[r] != kNoTarget) {
          held[owner[r]] -= weights_[r];
          owner[r] = kNoTarget;
        }
      });
      for_each_def(f_, in, [&](std::uint32_t r) {
        if (owner[r] != kNoTarget) held[owner[r]] -= weights_[r];
        owner[r] = kNoTarget;
        if (load == kNoTarget || load == kSeveral || uses[r] == 0) return;
        owner[r] = load;
        held[load] += weights_[r];
      });
      if (load == kNoTarget || load == kSeveral) continue;
      if (load == k) {
        first_held[k] = held[k];
      } else if (const std::int64_t more = held[load] - first_held[load]; more > nodes_[load].needs) {
        nodes_[load].needs = static_cast<std::uint32_t>(more);
        nodes_[load].most_at = k;
      }
    }
  }

  void count(Pressure& p, std::uint32_t r, std::int64_t n) const {
    p.registers += n * weights_[r];
    if (f_.registers[r].type == Type::Pred) p.predicates += n;
  }

  // How many more are live behind instruction k.
  Pressure growth(std::size_t k) const {
    Pressure n;
    const Instr& in = instr(k);
    for_each_use(f_, in, [&](std::uint32_t r) {
      if (live_[r] && uses_left_[r] == 1) count(n, r, -1);
    });
    for_each_def(f_, in, [&](std::uint32_t r) {
      if (!live_[r] && uses_left_[r] != 0) count(n, r, 1);
    });
    return n;
  }

  void place(std::uint32_t k, std::uint64_t now, std::vector<std::uint32_t>& ready) {
    const Instr& in = instr(k);
    for_each_use(f_, in, [&](std::uint32_t r) {
      if (--uses_left_[r] != 0 || !live_[r]) return;
      live_[r] = 0;
      count(pressure_, r, -1);
    });
    for_each_def(f_, in, [&](std::uint32_t r) {
      if (live_[r] || uses_left_[r] == 0) return;
      live_[r] = 1;
      count(pressure_, r, 1);
    });
    reserved_ += nodes_[k].needs;
    if (const std::uint32_t load = nodes_[k].load; load < kSeveral && nodes_[load].most_at == k)
      reserved_ -= nodes_[load].needs;
    if (const Unit unit = nodes_[k].unit; unit != Unit::None)
      free_at_[static_cast<std::size_t>(unit)] = now + cycles(unit);
    for (const Edge& e : nodes_[k].successors) {
      Node& to = nodes_[e.to];
      to.ready_at = std::max(to.ready_at, now + latency(k, e));
      if (--to.waits_for == 0) ready.push_back(e.to);
    }
  }

  std::vector<std::uint32_t> list(std::uint32_t registers) {
    std::vector<std::uint32_t> ready, result;
    for (std::uint32_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].waits_for == 0) ready.push_back(k);
    for (std::uint64_t now = 0; !ready.empty(); ++now) {
      const std::size_t at = choose(ready, now, registers);
      const std::uint32_t k = ready[at];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
      now = start_of(k, now);
      result.push_back(first_ + k);
      place(k, now, ready);
    }
    return result;
  }

  // When its operands and its unit are there.
  std::uint64_t start_of(std::uint32_t k, std::uint64_t now) const {
    return std::max({now, nodes_[k].ready_at, free_at_[static_cast<std::size_t>(nodes_[k].unit)]});
  }

  // The longest path among what need not wait and fits into the registers; else what waits least; when
  // nothing fits, what frees most. The order of the source decides between equals.
  std::size_t choose(const std::vector<std::uint32_t>& ready, std::uint64_t now,
                     std::uint32_t registers) const {
    std::size_t best = 0;
    bool best_fits = false;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const Pressure more = growth(ready[i]);
      const Node& n = nodes_[ready[i]];
      const std::int64_t room = n.slow_load ? reserved_ + n.needs : 0;
      const bool fits = pressure_.registers + more.registers + room <= static_cast<std::int64_t>(registers) &&
                        (more.predicates <= 0 || pressure_.predicates + more.predicates <= kPredicates);
      if (i == 0 || better(ready[i], fits, ready[best], best_fits, now)) {
        best = i;
        best_fits = fits;
      }
    }
    return best;
  }

  bool better(std::uint32_t a, bool a_fits, std::uint32_t b, bool b_fits, std::uint64_t now) const {
    if (a_fits != b_fits) return a_fits;
    if (!a_fits) {
      const Pressure x = growth(a), y = growth(b);
      const std::int64_t m = x.registers + x.predicates, n = y.registers + y.predicates;
      return m != n ? m < n : a < b;
    }
    const bool higher = nodes_[a].height != nodes_[b].height ? nodes_[a].height > nodes_[b].height : a < b;
    const std::uint64_t start_a = start_of(a, now), start_b = start_of(b, now);
    if (start_a == start_b) return higher;
    const bool sooner = start_a < start_b;
    const std::uint32_t first = sooner ? a : b, second = sooner ? b : a;
    return higher != sooner && waits_behind(first, second, std::min(start_a, start_b)) ? higher : sooner;
  }

  // An address that takes registers is made behind a higher load which only waits for its unit.
  bool waits_behind(std::uint32_t address, std::uint32_t load, std::uint64_t now) const {
    return nodes_[address].address && nodes_[load].slow_load && nodes_[load].ready_at <= now &&
           growth(address).registers > 0;
  }

  const Function& f_;
  const std::uint32_t first_;
  std::vector<Node> nodes_;
  const RegSet& live_after_;
  const std::vector<std::uint8_t>& weights_;
  std::vector<std::uint32_t> uses_left_;
  std::vector<std::uint8_t> live_;
  Pressure pressure_;
  std::uint32_t decides_ = kNoTarget;  // whether the branch behind is taken
  std::uint32_t reserved_ = 0;         // for what is computed from loads under way
  std::array<std::uint64_t, kUnits> free_at_{};
};

// Stretches of a block, the last one first, as the sets of live registers become known.
void schedule_block(const Function& f, const Block& block, RegSet live, std::uint32_t registers,
                    const std::vector<std::uint8_t>& weights, std::vector<std::uint32_t>& order) {
  for (std::uint32_t end = block.end; end > block.first;) {
    if (keeps_its_place(f.instrs[end - 1])) {
      order[end - 1] = end - 1;
      step_back(f, f.instrs[--end], live);
      continue;
    }
    std::uint32_t first = end - 1;
    while (first > block.first && !keeps_its_place(f.instrs[first - 1]) && end - first < kLongest) --first;
    const std::vector<std::uint32_t> found = Stretch(f, first, end, live, weights).order(registers);
    std::copy(found.begin(), found.end(), order.begin() + first);
    while (end > first) step_back(f, f.instrs[--end], live);
  }
}

}  // namespace

void schedule_instructions(Function& f, std::uint32_t registers) {
  if (f.instrs.empty()) return;
  const ControlFlow cf = build_control_flow(f);
  const std::vector<RegSet> live_out = live_out_of_blocks(f, cf);
  const std::vector<std::uint8_t> weights = find_register_weights(f);
  std::vector<std::uint32_t> order(f.instrs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b)
    schedule_block(f, cf.blocks[b], live_out[b], registers, weights, order);
  std::vector<Instr> moved;
  moved.reserve(f.instrs.size());
  for (const std::uint32_t i : order) moved.push_back(f.instrs[i]);
  f.instrs = std::move(moved);
}

void schedule_instructions(Module& module) {
  constexpr std::uint32_t kOverhead = 2;  // the stack's, and one for copies
  for (Function& f : module.functions) {
    if (f.instrs.empty()) continue;
    const std::uint32_t n =
        registers_per_thread(f, allocate_registers(f, build_control_flow(f)), 65536, 2048, true);
    schedule_instructions(f, n - kOverhead);
    f.assembled_registers = n;
  }
}

}  // namespace heddle::ptx
