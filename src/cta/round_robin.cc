#include "cta/schedulers.h"

namespace heddle::cta {

void RoundRobin::start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) {
  block_.start(contexts, layout);
  layout_ = layout;
  ctas_ = ctas;
  given_ = 0;
  cursor_ = 0;
  room_.assign(layout.clusters * layout.sms_per_cluster, false);
  for (std::uint32_t sm = 0; sm < layout.sms(); ++sm) room_.set(turn(sm));
}

std::uint32_t RoundRobin::turn(std::uint32_t sm) const {
  if (fastest_ == Fastest::Sm) return sm;
  return sm % layout_.sms_per_cluster * layout_.clusters + sm / layout_.sms_per_cluster;
}

std::uint32_t RoundRobin::sm_at(std::uint32_t turn) const {
  if (fastest_ == Fastest::Sm) return turn;
  return turn % layout_.clusters * layout_.sms_per_cluster + turn / layout_.clusters;
}

std::optional<Dispatch> RoundRobin::next(std::span<const std::uint32_t> free) {
  if (given_ == ctas_) return std::nullopt;
  for (;;) {
    const std::uint32_t turn = room_.next_round(cursor_, 0, room_.size());
    if (turn == SmMask::kNone) return std::nullopt;
    const std::uint32_t sm = sm_at(turn);
    if (!block_.fits(free[sm])) {
      room_.clear(turn);
      continue;
    }
    const Dispatch d{sm, given_, block_.count(ctas_ - given_)};
    given_ += d.count;
    cursor_ = turn + 1;
    return d;
  }
}

void RoundRobin::ended(std::uint32_t sm, std::uint64_t) {
  room_.set(turn(sm));
}

}  // namespace heddle::cta
