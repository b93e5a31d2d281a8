#include "cta/schedulers.h"

namespace heddle::cta {

void Random::start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) {
  block_.start(contexts, layout);
  lots_ = workload::Random(seed_);
  ctas_ = ctas;
  given_ = 0;
  room_.clear();
  place_.assign(layout.sms(), kFull);
  for (std::uint32_t sm = 0; sm < layout.sms(); ++sm) ended(sm, 0);
}

std::optional<Dispatch> Random::next(std::span<const std::uint32_t> free) {
  while (given_ != ctas_ && !room_.empty()) {
    const std::uint32_t drawn = lots_.below(static_cast<std::uint32_t>(room_.size()));
    const std::uint32_t sm = room_[drawn];
    if (block_.fits(free[sm])) return Dispatch{sm, given_++, 1};
    room_[drawn] = room_.back();
    place_[room_[drawn]] = drawn;
    place_[sm] = kFull;
    room_.pop_back();
  }
  return std::nullopt;
}

void Random::ended(std::uint32_t sm, std::uint64_t) {
  if (place_[sm] != kFull) return;
  place_[sm] = static_cast<std::uint32_t>(room_.size());
  room_.push_back(sm);
}

}  // namespace heddle::cta
