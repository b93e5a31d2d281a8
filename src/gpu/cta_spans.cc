#include "gpu/cta_spans.h"

namespace heddle::gpu {

using sim::Cycle;

void CtaSpans::cta_started(std::uint32_t sm, std::uint32_t slot, std::uint64_t cta, Cycle now) {
  OfSm& s = of_sm_[sm];
  if (s.resident.size() <= slot) s.resident.resize(slot + 1);
  s.resident[slot] = s.spans.size();
  s.spans.push_back({cta, slot, now, sim::kNever});
}

void CtaSpans::cta_ended(std::uint32_t sm, std::uint32_t slot, std::uint64_t, Cycle now) {
  OfSm& s = of_sm_[sm];
  s.spans[s.resident[slot]].end = now;
}

}  // namespace heddle::gpu
