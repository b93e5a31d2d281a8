// In which state each warp of an SM is, cycle by cycle, in Nsight Compute's words: what stands in the way of
// its next instruction. A warp's time is counted when it issues, from the end of its last instruction on
// (sm/sm_states.cc says what held it), so that nobody looks at warps that wait. Only looks on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/time.h"
#include "sm/instruction_timing.h"
#include "sm/warp_mask.h"
#include "stats/visitor.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// Nsight's warp states, and two of Heddle's: contexts whose warp on the card has not come or has gone.
enum class IssueState : std::uint8_t {
  Selected,          // issues
  NotSelected,       // could issue; its scheduler takes another warp
  LongScoreboard,    // a result of global, local or texture memory
  ShortScoreboard,   // a result of shared memory, a special function, a shuffle, a constant
  Wait,              // a result of fixed latency
  Barrier,           // other warps of the CTA
  BranchResolving,   // where its last branch goes
  Membar,            // a fence
  LgThrottle,        // the queue for global and local memory is full
  MioThrottle,       // that for shared memory, special functions, shuffles
  TexThrottle,       // that for textures
  MathPipeThrottle,  // the unit is busy
  ImcMiss,           // a constant that was not in its cache
  NoInstruction,     // its next instruction
  DispatchStall,     // operand collectors
  Drain,             // has exited; its stores are under way
  Sleeping,          // nanosleep
  Misc,
  Gmma,      // matrix products of warp groups
  Starting,  // its context is taken; its first instruction is not due yet (sm.warp_launch)
  Ended,     // its context is taken by a CTA of which others run
};
inline constexpr int kIssueStates = static_cast<int>(IssueState::Ended) + 1;
inline constexpr int kNsightStates = static_cast<int>(IssueState::Gmma) + 1;
std::string_view name(IssueState s);

struct WarpStateStats {
  std::array<std::uint64_t, kIssueStates> cycles{};  // of warps
  std::uint64_t of(IssueState s) const { return cycles[static_cast<std::size_t>(s)]; }
  std::uint64_t sum() const;
  WarpStateStats& operator+=(const WarpStateStats& other);
  void statistics(stats::Visitor& v);
};

class WarpStates {
 public:
  // What is known of a warp between two instructions.
  struct Warp {
    sim::Cycle since = 0;                // all before is counted
    sim::Cycle issues_until = 0;         // its last instruction takes issue slots
    IssueState hold = IssueState::Wait;  // what keeps it after that
    bool refused = false, exited = false;
    sim::Cycle let_go = 0;                      // when acknowledgements or an atomic did not hold it any more
    std::uint64_t throttled = 0, dispatch = 0;  // the counts of its queue or unit, and of collectors, when
                                                // it became ready
    std::uint64_t held = 0;                     // cycles in which a load front held it since
    const workload::StaticInstr* last = nullptr;
    const workload::StaticInstr* code = nullptr;
    std::vector<IssueState> of_register;  // what one waits for who waits for it
  };
  Warp& operator[](unsigned warp) { return warps_[warp]; }

  // A scheduler whose operand collectors may all be taken, until it is free.
  struct Scheduler {
    std::uint64_t taken = 0;  // cycles before its last instruction in which they were
    sim::Cycle from = 0;      // the end of that instruction's issue slots
  };
  // The units of a sub-core, or of the SM.
  struct Pool {
    std::array<sim::Cycle, kUnitKinds> issued{};   // the last instruction, by kind
    std::array<std::uint64_t, kUnitKinds> busy{};  // cycles before that in which all of the kind were
    std::uint64_t memory = 0;  // cycles in which the load/store unit took nothing from here
  };
  std::vector<Pool> pools;
  std::vector<Scheduler> schedulers;
  std::uint64_t stalled = 0;        // cycles in which the whole pipeline was (sm.lsu_stalls_issue)
  WarpMask ready = 0, refused = 0;  // who is known to be
  // What holds from the last step on.
  struct Between {
    sim::Cycle from = 0;
    bool full = false;  // the load/store unit
    sim::Cycle stalls_until = 0;
    WarpMask held = 0;  // ready, held by a load front
  } between;

  void started(unsigned warp, const workload::StaticCode& code, sim::Cycle now);
  // The warp has been in the state until that cycle, from where its count stands; nothing past `end`.
  void until(unsigned warp, IssueState state, sim::Cycle at, sim::Cycle end) {
    Warp& w = warps_[warp];
    at = std::min(at, end);
    if (at <= w.since) return;
    stats_.cycles[static_cast<std::size_t>(state)] += at - w.since;
    w.since = at;
  }
  // The same, that many cycles.
  void add(unsigned warp, IssueState state, std::uint64_t cycles, sim::Cycle end) {
    until(warp, state, warps_[warp].since + cycles, end);
  }
  // What execution refused is tried again.
  void let_go(WarpMask warps, sim::Cycle now);
  void set_results(unsigned warp, const workload::StaticInstr& i, IssueState state);
  // A constant that the warp's last instruction reads was not in its cache.
  void constant_missed(unsigned warp);

  const WarpStateStats& statistics() const { return stats_; }
  // A launch begins; nothing is resident.
  void clear() { stats_ = {}; }

 private:
  std::array<Warp, kMaxWarps> warps_;
  WarpStateStats stats_;
};

}  // namespace heddle::sm
