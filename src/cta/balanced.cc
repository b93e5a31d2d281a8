#include "cta/schedulers.h"

#include <algorithm>

namespace heddle::cta {

void Balanced::start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) {
  block_.start(contexts, layout);
  layout_ = layout;
  ctas_ = ctas;
  given_ = 0;
  turn_.clear();
  at_ = 0;
  room_.assign(layout.clusters * layout.sms_per_cluster, false);
  for (std::uint32_t sm = 0; sm < layout.sms(); ++sm) room_.set(sm);
}

std::optional<Dispatch> Balanced::next(std::span<const std::uint32_t> free) {
  while (given_ != ctas_) {
    while (at_ != turn_.size())
      if (const std::uint32_t sm = turn_[at_++].sm; block_.fits(free[sm])) return Dispatch{sm, given_++, 1};
    share_out(free);
    if (turn_.empty()) return std::nullopt;
  }
  return std::nullopt;
}

// The next turn: a CTA for every SM with room or, when there are fewer CTAs, for those that come first.
void Balanced::share_out(std::span<const std::uint32_t> free) {
  turn_.clear();
  at_ = 0;
  for (std::uint32_t sm = room_.next(0, room_.size()); sm != SmMask::kNone;
       sm = room_.next(sm + 1, room_.size()))
    if (block_.fits(free[sm]))
      turn_.push_back({rank(sm), sm});
    else
      room_.clear(sm);
  if (const std::uint64_t left = ctas_ - given_; left < turn_.size()) {
    std::sort(turn_.begin(), turn_.end(), [](const Seat& a, const Seat& b) { return a.rank < b.rank; });
    turn_.resize(left);
    std::sort(turn_.begin(), turn_.end(), [](const Seat& a, const Seat& b) { return a.sm < b.sm; });
  }
}

// Who gets one of few CTAs: `first` SMs before all others; then an SM of every TPC, a TPC of each cluster
// after the other; then the TPCs' other SMs likewise.
std::uint32_t Balanced::rank(std::uint32_t sm) const {
  const std::uint32_t cluster = sm / layout_.sms_per_cluster, index = sm % layout_.sms_per_cluster;
  const std::uint32_t tpc = layout_.sms_per_tpc, tpcs = layout_.sms_per_cluster / tpc + 1;
  const bool before = sm < first_;
  const std::uint32_t from = cluster == 0 && !before ? first_ : 0;  // where its group of SMs begins
  const std::uint32_t round = index % tpc * tpcs + (index - from) / tpc;
  return before ? round : (tpc * tpcs + round) * layout_.clusters + cluster;
}

void Balanced::ended(std::uint32_t sm, std::uint64_t) {
  room_.set(sm);
}

}  // namespace heddle::cta
