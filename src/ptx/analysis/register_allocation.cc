#include "ptx/analysis/register_allocation.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "ptx/analysis/liveness.h"

namespace heddle::ptx {
namespace {

struct Interval {
  std::uint32_t reg = 0;
  std::uint32_t start = kNoTarget;  // instruction positions; a use at i and a definition at i may share
  std::uint32_t end = 0;
};

struct Liveness {
  std::vector<Interval> intervals;  // by register; start == kNoTarget: unused
  std::uint32_t max_live = 0;
  std::uint32_t max_hoisted = 0;
  std::uint32_t max_hoisted_to_barriers = 0;
};

bool loads_memory(const Instr& in) {
  return in.op == Op::Tex || in.op == Op::Tld4 || (is_load(in.op) && in.space != Space::Param);
}

// No load moves up across it.
bool holds_loads(Op op) {
  return op >= Op::BarSync && op <= Op::Membar;
}

Liveness analyse(const Function& f, const ControlFlow& cf) {
  const std::vector<RegSet> live_out = live_out_of_blocks(f, cf);
  Liveness result;
  result.intervals.resize(f.registers.size());
  for (std::uint32_t r = 0; r < result.intervals.size(); ++r) result.intervals[r].reg = r;
  const std::vector<std::uint8_t> weights = find_register_weights(f);
  auto pressure = [&](const RegSet& live) {
    std::uint32_t n = 0;
    live.for_each([&](std::uint32_t r) { n += weights[r]; });
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
    std::uint32_t loaded = 0, since = 0;  // in the block; behind the next barrier above
    auto hoist = [&] {
      if (since != 0)
        result.max_hoisted_to_barriers = std::max(result.max_hoisted_to_barriers, pressure(live) + since);
      since = 0;
    };
    live.for_each([&](std::uint32_t r) { cover(r, 2 * block.end); });
    for (std::uint32_t i = block.end; i-- > block.first;) {
      const Instr& in = f.instrs[i];
      for_each_def(f, in, [&](std::uint32_t r) {
        cover(r, 2 * i + 1);
        if (!loads_memory(in) || !live.contains(r)) return;  // of a texel nobody may read a component
        loaded += weights[r];
        since += weights[r];
      });
      step_back(f, in, live);
      for_each_use(f, in, [&](std::uint32_t r) { cover(r, 2 * i); });
      if (in.op == Op::Call && f.calls[in.call].pointer.kind == Operand::Kind::Reg)
        cover(f.calls[in.call].pointer.index, 2 * i);
      result.max_live = std::max(result.max_live, pressure(live));
      if (holds_loads(in.op)) hoist();
    }
    hoist();
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
  result.max_hoisted_to_barriers = live.max_hoisted_to_barriers;
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
                                   std::uint32_t register_file, std::uint32_t threads_per_sm,
                                   bool with_spare) {
  if (f.assembled_registers) return *f.assembled_registers;
  // The assembler issues the loads of a block together, with their addresses ready, as long as that costs no
  // occupancy: up to what each thread of a full SM has, or, where more is needed anyway, to the next unit of
  // allocation that leaves some to spare (as ptxas 13.0 does with 16 to 64 sums alive and 48 loads: 37, 46,
  // 56, 62, 70, 77). One register is the stack's, one is for copies. The hardware never allocates fewer
  // than 16.
  constexpr std::uint32_t kFloor = 16, kCeiling = 255, kOverhead = 2, kAddresses = 6, kUnit = 8;
  const std::uint32_t needed = allocation.max_live + kOverhead + f.array_registers;
  const std::uint32_t full = register_file / threads_per_sm;
  const std::uint32_t room =
      needed <= full || !with_spare ? full : (needed + kAddresses + kUnit - 1) / kUnit * kUnit;
  const std::uint32_t hoisted = with_spare ? allocation.max_hoisted_to_barriers : allocation.max_hoisted;
  const std::uint32_t wanted = std::min(hoisted + kOverhead + kAddresses, room);
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
