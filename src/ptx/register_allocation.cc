#include "ptx/register_allocation.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace heddle::ptx {
namespace {

template <class F>
void for_each_use(const Instr& in, F&& f) {
  auto use = [&](const Operand& o) {
    if (o.kind == Operand::Kind::Reg || o.kind == Operand::Kind::Pred) f(o.index);
  };
  use(in.guard);
  use(in.address);
  for (std::uint8_t i = 0; i < in.n_src; ++i) use(in.src[i]);
}

template <class F>
void for_each_def(const Instr& in, F&& f) {
  for (std::uint8_t i = 0; i < in.n_dst; ++i)
    if (in.dst[i].kind == Operand::Kind::Reg || in.dst[i].kind == Operand::Kind::Pred) f(in.dst[i].index);
}

// A set of virtual registers.
class RegSet {
 public:
  explicit RegSet(std::size_t n) : words_((n + 63) / 64) {}
  void insert(std::uint32_t r) { words_[r / 64] |= std::uint64_t{1} << (r % 64); }
  void erase(std::uint32_t r) { words_[r / 64] &= ~(std::uint64_t{1} << (r % 64)); }
  bool contains(std::uint32_t r) const { return words_[r / 64] >> (r % 64) & 1; }
  bool add(const RegSet& o) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t w = words_[i] | o.words_[i];
      changed |= w != words_[i];
      words_[i] = w;
    }
    return changed;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
        f(static_cast<std::uint32_t>(i * 64 + static_cast<unsigned>(__builtin_ctzll(w))));
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Walks one instruction backwards: after it `live` holds what is live before the instruction. A guarded
// write keeps the old value in lanes that do not execute it, so it does not end a live range.
void step_back(const Function& f, const Instr& in, RegSet& live) {
  if (in.guard.kind == Operand::Kind::None) for_each_def(in, [&](std::uint32_t r) { live.erase(r); });
  for_each_use(in, [&](std::uint32_t r) { live.insert(r); });
  if (in.op == Op::Call && f.calls[in.call].pointer.kind == Operand::Kind::Reg)
    live.insert(f.calls[in.call].pointer.index);
}

std::vector<RegSet> live_out_of_blocks(const Function& f, const ControlFlow& cf) {
  std::vector<RegSet> in(cf.blocks.size(), RegSet(f.registers.size()));
  std::vector<RegSet> out = in;
  std::vector<std::uint8_t> queued(cf.blocks.size(), 1);
  std::vector<std::uint32_t> work(cf.blocks.size());
  for (std::uint32_t b = 0; b < work.size(); ++b) work[b] = b;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    queued[b] = 0;
    const Block& block = cf.blocks[b];
    for (std::uint32_t s : block.successors) out[b].add(in[s]);
    RegSet live = out[b];
    for (std::uint32_t i = block.end; i-- > block.first;) step_back(f, f.instrs[i], live);
    if (!in[b].add(live)) continue;
    for (std::uint32_t p : block.predecessors)
      if (!queued[p]) {
        queued[p] = 1;
        work.push_back(p);
      }
  }
  return out;
}

struct Interval {
  std::uint32_t reg = 0;
  std::uint32_t start = kNoTarget;  // instruction positions; a use at i and a definition at i may share
  std::uint32_t end = 0;
};

struct Liveness {
  std::vector<Interval> intervals;  // by register; start == kNoTarget: unused
  std::uint32_t max_live = 0;
  std::uint32_t max_hoisted = 0;
};

// Registers whose value the machine has elsewhere: kernel parameters lie in a constant bank that instructions
// read directly, and what is the same for all threads of a CTA is kept in uniform registers or made again.
std::vector<std::uint8_t> find_free_values(const Function& f) {
  std::vector<std::uint32_t> definitions(f.registers.size(), 0);
  for (const Instr& in : f.instrs) for_each_def(in, [&](std::uint32_t r) { ++definitions[r]; });
  std::vector<std::uint8_t> free(f.registers.size(), 0);
  auto is_free = [&](const Operand& o) {
    switch (o.kind) {
      case Operand::Kind::Reg:
        return free[o.index] != 0;
      case Operand::Kind::Imm:
      case Operand::Kind::Symbol:
        return true;
      case Operand::Kind::Sreg: {
        const auto s = static_cast<Sreg>(o.index);
        return s >= Sreg::NtidX && s <= Sreg::NctaidZ;
      }
      default:
        return false;
    }
  };
  // One pass in order of the text: a single definition nearly always precedes its uses.
  for (const Instr& in : f.instrs) {
    if (in.n_dst != 1 || in.dst[0].kind != Operand::Kind::Reg || in.guard.kind != Operand::Kind::None)
      continue;
    if (definitions[in.dst[0].index] != 1) continue;
    bool yes = false;
    if (in.op == Op::Ld)
      yes = f.entry && in.space == Space::Param && in.address.kind == Operand::Kind::Symbol;
    else if (in.op <= Op::Cvta && in.n_src > 0)
      yes = std::all_of(in.src.begin(), in.src.begin() + in.n_src, is_free);
    free[in.dst[0].index] = yes;
  }
  return free;
}

std::uint32_t weight(Type t) {
  return t == Type::Pred ? 0 : bits(t) > 32 ? 2 : 1;
}

bool is_load(const Instr& in) {
  return in.op == Op::Ld && in.space != Space::Param;
}

Liveness analyse(const Function& f, const ControlFlow& cf) {
  const std::vector<RegSet> live_out = live_out_of_blocks(f, cf);
  Liveness result;
  result.intervals.resize(f.registers.size());
  for (std::uint32_t r = 0; r < result.intervals.size(); ++r) result.intervals[r].reg = r;
  const std::vector<std::uint8_t> free = find_free_values(f);
  auto pressure = [&](const RegSet& live) {
    std::uint32_t n = 0;
    live.for_each([&](std::uint32_t r) { n += free[r] ? 0 : weight(f.registers[r].type); });
    return n;
  };
  auto cover = [&](std::uint32_t r, std::uint32_t at) {
    Interval& v = result.intervals[r];
    v.start = std::min(v.start, at);
    v.end = std::max(v.end, at);
  };
  for (std::uint32_t b = 0; b < cf.blocks.size(); ++b) {
    const Block& block = cf.blocks[b];
    RegSet live = live_out[b];
    std::uint32_t loaded = 0;
    live.for_each([&](std::uint32_t r) { cover(r, 2 * block.end); });
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Instr& in = f.instrs[i];
      for_each_def(in, [&](std::uint32_t r) {
        cover(r, 2 * i + 1);
        if (is_load(in)) loaded += weight(f.registers[r].type);
      });
      step_back(f, in, live);
      for_each_use(in, [&](std::uint32_t r) { cover(r, 2 * i); });
      if (in.op == Op::Call && f.calls[in.call].pointer.kind == Operand::Kind::Reg)
        cover(f.calls[in.call].pointer.index, 2 * i);
      result.max_live = std::max(result.max_live, pressure(live));
    }
    if (loaded != 0) result.max_hoisted = std::max(result.max_hoisted, pressure(live) + loaded);
    live.for_each([&](std::uint32_t r) { cover(r, 2 * block.first); });
  }
  return result;
}

// Slots of one pool, handed out lowest first. Intervals come sorted by start.
class SlotPool {
 public:
  std::uint32_t take(const Interval& v) {
    while (!busy_.empty() && busy_.top().first < v.start) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    std::uint32_t slot;
    if (free_.empty()) {
      slot = size_++;
    } else {
      slot = free_.top();
      free_.pop();
    }
    busy_.push({v.end, slot});
    return slot;
  }
  std::uint32_t size() const { return size_; }

 private:
  using Busy = std::pair<std::uint32_t, std::uint32_t>;  // end, slot
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t size_ = 0;
};

}  // namespace

RegisterAllocation allocate_registers(const Function& f, const ControlFlow& cf) {
  RegisterAllocation result;
  result.slot.assign(f.registers.size(), kNoTarget);
  Liveness live = analyse(f, cf);
  result.max_live = live.max_live;
  result.max_hoisted = live.max_hoisted;
  std::vector<Interval>& order = live.intervals;
  std::erase_if(order, [](const Interval& v) { return v.start == kNoTarget; });
  std::sort(order.begin(), order.end(), [](const Interval& a, const Interval& b) {
    return a.start != b.start ? a.start < b.start : a.reg < b.reg;
  });
  SlotPool pool64, pool32, predicates;
  for (const Interval& v : order) {
    const Type t = f.registers[v.reg].type;
    SlotPool& pool = t == Type::Pred ? predicates : bits(t) > 32 ? pool64 : pool32;
    result.slot[v.reg] = pool.take(v);
  }
  result.slots64 = pool64.size();
  result.slots32 = pool32.size();
  result.predicates = predicates.size();
  return result;
}

std::uint32_t registers_per_thread(const Function& f, const RegisterAllocation& allocation,
                                   std::uint32_t register_file, std::uint32_t threads_per_sm) {
  // The assembler issues the loads of a block together, with their addresses ready, as long as that costs no
  // occupancy: up to what each thread of a full SM has. One register is the stack's, one is for copies. The
  // hardware never allocates fewer than 16.
  constexpr std::uint32_t kFloor = 16, kCeiling = 255, kOverhead = 2, kAddresses = 6;
  const std::uint32_t needed = allocation.max_live + kOverhead;
  const std::uint32_t wanted =
      std::min(allocation.max_hoisted + kOverhead + kAddresses, register_file / threads_per_sm);
  std::uint32_t n = std::clamp(std::max(needed, wanted), kFloor, kCeiling);
  const std::uint32_t threads = f.required_threads.value_or(f.max_threads.value_or(0));
  if (threads != 0) {
    const std::uint32_t resident = threads * std::max(1u, f.min_ctas.value_or(1));
    n = std::min(n, std::max(kFloor, register_file / std::max(1u, resident) / 8 * 8));
  }
  if (f.max_registers) n = std::min(n, *f.max_registers);
  return n;
}

}  // namespace heddle::ptx
