#include "sm/warp_states.h"

#include <numeric>
#include <span>

namespace heddle::sm {

namespace {

struct StateText {
  std::string_view name, text, nsight;
};
constexpr std::array<StateText, kIssueStates> kIssueStateTexts = {{
    {"selected", "Of warps that issue (with measure.warp_states)", "smsp__warps_issue_stalled_selected.sum"},
    {"not_selected", "Of warps that could issue while their scheduler took another warp",
     "smsp__warps_issue_stalled_not_selected.sum"},
    {"long_scoreboard", "Of warps that wait for a result of global, local or texture memory",
     "smsp__warps_issue_stalled_long_scoreboard.sum"},
    {"short_scoreboard",
     "Of warps that wait for a result of shared memory, a special function, a shuffle, a constant",
     "smsp__warps_issue_stalled_short_scoreboard.sum"},
    {"wait", "Of warps that wait for a result of fixed latency", "smsp__warps_issue_stalled_wait.sum"},
    {"barrier", "Of warps that wait for others of their CTA at a barrier",
     "smsp__warps_issue_stalled_barrier.sum"},
    {"branch_resolving", "Of warps whose branch is being resolved",
     "smsp__warps_issue_stalled_branch_resolving.sum"},
    {"membar", "Of warps that wait at a fence", "smsp__warps_issue_stalled_membar.sum"},
    {"lg_throttle", "Of warps whose access to global or local memory finds the load/store queue full",
     "smsp__warps_issue_stalled_lg_throttle.sum"},
    {"mio_throttle",
     "Of warps whose access to shared memory, special function or shuffle finds its queue full",
     "smsp__warps_issue_stalled_mio_throttle.sum"},
    {"tex_throttle", "Of warps whose access to a texture finds its queue full",
     "smsp__warps_issue_stalled_tex_throttle.sum"},
    {"math_pipe_throttle", "Of warps whose unit is busy", "smsp__warps_issue_stalled_math_pipe_throttle.sum"},
    {"imc_miss", "Of warps that wait for a constant that was not in its cache",
     "smsp__warps_issue_stalled_imc_miss.sum"},
    {"no_instruction", "Of warps that wait for their next instruction",
     "smsp__warps_issue_stalled_no_instruction.sum"},
    {"dispatch_stall", "Of warps that could issue while all operand collectors were taken",
     "smsp__warps_issue_stalled_dispatch_stall.sum"},
    {"drain", "Of warps that have exited, with stores under way", "smsp__warps_issue_stalled_drain.sum"},
    {"sleeping", "Of warps that sleep; nanosleep takes no time here",
     "smsp__warps_issue_stalled_sleeping.sum"},
    {"misc", "Of warps that wait for something else; nothing here", "smsp__warps_issue_stalled_misc.sum"},
    {"gmma", "Of warps that wait for matrix products of warp groups; refused here",
     "smsp__warps_issue_stalled_gmma.sum"},
    {"starting", "Of warps whose first instruction is not due yet; on the card they are not resident", ""},
    {"ended", "Of warps that have ended while others of their CTA run; on the card they are not resident",
     ""},
}};

}  // namespace

std::string_view name(IssueState s) {
  return kIssueStateTexts[static_cast<std::size_t>(s)].name;
}

std::uint64_t WarpStateStats::sum() const {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
}

WarpStateStats& WarpStateStats::operator+=(const WarpStateStats& other) {
  for (std::size_t s = 0; s < cycles.size(); ++s) cycles[s] += other.cycles[s];
  return *this;
}

void WarpStateStats::statistics(stats::Visitor& v) {
  for (std::size_t s = 0; s < cycles.size(); ++s) {
    const StateText& t = kIssueStateTexts[s];
    v.counter(t.name, cycles[s], {"warp cycles", t.text, t.nsight});
  }
}

void WarpStates::started(unsigned warp, const workload::StaticCode& code, sim::Cycle now) {
  Warp& w = warps_[warp];
  std::vector<IssueState> registers = std::move(w.of_register);
  registers.assign(code.registers, IssueState::Wait);
  w = {};
  w.since = w.issues_until = now;
  w.hold = IssueState::Starting;
  w.code = code.instr.data();
  w.of_register = std::move(registers);
}

void WarpStates::let_go(WarpMask warps, sim::Cycle now) {
  refused &= ~warps;
  for (; warps != 0; warps &= warps - 1) {
    warps_[first(warps)].refused = true;
    warps_[first(warps)].let_go = now;
  }
}

void WarpStates::set_results(unsigned warp, const workload::StaticInstr& i, IssueState state) {
  Warp& w = warps_[warp];
  for (std::uint32_t k = 0; k < i.n_dst; ++k) w.of_register[i.dst[k]] = state;
  if (i.more == 0) return;
  for (const workload::StaticInstr& rest : std::span(w.code + i.rest(), i.more))
    for (std::uint32_t k = 0; k < rest.n_dst; ++k) w.of_register[rest.dst[k]] = state;
}

void WarpStates::constant_missed(unsigned warp) {
  Warp& w = warps_[warp];
  if (w.hold == IssueState::ShortScoreboard) w.hold = IssueState::ImcMiss;
  set_results(warp, *w.last, IssueState::ImcMiss);
}

}  // namespace heddle::sm
