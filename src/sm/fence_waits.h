// What an SM has under way when a warp fences: the fence ends when all of it has been answered, other warps'
// accesses among them (validation/data/h200_fences.csv). Of one warp's accesses as many answers are waited
// for as were missing; which of them these are is not told apart. A fence behind accesses, answered or not,
// asks where they went, which takes longer than one with nothing behind the SM's last fence.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "sm/warp_mask.h"

namespace heddle::sm {

class FenceWaits {
 public:
  // The warp in this context has sent what will be answered so often, perhaps after the warp has ended.
  void sent(unsigned warp, std::uint32_t answers, bool past_the_sm) {
    sent_[warp] += answers;
    behind_accesses_ |= past_the_sm;
  }
  // One of its answers has come. Returns whose fences end with it.
  WarpMask answered(unsigned warp) {
    ++answered_[warp];
    return fencing_ == 0 ? 0 : ended_with(warp);
  }
  enum class Begun : std::uint8_t { Alone, Behind, Waits };  // Behind: accesses that have been answered
  Begun begin(unsigned warp) {
    const Begun none = std::exchange(behind_accesses_, false) ? Begun::Behind : Begun::Alone;
    Fence& f = fences_[warp];
    f.missing = 0;
    for (unsigned w = 0; w < kMaxWarps; ++w)
      if (missing(w, sent_[w])) f.missing |= bit(w);
    if (f.missing == 0) return none;
    f.until = sent_;
    fencing_ |= bit(warp);
    return Begun::Waits;
  }
  // Nobody fences any more. What is under way will still be answered.
  void forget() {
    fencing_ = 0;
    behind_accesses_ = false;
  }

 private:
  using Counts = std::array<std::uint32_t, kMaxWarps>;
  struct Fence {
    WarpMask missing = 0;  // whose answers
    Counts until{};
  };
  bool missing(unsigned warp, std::uint32_t until) const {
    return static_cast<std::int32_t>(until - answered_[warp]) > 0;
  }
  WarpMask ended_with(unsigned warp) {
    WarpMask ended = 0;
    for (WarpMask m = fencing_; m != 0; m &= m - 1) {
      Fence& f = fences_[first(m)];
      if ((f.missing & bit(warp)) == 0 || missing(warp, f.until[warp])) continue;
      f.missing &= ~bit(warp);
      if (f.missing == 0) ended |= bit(first(m));
    }
    fencing_ &= ~ended;
    return ended;
  }

  Counts sent_{}, answered_{};
  WarpMask fencing_ = 0;
  bool behind_accesses_ = false;  // past the SM, since its last fence
  std::array<Fence, kMaxWarps> fences_{};
};

}  // namespace heddle::sm
