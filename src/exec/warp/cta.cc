#include "exec/warp/cta.h"

#include <algorithm>
#include <bit>

namespace heddle::exec {

void Cta::start(const KernelImage& image, ExecContext& context, std::uint64_t linear_id) {
  linear = linear_id;
  id = {static_cast<std::uint32_t>(linear_id % context.grid.x),
        static_cast<std::uint32_t>(linear_id / context.grid.x % context.grid.y),
        static_cast<std::uint32_t>(linear_id / context.grid.x / context.grid.y)};
  shared.assign(context.shared_bytes, std::byte{0});
  barriers = {};
  in_use = 0;
  copies.clear();
  const std::uint64_t threads = context.block.count();
  warps.resize((threads + kLanes - 1) / kLanes);
  in_step = image.in_step && warps.size() > 1;
  for (std::uint32_t w = 0; w < warps.size(); ++w) {
    const std::uint64_t left = threads - std::uint64_t{w} * kLanes;
    warps[w].start(image, context, *this, w, left >= kLanes ? kAllLanes : (1u << left) - 1);
  }
}

bool Cta::done() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& w) { return w.done(); });
}

void Cta::arrive(std::uint32_t barrier, std::uint32_t threads_expected) {
  barriers[barrier].expected = threads_expected;
  barriers[barrier].arrived += kLanes;
  in_use |= 1u << barrier;
}

// A warp counts as a whole once none of its lanes can run: arrivals are in units of warps.
bool Cta::complete(std::uint32_t barrier) const {
  const Barrier& b = barriers[barrier];
  std::uint32_t waiting = 0, running = 0;
  for (const Warp& w : warps) {
    if (w.done()) continue;
    if (w.mask() == 0 && w.waiting_at(barrier) != 0)
      waiting += kLanes;
    else
      ++running;
  }
  if (waiting == 0) return false;
  return b.expected == 0 ? running == 0 : waiting + b.arrived >= b.expected;
}

// bar.red: one value over all threads of the barrier, handed to each.
void Cta::reduce(std::uint32_t barrier) {
  std::uint32_t count = 0, lanes = 0;
  auto visit = [&](auto&& f) {
    for (Warp& w : warps)
      if (!w.done())
        w.for_each_waiting(barrier, [&](Warp& warp, std::uint32_t pc, Mask mask) {
          const Code& code = warp.image().code[pc];
          if (code.instr->op == ptx::Op::BarRed) f(warp, code, mask);
        });
  };
  visit([&](Warp& w, const Code& code, Mask mask) {
    count += static_cast<std::uint32_t>(std::popcount(w.predicate(code.p, code.p_flip) & mask));
    lanes += static_cast<std::uint32_t>(std::popcount(mask));
  });
  if (lanes == 0) return;
  visit([&](Warp& w, const Code& code, Mask mask) {
    switch (code.instr->bar_red) {
      case ptx::BarRedOp::Popc: {
        auto* d = w.out<std::uint32_t>(code.d);
        for (Mask m = mask; m != 0; m &= m - 1) d[std::countr_zero(m)] = count;
        break;
      }
      case ptx::BarRedOp::And:
        w.set_predicate(code.pd, count == lanes ? kAllLanes : 0, mask);
        break;
      case ptx::BarRedOp::Or:
        w.set_predicate(code.pd, count != 0 ? kAllLanes : 0, mask);
        break;
    }
  });
}

bool Cta::release_barriers() {
  bool any = false;
  for (std::uint32_t left = in_use; left != 0; left &= left - 1) {
    const auto b = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!complete(b)) continue;
    reduce(b);
    barriers[b] = {};
    in_use &= ~(1u << b);
    for (Warp& w : warps)
      if (!w.done()) w.release_barrier(b);
    any = true;
  }
  return any;
}

std::string Cta::describe() const {
  std::string out = "CTA " + std::to_string(linear) + ":";
  for (const Warp& w : warps)
    if (!w.done()) out += "\n    " + w.describe();
  return out;
}

}  // namespace heddle::exec
