#include "gpu/cta_spans.h"

namespace heddle::gpu {

using sim::Cycle;

void CtaSpans::cta_started(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, Cycle now) {
  OfSm& s = of_sm_[sm];
  if (s.resident.size() <= context) s.resident.resize(context + 1);
  s.resident[context] = s.spans.size();
  s.spans.push_back({cta, context, now, sim::kNever});
}

void CtaSpans::cta_ended(std::uint32_t sm, std::uint32_t context, std::uint64_t, Cycle now) {
  OfSm& s = of_sm_[sm];
  s.spans[s.resident[context]].end = now;
}

}  // namespace heddle::gpu
