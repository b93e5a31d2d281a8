// Recognising a warp that has come back to where it was, and one that waits for the clock.
#include <algorithm>

#include "base/hash.h"
#include "exec/image/kernel_image.h"
#include "exec/warp/warp.h"
#include "exec/warp/warp_step.h"

namespace heddle::exec {

namespace {

bool only_computes(const ptx::Instr& in) {
  if (in.op == ptx::Op::Mov && in.src[0].kind == ptx::Operand::Kind::Sreg)
    return static_cast<ptx::Sreg>(in.src[0].index) < ptx::kFirstDynamicSreg;
  return in.op <= ptx::Op::MoveMatrix || in.op == ptx::Op::Bra || in.op == ptx::Op::Nop;
}

}  // namespace

void Warp::add_state(Hasher& h) const {
  for (const std::uint32_t v : {pc_, mask_, carry_, join_, frame_}) h.add(std::uint64_t{v});
  for (const Split& s : splits_)
    for (const std::uint32_t v : {s.pc, s.mask, s.join, s.frame, s.barrier, s.required,
                                  static_cast<std::uint32_t>(s.state), std::uint32_t{s.forced}})
      h.add(std::uint64_t{v});
  for (const Join& j : joins_)
    if (j.used)
      for (const std::uint32_t v : {j.pc, j.expected, j.arrived, j.parent, j.frame}) h.add(std::uint64_t{v});
  h.add(yields_);
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (frames_[i].used) h.add(frame_storage_[i].get(), storage_bytes_[i]);
}

std::uint64_t Warp::state() const {
  // When they go on depends on how often the running lanes have gone round.
  const bool turns =
      std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; }) ||
      std::any_of(joins_.begin(), joins_.end(), [](const Join& j) { return j.used && j.arrived != 0; });
  if (turns) return 0;
  Hasher h;
  add_state(h);
  return std::max<std::uint64_t>(1, h.value());
}

void Warp::forget_repetition() {
  loops_ = 0;
  compare_from_ = kFirstComparison;
  repeats_ = false;
}

// Called after each backward branch from the one numbered compare_from_ on.
bool Warp::has_repeated() {
  constexpr std::uint32_t kLongestPeriod = 4;  // backward branches
  Hasher h;
  add_state(h);
  if (loops_ == compare_from_) {
    seen_state_ = h.value();
  } else if (h.value() == seen_state_) {
    loops_ = compare_from_;  // if it goes on like this, the next turn says so
    return true;
  } else if (loops_ == compare_from_ + kLongestPeriod) {
    compare_from_ *= 2;
  }
  return false;
}

bool Warp::loops_for_ever() {
  constexpr unsigned kLongestTurn = 1u << 12;
  if (!repeats_ || mask_ == 0) return false;
  forget_repetition();
  turns_ = 0;
  const std::uint32_t pc = pc_;
  Hasher before;
  add_state(before);
  for (unsigned i = 0; i < kLongestTurn && only_computes(*image_->code[pc_].instr); ++i) {
    Mask lanes = 0;
    if (step(lanes) != Stop::None) return false;
    if (pc_ != pc) continue;
    Hasher after;
    add_state(after);
    if (after.value() == before.value()) return true;
  }
  return false;
}

std::uint64_t Warp::poll_clock() {
  constexpr std::uint64_t kNear = 32;  // instructions: a loop that does little else
  constexpr std::uint32_t kPatience = 8, kLongestStep = 20;
  clock_polls_ = executed_ - clock_read_at_ < kNear ? clock_polls_ + 1 : 0;
  clock_read_at_ = executed_;
  if (clock_polls_ > kPatience)
    clock_ahead_ += std::uint64_t{1} << std::min(clock_polls_ - kPatience, kLongestStep);
  return executed_ + clock_ahead_;
}

}  // namespace heddle::exec
