#include "gpu/detail.h"

#include <algorithm>
#include <tuple>

namespace heddle::gpu {

using sim::Cycle;

void CtaKeeper::cta_started(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, Cycle now) {
  spans_.cta_started(sm, context, cta, now);
  if (next_ != nullptr) next_->cta_started(sm, context, cta, now);
}

void CtaKeeper::cta_ended(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, Cycle now) {
  spans_.cta_ended(sm, context, cta, now);
  if (next_ != nullptr) next_->cta_ended(sm, context, cta, now);
}

void CtaKeeper::launch_end(const std::vector<RunDetail::Launch>& launches, Cycle now) {
  std::vector<RunDetail::Cta> all;
  for (std::uint32_t sm = 0; sm < sms_; ++sm)
    for (const CtaSpans::Span& s : spans_.of(sm)) {
      const auto after =
          std::upper_bound(launches.begin(), launches.end(), s.start,
                           [](Cycle c, const RunDetail::Launch& launch) { return c < launch.from; });
      const auto launch = static_cast<std::uint32_t>(after - launches.begin() - 1);
      all.push_back({launch, sm, s.cta, s.start, s.end == sim::kNever ? now : s.end});
    }
  std::sort(all.begin(), all.end(), [](const RunDetail::Cta& a, const RunDetail::Cta& b) {
    return std::tuple(a.from, a.launch, a.cta) < std::tuple(b.from, b.launch, b.cta);
  });
  for (const RunDetail::Cta& c : all) {
    if (of_++ % every_ == 0) kept_.push_back(c);
    if (kept_.size() <= kMost) continue;
    // Those at even places were every (2n)-th.
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize((kept_.size() + 1) / 2);
    every_ *= 2;
  }
  spans_ = CtaSpans(sms_);
}

}  // namespace heddle::gpu
