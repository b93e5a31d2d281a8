// Instructions that wait for their operands while their warp goes on.
//
// PTX stands in the order in which a compiler front end left it: a load, its use, the next load. The vendor's
// assembler moves loads up and fills latencies with what is independent, in a basic block and, by unrolling,
// in four rounds of a short loop; it renames registers where they are in the way. A machine that issued PTX
// in order would wait for every load by itself. So a warp may set aside up to `depth` instructions whose
// operands are not there and issue what follows. They have been executed functionally, in order; what is set
// aside is their time. Each keeps when its operands come: writing a register again does not disturb it.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/time.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

class RunAhead {
 public:
  using Cycle = sim::Cycle;
  // A time from here on is not known yet: it names the memory instruction or the instruction set aside that
  // will tell (kPending + record, or kSetAside + number).
  static constexpr Cycle kPending = Cycle{1} << 63;
  static constexpr Cycle kSetAside = kPending + (Cycle{1} << 62);

  struct Entry {
    const workload::StaticInstr* instr = nullptr;
    Cycle name = 0;  // what registers hold that it will write
    Cycle at = 0;    // operands that are known
    std::uint32_t n_waits = 0;
    std::array<Cycle, 7> waits{};
    Cycle ready() const { return n_waits == 0 ? at : kPending; }
  };

  RunAhead(std::uint32_t warps, std::uint32_t depth) : depth_(depth), queues_(depth == 0 ? 0 : warps) {
    for (auto& q : queues_) q.reserve(depth);
  }

  bool enabled() const { return depth_ != 0; }
  bool empty(unsigned warp) const { return depth_ == 0 || queues_[warp].empty(); }
  bool full(unsigned warp) const { return queues_[warp].size() >= depth_; }
  std::uint32_t size(unsigned warp) const { return static_cast<std::uint32_t>(queues_[warp].size()); }
  const Entry& at(unsigned warp, std::uint32_t i) const { return queues_[warp][i]; }
  void clear(unsigned warp) {
    if (depth_ != 0) queues_[warp].clear();
  }

  // `operands`: when each source of `instr` is there. Returns the name for its results.
  Cycle add(unsigned warp, const workload::StaticInstr& instr, Cycle earliest,
            const std::array<Cycle, 7>& operands) {
    Entry e;
    e.instr = &instr;
    e.name = kSetAside + number_++;
    e.at = earliest;
    for (std::uint32_t k = 0; k < instr.n_src; ++k) {
      if (operands[k] >= kPending)
        e.waits[e.n_waits++] = operands[k];
      else
        e.at = std::max(e.at, operands[k]);
    }
    queues_[warp].push_back(e);
    return e.name;
  }

  // The oldest that can go now, or the one that can go first; its time is kPending or later when none is
  // known.
  std::uint32_t next(unsigned warp, Cycle now) const {
    const auto& q = queues_[warp];
    std::uint32_t best = 0;
    for (std::uint32_t i = 0; i < q.size(); ++i) {
      if (q[i].ready() <= now) return i;
      if (q[i].ready() < q[best].ready()) best = i;
    }
    return best;
  }
  Entry take(unsigned warp, std::uint32_t i) {
    auto& q = queues_[warp];
    const Entry e = q[i];
    q.erase(q.begin() + i);
    return e;
  }

  // What `name` stands for is known: those who wait for it hear.
  void resolve(unsigned warp, Cycle name, Cycle at) {
    if (depth_ == 0) return;
    for (Entry& e : queues_[warp])
      for (std::uint32_t k = 0; k < e.n_waits;) {
        if (e.waits[k] != name) {
          ++k;
          continue;
        }
        e.at = std::max(e.at, at);
        e.waits[k] = e.waits[--e.n_waits];
      }
  }

 private:
  std::uint32_t depth_;
  std::vector<std::vector<Entry>> queues_;  // by warp, oldest first
  Cycle number_ = 0;
};

}  // namespace heddle::sm
