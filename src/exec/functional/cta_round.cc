#include "exec/functional/cta_round.h"

#include <algorithm>
#include <array>
#include <bit>

#include "exec/image/kernel_image.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kShare = 1u << 20;        // instructions of a warp in a round
constexpr std::uint64_t kReportEvery = 1u << 10;  // instructions of each warp in step
constexpr std::size_t kMostWarps = 32;

void note(CtaRound& round, Warp& warp, Warp::Stop stop, std::uint64_t executed) {
  round.executed += executed;
  round.working |= stop != Warp::Stop::Yield && stop != Warp::Stop::Long;
  round.looping |= stop == Warp::Stop::Long;
  round.advanced |= stop == Warp::Stop::Exited;
  round.endless |= stop == Warp::Stop::Yield && warp.loops_for_ever();
}

bool can_run(const Warp& w) {
  return !w.done() && w.mask() != 0;
}

void one_by_one(Cta& cta, CtaRound& round, const OnExecuted& on_executed) {
  for (Warp& warp : cta.warps) {
    if (!can_run(warp)) continue;
    round.runnable = true;
    const std::uint64_t before = warp.executed();
    const Warp::Stop stop = warp.run(before + kShare);
    note(round, warp, stop, warp.executed() - before);
    if (on_executed) on_executed(warp.executed() - before);
  }
}

// A conservative simulation of warps that all execute one instruction per step. What one does between
// accesses nobody sees. A read may come early if no warp can write before it would have been due.
void in_step(Cta& cta, CtaRound& round, const OnExecuted& on_executed) {
  std::array<std::uint64_t, kMostWarps> begin, at;  // at: instructions before the access it waits with
  std::uint32_t running = 0;
  for (std::size_t i = 0; i < cta.warps.size(); ++i) {
    if (!can_run(cta.warps[i])) continue;
    running |= 1u << i;
    begin[i] = cta.warps[i].executed();
    at[i] = 0;
  }
  round.runnable |= running != 0;
  const Code* const code = cta.warps[0].image().code.data();
  std::uint64_t now = 0, no_write = 0, reported = 0, reported_in_all = 0;
  while (running != 0) {
    std::uint64_t next = ~std::uint64_t{0}, next_write = next;
    for (std::uint32_t m = running; m != 0; m &= m - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(m));
      Warp& warp = cta.warps[i];
      if (at[i] <= now) {
        const Warp::Stop stop = warp.run_to_access(begin[i] + kShare, begin[i] + no_write);
        at[i] = warp.executed() - begin[i];
        if (stop != Warp::Stop::Access) [[unlikely]] {
          note(round, warp, stop, at[i]);
          running &= ~(1u << i);
          continue;
        }
      }
      next = std::min(next, at[i]);
      // Of split lanes others may be nearer to a write than those that run.
      next_write =
          std::min(next_write, at[i] + (warp.is_split() ? 0 : code[warp.pc()].instructions_to_write));
    }
    if (on_executed && running != 0 && next - reported >= kReportEvery) {
      const std::uint64_t more = (next - reported) * static_cast<unsigned>(std::popcount(running));
      on_executed(more);
      reported = next;
      reported_in_all += more;
    }
    now = next;
    no_write = next_write;
  }
  if (on_executed && round.executed > reported_in_all) on_executed(round.executed - reported_in_all);
}

}  // namespace

CtaRound run_round(Cta& cta, const OnExecuted& on_executed) {
  CtaRound round;
  if (cta.in_step)
    in_step(cta, round, on_executed);
  else
    one_by_one(cta, round, on_executed);
  round.advanced |= cta.release_barriers();
  return round;
}

}  // namespace heddle::exec
