// Gives every warp of a CTA its turn, for execution without time.
#pragma once

#include <cstdint>
#include <functional>

#include "exec/warp/cta.h"

namespace heddle::exec {

using OnExecuted = std::function<void(std::uint64_t)>;

// What a round over the warps of a CTA found.
struct CtaRound {
  std::uint64_t executed = 0;
  bool advanced = false;  // a warp ended or a barrier opened
  bool working = false;   // a warp ran without seeming to spin or being in a long loop
  bool looping = false;   // a warp is in a long loop that may end
  bool endless = false;   // a warp is in a loop that cannot end
  bool runnable = false;  // some warp could run at all
};

// Each warp runs until it waits, ends, seems to spin or has had its share. Where the kernel's accesses are to
// be in step (in_step.h), each waits before such an access for all that have executed fewer instructions in
// this round; of those that have executed as many the lowest goes first. Otherwise one runs after another.
// `on_executed` (may be empty) hears now and then how much has been executed since it last did.
CtaRound run_round(Cta& cta, const OnExecuted& on_executed);

}  // namespace heddle::exec
