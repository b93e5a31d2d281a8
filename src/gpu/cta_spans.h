// When each CTA ran on which SM and in which of its contexts.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/sm.h"

namespace heddle::gpu {

// Collects CTA spans. SMs run on several threads, each writes only to its own list.
class CtaSpans final : public sm::CtaObserver {
 public:
  explicit CtaSpans(std::uint32_t sms) : of_sm_(sms) {}

  struct Span {
    std::uint64_t cta = 0;
    std::uint32_t context = 0;
    sim::Cycle start = 0, end = sim::kNever;  // kNever: has not ended
  };
  std::uint32_t sms() const { return static_cast<std::uint32_t>(of_sm_.size()); }
  const std::vector<Span>& of(std::uint32_t sm) const { return of_sm_[sm].spans; }

  void cta_started(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) override;
  void cta_ended(std::uint32_t sm, std::uint32_t context, std::uint64_t cta, sim::Cycle now) override;

 private:
  struct alignas(64) OfSm {
    std::vector<Span> spans;            // by start
    std::vector<std::size_t> resident;  // by context: its span
  };
  std::vector<OfSm> of_sm_;
};

}  // namespace heddle::gpu
