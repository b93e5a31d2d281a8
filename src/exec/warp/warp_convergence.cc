// Which lanes of a warp run where: splits, joins, waiting (warp.h explains them).
#include <algorithm>
#include <bit>

#include "exec/image/kernel_image.h"
#include "exec/warp/context.h"
#include "exec/warp/warp.h"

namespace heddle::exec {
namespace {

// A loop that waits for another thread contains an atomic, a volatile or an ordered access: after this
// many such turns other lanes get their chance. Turns without one weigh little, so that a loop which merely
// follows an atomic stays together.
constexpr std::uint32_t kSpinTurns = 64;
constexpr std::uint32_t kLongLoopTurns = 1u << 20;

}  // namespace

std::uint32_t Warp::new_join(std::uint32_t pc, Mask expected, bool call) {
  std::uint32_t i = 0;
  while (i < joins_.size() && joins_[i].used) ++i;
  if (i == joins_.size()) joins_.emplace_back();
  joins_[i] = {.pc = pc,
               .expected = expected,
               .arrived = 0,
               .parent = join_,
               .frame = frame_,
               .call = call,
               .used = true};
  return i;
}

void Warp::resume_from_join(std::uint32_t join, Mask lanes) {
  Join& j = joins_[join];
  j.expected &= ~lanes;
  j.arrived &= ~lanes;
  if (j.expected == 0) j.used = false;
  splits_.push_back({.pc = j.pc, .mask = lanes, .join = j.parent, .frame = j.frame});
}

void Warp::arrive(std::uint32_t join, Mask lanes) {
  Join& j = joins_[join];
  j.arrived |= lanes;
  if (j.arrived == j.expected) resume_from_join(join, j.expected);
}

void Warp::drop_from_join(std::uint32_t join, Mask lanes) {
  Join& j = joins_[join];
  j.expected &= ~lanes;
  if (j.expected == 0)
    j.used = false;
  else if (j.arrived == j.expected)
    resume_from_join(join, j.expected);
}

void Warp::park_current(State state) {
  splits_.push_back({.pc = pc_, .mask = mask_, .join = join_, .frame = frame_, .state = state});
  mask_ = 0;
}

void Warp::run_split(std::size_t i) {
  const Split s = splits_[i];
  splits_.erase(splits_.begin() + static_cast<std::ptrdiff_t>(i));
  pc_ = s.pc;
  mask_ = s.mask;
  join_ = s.join;
  if (frame_ != s.frame) enter_frame(s.frame);
  meet_pc_ = join_ == kNone || joins_[join_].call ? kNone : joins_[join_].pc;
  forced_ = s.forced;
}

bool Warp::pick_next() {
  for (;;) {
    for (std::size_t i = splits_.size(); i-- > 0;) {
      if (splits_[i].state != State::Ready) continue;
      run_split(i);
      if (pc_ == meet_pc_) {  // a nested join may end where the outer one does
        const Mask lanes = mask_;
        mask_ = 0;
        arrive(join_, lanes);
        break;
      }
      return true;
    }
    const bool any_ready =
        std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; });
    if (any_ready) continue;
    if (live_ == 0) {
      stop_ = Stop::Exited;
      return false;
    }
    if (release_waiting_lanes()) continue;
    const bool barrier =
        std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Barrier; });
    stop_ = barrier ? Stop::Barrier : Stop::Stuck;
    return false;
  }
}

// Nobody is ready. Lets lanes that wait at a join go on when parked ones need them.
bool Warp::release_waiting_lanes() {
  Mask needed = 0;
  for (const Split& s : splits_) needed |= s.state == State::Sync ? s.required : live_;
  for (std::size_t i = joins_.size(); i-- > 0;) {
    Join& j = joins_[i];
    if (!j.used || (j.arrived & needed) == 0) continue;
    resume_from_join(static_cast<std::uint32_t>(i), j.arrived);
    return true;
  }
  // Lanes that wait in collective instructions at different places: each place goes on with its own lanes.
  Mask in_sync = 0;
  for (const Split& s : splits_)
    if (s.state == State::Sync) in_sync |= s.mask;
  for (Split& s : splits_) {
    if (s.state != State::Sync || (s.required & live_ & ~in_sync) != 0) continue;
    s.state = State::Ready;
    s.forced = true;
    return true;
  }
  return false;
}

void Warp::meet() {
  if (mask_ == 0) return;
  const Mask lanes = mask_;
  mask_ = 0;
  arrive(join_, lanes);
  pick_next();
}

// The running lanes are about to part. A loop's lanes that leave one by one share the join of the first.
void Warp::expect_to_meet(std::uint32_t pc) {
  if (pc == kNone || (join_ != kNone && joins_[join_].pc == pc && joins_[join_].frame == frame_)) return;
  join_ = new_join(pc, mask_, false);
  meet_pc_ = pc;
}

void Warp::branch(Mask taken, std::uint32_t target, std::uint32_t reconvergence) {
  const bool backward = target < pc_;
  if (taken == mask_) {
    pc_ = target;
  } else {
    const Mask others = mask_ & ~taken;
    context_->counts[pc_ - 1].divergent += 1;
    expect_to_meet(reconvergence);
    if (target == reconvergence) {
      mask_ = others;
      arrive(join_, taken);
    } else if (pc_ == reconvergence) {
      mask_ = taken;
      pc_ = target;
      arrive(join_, others);
    } else if (backward) {
      splits_.push_back({.pc = pc_, .mask = others, .join = join_, .frame = frame_});
      mask_ = taken;
      pc_ = target;
    } else {
      splits_.push_back({.pc = target, .mask = taken, .join = join_, .frame = frame_});
      mask_ = others;
    }
  }
  if (backward) yield_if_spinning();
}

void Warp::branch_indexed(Mask active, const std::uint32_t* lane_target, std::uint32_t reconvergence) {
  const std::uint32_t after = pc_;
  const Mask all = mask_;
  Mask left = active;
  bool first = true;
  expect_to_meet(reconvergence);
  if (std::any_of(lane_target, lane_target + kLanes, [&](const std::uint32_t& t) {
        return (active >> (&t - lane_target) & 1) != 0 && t != lane_target[std::countr_zero(active)];
      }))
    context_->counts[after - 1].divergent += 1;
  if (all != active) {  // predicated off: falls through
    splits_.push_back({.pc = pc_, .mask = all & ~active, .join = join_, .frame = frame_});
  }
  while (left != 0) {
    const std::uint32_t target = lane_target[std::countr_zero(left)];
    Mask group = 0;
    for (Mask m = left; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      if (lane_target[i] == target) group |= 1u << i;
    }
    left &= ~group;
    if (first) {
      pc_ = target;
      mask_ = group;
      first = false;
    } else {
      splits_.push_back({.pc = target, .mask = group, .join = join_, .frame = frame_});
    }
  }
  if (pc_ < after) yield_if_spinning();
}

// ---- in loops that some leave earlier ------------------------------------------------------------------

void Warp::expect_to_meet(const LoopBranch& in_loop) {
  for (const LoopBranch::Meeting& m : in_loop.meetings) {
    std::uint32_t j = join_;
    while (j != kNone && joins_[j].frame == frame_ && !joins_[j].call && joins_[j].pc != m.pc)
      j = joins_[j].parent;
    if (j != kNone && joins_[j].frame == frame_ && !joins_[j].call) continue;
    join_ = new_join(m.pc, mask_, false);
    joins_[join_].loop = m.loop;
  }
}

std::uint32_t Warp::leave_loop(Mask lanes, std::uint32_t loop) {
  std::uint32_t j = join_;
  if (loop == kNone) return j;
  const auto inside = [&](std::uint32_t l) {
    while (l != kNone && l != loop) l = image_->loop_parents[l];
    return l == loop;
  };
  while (j != kNone && joins_[j].frame == frame_ && !joins_[j].call && inside(joins_[j].loop)) {
    const std::uint32_t parent = joins_[j].parent;
    drop_from_join(j, lanes);
    j = parent;
  }
  return j;
}

void Warp::go(Mask lanes, std::uint32_t pc, std::uint32_t join) {
  mask_ = lanes;
  pc_ = pc;
  join_ = join;
  meet_pc_ = join == kNone || joins_[join].call ? kNone : joins_[join].pc;
}

void Warp::branch(Mask taken, std::uint32_t target, const LoopBranch& in_loop) {
  const std::uint32_t next = pc_;
  const Mask others = mask_ & ~taken;
  const bool backward = taken != 0 && target < next;
  if (taken != 0 && others != 0) {
    context_->counts[next - 1].divergent += 1;
    expect_to_meet(in_loop);
  }
  const std::uint32_t join_of_taken = taken == 0 ? kNone : leave_loop(taken, in_loop.left_towards(target));
  const std::uint32_t join_of_others = others == 0 ? kNone : leave_loop(others, in_loop.left_towards(next));
  if (taken != 0 && (backward || others == 0)) {
    if (others != 0) splits_.push_back({.pc = next, .mask = others, .join = join_of_others, .frame = frame_});
    go(taken, target, join_of_taken);
  } else {
    if (taken != 0) splits_.push_back({.pc = target, .mask = taken, .join = join_of_taken, .frame = frame_});
    go(others, next, join_of_others);
  }
  if (backward) yield_if_spinning();
}

void Warp::branch_indexed(Mask active, const std::uint32_t* lane_target, const LoopBranch& in_loop) {
  const std::uint32_t next = pc_;
  const Mask all = mask_;
  Mask left = active;
  const std::uint32_t some = active == 0 ? next : lane_target[std::countr_zero(active)];
  const bool parts =
      all != active || std::any_of(lane_target, lane_target + kLanes, [&](const std::uint32_t& t) {
        return (active >> (&t - lane_target) & 1) != 0 && t != some;
      });
  if (parts && active != 0) {
    context_->counts[next - 1].divergent += 1;
    expect_to_meet(in_loop);
  }
  const auto send = [&](Mask group, std::uint32_t target) {
    splits_.push_back({.pc = target,
                       .mask = group,
                       .join = leave_loop(group, in_loop.left_towards(target)),
                       .frame = frame_});
  };
  if (all != active) send(all & ~active, next);  // predicated off: falls through
  while (left != 0) {
    const std::uint32_t target = lane_target[std::countr_zero(left)];
    Mask group = 0;
    for (Mask m = left; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      if (lane_target[i] == target) group |= 1u << i;
    }
    left &= ~group;
    send(group, target);
  }
  run_split(splits_.size() - 1);
  if (pc_ < next) yield_if_spinning();
}

// Lets the lanes that wait at one join go on: one that the running split is to meet, or else any.
bool Warp::release_one_join() {
  std::uint32_t j = join_;
  while (j != kNone && joins_[j].arrived == 0) j = joins_[j].parent;
  for (std::uint32_t i = 0; j == kNone && i < joins_.size(); ++i)
    if (joins_[i].used && joins_[i].arrived != 0) j = i;
  if (j == kNone) return false;
  resume_from_join(j, joins_[j].arrived);
  return true;
}

// Called after a backward branch of the running split.
void Warp::yield_if_spinning() {
  turns_ += spin_hint_ ? kLongLoopTurns / kSpinTurns : 1;
  hinted_turns_ += spin_hint_;
  spin_hint_ = false;
  repeats_ = ++loops_ >= compare_from_ && has_repeated();
  if (turns_ < kLongLoopTurns && !repeats_) return;
  stop_ = repeats_ || hinted_turns_ >= kSpinTurns / 2 ? Stop::Yield : Stop::Long;
  turns_ = hinted_turns_ = 0;
  const bool others_ready =
      std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; });
  // Splits may spin in turns for lanes that wait at a join: those get their chance after a round of all.
  if (!others_ready || ++yields_ > splits_.size()) {
    yields_ = 0;
    if (!release_one_join() && !others_ready) return;
  }
  forget_repetition();
  // To the far end: every other split runs first.
  splits_.insert(splits_.begin(), {.pc = pc_, .mask = mask_, .join = join_, .frame = frame_});
  mask_ = 0;
  pick_next();
}

// ---- waiting ------------------------------------------------------------------------------------------

void Warp::wait_at_barrier(Mask active, std::uint32_t barrier) {
  if (mask_ != active)
    splits_.push_back({.pc = pc_, .mask = mask_ & ~active, .join = join_, .frame = frame_});
  forget_repetition();
  mask_ = active;
  park_current(State::Barrier);
  splits_.back().barrier = barrier;
  pick_next();
}

void Warp::release_barrier(std::uint32_t barrier) {
  for (Split& s : splits_)
    if (s.state == State::Barrier && s.barrier == barrier) s.state = State::Ready;
  if (mask_ == 0) pick_next();
}

Mask Warp::waiting_at(std::uint32_t barrier) const {
  Mask m = 0;
  for (const Split& s : splits_)
    if (s.state == State::Barrier && s.barrier == barrier) m |= s.mask;
  return m;
}

Mask Warp::gather(Mask active, Mask required, const Code& code) {
  if (forced_) {
    forced_ = false;
    return active;
  }
  if ((required & live_ & ~mask_) == 0) return active;
  Mask group = active, present = mask_, all_required = required;
  const std::uint32_t here = pc_ - 1;
  auto same_place = [&](const Split& s) {
    return s.state == State::Sync && s.pc == here && s.frame == frame_;
  };
  for (const Split& s : splits_)
    if (same_place(s)) {
      group |= s.mask & predicate(code.guard, code.guard_flip);
      present |= s.mask;
      all_required |= s.required;
    }
  if ((all_required & live_ & ~present) == 0) {
    for (Split& s : splits_)
      if (same_place(s)) {
        s.state = State::Ready;
        s.pc = pc_;
      }
    return group;
  }
  pc_ = here;
  park_current(State::Sync);
  splits_.back().required = required & ~splits_.back().mask;
  pick_next();
  return 0;
}

}  // namespace heddle::exec
