#include "exec/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "base/error.h"
#include "exec/context.h"
#include "exec/cta.h"
#include "exec/kernel_image.h"

namespace heddle::exec {
namespace {

// A loop that waits for another thread contains an atomic, a volatile or an ordered access: after this
// many such turns other lanes get their chance. Turns without one weigh little, so that a loop which merely
// follows an atomic stays together.
constexpr std::uint32_t kSpinTurns = 64;
constexpr std::uint32_t kLongLoopTurns = 1u << 20;

}  // namespace

// ---- life ---------------------------------------------------------------------------------------------

void Warp::start(const KernelImage& image, ExecContext& context, Cta& cta, std::uint32_t index, Mask live) {
  image_ = &image;
  context_ = &context;
  cta_ = &cta;
  index_ = index;
  live_ = live;
  splits_.clear();
  joins_.clear();
  for (Frame& f : frames_) f.used = false;
  local_bytes_ = context.stack_bytes;
  if (std::size_t{local_bytes_} * kLanes > local_capacity_) {
    local_capacity_ = std::size_t{local_bytes_} * kLanes;
    local_ = std::make_unique<std::byte[]>(local_capacity_);
  } else if (local_bytes_ != 0) {
    std::memset(local_.get(), 0, std::size_t{local_bytes_} * kLanes);
  }
  bank_[Place::Constants] = image.constant_bank;
  fill_specials();
  carry_ = 0;
  const std::uint32_t frame = new_frame(0, live);
  enter_frame(frame);
  std::memset(frames_[frame].registers, 0, image.functions[0].register_bytes());
  pc_ = image.functions[0].entry_pc;
  mask_ = live;
  join_ = kNone;
  meet_pc_ = kNone;
  stop_ = Stop::None;
  executed_ = 0;
  turns_ = 0;
  yields_ = 0;
  spin_hint_ = false;
  forced_ = false;
}

// Only the CTA's own coordinates differ from one CTA of a launch to the next on the same warp object.
void Warp::fill_specials() {
  using ptx::Sreg;
  const bool same_launch = specials_of_ == context_->serial && specials_of_ != 0;
  specials_of_ = context_->serial;
  if (image_->special_bytes > specials_bytes_) {
    specials_bytes_ = image_->special_bytes;
    specials_.reset(static_cast<std::byte*>(::operator new (specials_bytes_, std::align_val_t{64})));
  }
  bank_[Place::Specials] = specials_.get();
  const auto& block = context_->block;
  const auto& grid = context_->grid;
  auto value = [&](Sreg r, std::uint32_t lane) -> std::uint64_t {
    const std::uint32_t t = index_ * kLanes + lane;
    const Mask bit = 1u << lane;
    switch (r) {
      case Sreg::TidX:
        return t % block.x;
      case Sreg::TidY:
        return t / block.x % block.y;
      case Sreg::TidZ:
        return t / block.x / block.y;
      case Sreg::NtidX:
        return block.x;
      case Sreg::NtidY:
        return block.y;
      case Sreg::NtidZ:
        return block.z;
      case Sreg::CtaidX:
        return cta_->id.x;
      case Sreg::CtaidY:
        return cta_->id.y;
      case Sreg::CtaidZ:
        return cta_->id.z;
      case Sreg::NctaidX:
        return grid.x;
      case Sreg::NctaidY:
        return grid.y;
      case Sreg::NctaidZ:
        return grid.z;
      case Sreg::Laneid:
        return lane;
      case Sreg::LanemaskEq:
        return bit;
      case Sreg::LanemaskLt:
        return bit - 1;
      case Sreg::LanemaskLe:
        return bit | (bit - 1);
      case Sreg::LanemaskGe:
        return ~(bit - 1);
      case Sreg::LanemaskGt:
        return ~(bit | (bit - 1));
      case Sreg::Warpid:
        return index_;
      case Sreg::Nwarpid:
        return (block.count() + kLanes - 1) / kLanes;
      case Sreg::Smid:
        return context_->view != nullptr ? context_->view->smid() : 0;
      case Sreg::Nsmid:
        return context_->view != nullptr ? context_->view->nsmid() : 1;
      case Sreg::DynamicSmemSize:
        return context_->dynamic_shared;
      case Sreg::TotalSmemSize:
        return context_->shared_bytes;
      case Sreg::Envreg1:
        return context_->grid_workspace >> 32;
      case Sreg::Envreg2:
        return context_->grid_workspace & 0xffffffffu;
      case Sreg::ClusterNctaidX:
      case Sreg::ClusterNctaidY:
      case Sreg::ClusterNctaidZ:
      case Sreg::ClusterNctarank:
        return 1;
      default:
        return 0;
    }
  };
  for (const SpecialUse& use : image_->specials) {
    const bool of_cta = use.reg >= Sreg::CtaidX && use.reg <= Sreg::CtaidZ;
    if (same_launch && !of_cta) continue;
    std::byte* to = specials_.get() + use.offset;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t v = value(use.reg, lane);
      if (use.wide)
        reinterpret_cast<std::uint64_t*>(to)[lane] = v;
      else
        reinterpret_cast<std::uint32_t*>(to)[lane] = static_cast<std::uint32_t>(v);
    }
  }
}

// ---- execution ----------------------------------------------------------------------------------------

Warp::Stop Warp::run(std::uint64_t budget) {
  const Code* const code = image_->code.data();
  PcCount* const counts = context_->counts.data();
  stop_ = Stop::None;
  const std::uint64_t end = executed_ + budget;
  while (executed_ != end) {
    const std::uint32_t pc = pc_;
    const Code& c = code[pc];
    const Mask active = mask_ & (predicates_[c.guard] ^ c.guard_flip);
    counts[pc].issued += 1;
    counts[pc].lanes += static_cast<unsigned>(std::popcount(active));
    pc_ = pc + 1;
    ++executed_;  // here, because handlers read it as the clock
    if (active != 0) [[likely]]
      c.handler(*this, c, active);
    if (pc_ == meet_pc_) meet();
    if (stop_ != Stop::None) [[unlikely]]
      break;
  }
  return stop_ == Stop::None ? Stop::Budget : stop_;
}

// ---- splits and joins ---------------------------------------------------------------------------------

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

void Warp::branch(Mask taken, std::uint32_t target, std::uint32_t reconvergence) {
  const bool backward = target < pc_;
  if (taken == mask_) {
    pc_ = target;
  } else {
    const Mask others = mask_ & ~taken;
    context_->counts[pc_ - 1].divergent += 1;
    if (reconvergence != kNone &&
        (join_ == kNone || joins_[join_].pc != reconvergence || joins_[join_].frame != frame_)) {
      join_ = new_join(reconvergence, mask_, false);
      meet_pc_ = reconvergence;
    }
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
  if (reconvergence != kNone &&
      (join_ == kNone || joins_[join_].pc != reconvergence || joins_[join_].frame != frame_)) {
    join_ = new_join(reconvergence, all, false);
    meet_pc_ = reconvergence;
  }
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
  spin_hint_ = false;
  if (turns_ < kLongLoopTurns) return;
  turns_ = 0;
  stop_ = Stop::Yield;
  const bool others_ready =
      std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; });
  // Splits may spin in turns for lanes that wait at a join: those get their chance after a round of all.
  if (!others_ready || ++yields_ > splits_.size()) {
    yields_ = 0;
    if (!release_one_join() && !others_ready) return;
  }
  // To the far end: every other split runs first.
  splits_.insert(splits_.begin(), {.pc = pc_, .mask = mask_, .join = join_, .frame = frame_});
  mask_ = 0;
  pick_next();
}

// ---- calls --------------------------------------------------------------------------------------------

std::uint32_t Warp::new_frame(std::uint32_t function, Mask lanes) {
  std::uint32_t i = 0;
  while (i < frames_.size() && frames_[i].used) ++i;
  if (i == frames_.size()) {
    frames_.emplace_back();
    frame_storage_.emplace_back();
    storage_bytes_.push_back(0);
  }
  const FunctionImage& f = image_->functions[function];
  const std::size_t predicate_bytes = (f.registers.predicates + 2) * sizeof(Mask);
  const std::size_t need = f.register_bytes() + predicate_bytes;
  if (need > storage_bytes_[i]) {
    storage_bytes_[i] = need;
    frame_storage_[i].reset(static_cast<std::byte*>(::operator new (need, std::align_val_t{64})));
    std::memset(frame_storage_[i].get(), 0, need);
  }
  Frame& frame = frames_[i];
  frame = {.function = function, .lanes = lanes, .used = true};
  frame.registers = frame_storage_[i].get();
  frame.predicates = reinterpret_cast<Mask*>(frame.registers + f.register_bytes());
  std::memset(frame.predicates, 0, predicate_bytes);
  frame.predicates[kPredTrue] = kAllLanes;
  return i;
}

void Warp::enter_frame(std::uint32_t frame) {
  frame_ = frame;
  bank_[Place::Registers] = frames_[frame].registers;
  predicates_ = frames_[frame].predicates;
}

void Warp::leave_frame(std::uint32_t frame, Mask lanes) {
  Frame& f = frames_[frame];
  f.lanes &= ~lanes;
  if (f.lanes == 0) f.used = false;
}

void Warp::call(Mask active, const CallInfo& info, std::uint32_t function) {
  const std::uint32_t caller = frame_;
  const std::uint32_t base =
      frames_[caller].local_base + image_->functions[frames_[caller].function].frame_bytes;
  if (base + image_->functions[function].frame_bytes > local_bytes_)
    throw Error(
        image_->place(pc_ - 1),
        fmt::format(
            "stack overflow: calling '{}' needs more than the {} bytes of local memory each thread has",
            image_->functions[function].source->name, local_bytes_),
        "Recursion may be too deep; raise the stack size of the launch.");
  const std::uint32_t join = new_join(pc_, mask_, true);
  if (mask_ != active) arrive(join, mask_ & ~active);
  const std::uint32_t frame = new_frame(function, active);
  frames_[frame].caller = caller;
  frames_[frame].local_base = base;
  frames_[frame].call = &info;
  std::memset(frames_[frame].registers, 0, image_->functions[function].register_bytes());
  for (const ParamCopy& c : info.arguments)
    for (Mask m = active; m != 0; m &= m - 1) {
      std::byte* const lane = local(std::countr_zero(m));
      std::memcpy(lane + base + c.callee, lane + frames_[caller].local_base + c.caller, c.bytes);
    }
  join_ = join;
  meet_pc_ = kNone;
  mask_ = active;
  enter_frame(frame);
  pc_ = image_->functions[function].entry_pc;
}

void Warp::call_indirect(Mask active, const CallInfo& info, const std::uint32_t* lane_function) {
  const std::uint32_t function = lane_function[std::countr_zero(active)];
  Mask group = 0;
  for (Mask m = active; m != 0; m &= m - 1)
    if (lane_function[std::countr_zero(m)] == function) group |= m & -m;
  if (group != active) {  // the others execute the call again; all meet behind it
    join_ = new_join(pc_, mask_, false);
    if (mask_ != active) arrive(join_, mask_ & ~active);
    splits_.push_back({.pc = pc_ - 1, .mask = active & ~group, .join = join_, .frame = frame_});
    mask_ = group;
  }
  call(group, info, function);
}

void Warp::ret(Mask active) {
  const Frame frame = frames_[frame_];
  if (frame.caller == kNone) {
    exit(active);
    return;
  }
  const std::uint32_t caller_base = frames_[frame.caller].local_base;
  for (const ParamCopy& c : frame.call->results)
    for (Mask m = active; m != 0; m &= m - 1) {
      std::byte* const lane = local(std::countr_zero(m));
      std::memcpy(lane + caller_base + c.caller, lane + frame.local_base + c.callee, c.bytes);
    }
  mask_ &= ~active;
  leave_frame(frame_, active);
  std::uint32_t j = join_;
  while (!joins_[j].call) {
    const std::uint32_t parent = joins_[j].parent;
    drop_from_join(j, active);
    j = parent;
  }
  arrive(j, active);
  if (mask_ == 0) pick_next();
}

void Warp::exit(Mask active) {
  live_ &= ~active;
  mask_ &= ~active;
  for (std::uint32_t f = frame_; f != kNone;) {
    const std::uint32_t caller = frames_[f].caller;
    leave_frame(f, active);
    f = caller;
  }
  for (std::uint32_t j = join_; j != kNone;) {
    const std::uint32_t parent = joins_[j].parent;
    drop_from_join(j, active);
    j = parent;
  }
  if (mask_ == 0) pick_next();
}

// ---- waiting ------------------------------------------------------------------------------------------

void Warp::wait_at_barrier(Mask active, std::uint32_t barrier) {
  if (mask_ != active)
    splits_.push_back({.pc = pc_, .mask = mask_ & ~active, .join = join_, .frame = frame_});
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

std::string Warp::describe() const {
  auto at = [&](std::uint32_t pc) {
    const SourcePlace p =
        image_->place(std::min<std::uint32_t>(pc, static_cast<std::uint32_t>(image_->code.size() - 1)));
    return fmt::format("{}:{}", p.file, p.line);
  };
  std::string out = fmt::format("warp {}:", index_);
  if (live_ == 0) return out + " ended";
  if (mask_ != 0) out += fmt::format(" lanes {:08x} run at {};", mask_, at(pc_));
  for (const Split& s : splits_) {
    const char* what = s.state == State::Barrier ? "wait at barrier"
                       : s.state == State::Sync  ? "wait for other lanes"
                                                 : "ready";
    out += fmt::format(" lanes {:08x} {}", s.mask, what);
    if (s.state == State::Barrier) out += fmt::format(" {}", s.barrier);
    if (s.state == State::Sync) out += fmt::format(" {:08x}", s.required & live_);
    out += fmt::format(" at {};", at(s.state == State::Barrier ? s.pc - 1 : s.pc));
  }
  for (const Join& j : joins_)
    if (j.used && j.arrived != 0)
      out += fmt::format(" lanes {:08x} wait for {:08x} to meet at {};", j.arrived, j.expected & ~j.arrived,
                         at(j.pc));
  return out;
}

}  // namespace heddle::exec
