// Recognising a warp that has come back to where it was, and one that waits for the clock.
#include <algorithm>

#include "base/hash.h"
#include "exec/warp.h"

namespace heddle::exec {

std::uint64_t Warp::state() const {
  // When they go on depends on how often the running lanes have gone round.
  const bool turns =
      std::any_of(splits_.begin(), splits_.end(), [](const Split& s) { return s.state == State::Ready; }) ||
      std::any_of(joins_.begin(), joins_.end(), [](const Join& j) { return j.used && j.arrived != 0; });
  if (turns) return 0;
  Hasher h;
  for (const std::uint32_t v : {pc_, mask_, carry_, join_, frame_}) h.add(std::uint64_t{v});
  for (const Split& s : splits_)
    for (const std::uint32_t v : {s.pc, s.mask, s.join, s.frame, s.barrier, s.required})
      h.add(std::uint64_t{v});
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (frames_[i].used) h.add(frame_storage_[i].get(), storage_bytes_[i]);
  return std::max<std::uint64_t>(1, h.value());
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
