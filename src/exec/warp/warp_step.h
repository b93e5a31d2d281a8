// One instruction of a warp. In a header of its own: whoever issues instructions has it inline.
#pragma once

#include <bit>

#include "exec/warp/context.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

inline Warp::Stop Warp::step(Mask& lanes) {
  const std::uint32_t pc = pc_;
  const Code& c = code_[pc];
  const Mask active = guarded(c);
  PcCount& count = counts_[pc];
  count.issued += 1;
  count.lanes += static_cast<unsigned>(std::popcount(active));
  lanes = active;
  pc_ = pc + 1;
  ++executed_;
  stop_ = Stop::None;
  if (active != 0) [[likely]]
    c.handler(*this, c, active);
  else if (c.even_if_none) [[unlikely]]
    c.handler(*this, c, active);
  if (pc_ == meet_pc_) meet();
  return stop_;
}

}  // namespace heddle::exec
