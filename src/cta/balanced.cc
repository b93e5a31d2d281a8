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
  whole_turns_ = turns_ahead_ = 0;
  clusters_had_ = ahead_;
  contexts_ = contexts;
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
  if (given_ == 0 && ahead_ != 0 && !turn_.empty() && turn_.front().sm < first_)
    whole_turns_ = turns_ahead_ = std::min<std::uint64_t>(ctas_ / turn_.size(), contexts_);
  if (whole_turns_ != 0) return first_go_ahead();
  if (const std::uint64_t left = ctas_ - given_; left < turn_.size()) {
    std::sort(turn_.begin(), turn_.end(), [](const Seat& a, const Seat& b) { return a.rank < b.rank; });
    turn_.resize(left);
    std::sort(turn_.begin(), turn_.end(), [](const Seat& a, const Seat& b) { return a.sm < b.sm; });
  }
}

// A whole turn of the other SMs; the first ones come in between when it is theirs.
void Balanced::first_go_ahead() {
  --whole_turns_;
  const auto others = std::find_if(turn_.begin(), turn_.end(), [&](const Seat& s) { return s.sm >= first_; });
  const std::vector<Seat> first(turn_.begin(), others), rest(others, turn_.end());
  turn_.clear();
  std::uint32_t cluster = ~0u;
  for (const Seat& seat : rest) {
    if (const std::uint32_t its = seat.sm / layout_.sms_per_cluster; its != cluster) {
      cluster = its;
      if (clusters_had_ >= ahead_ && turns_ahead_ != 0) {
        --turns_ahead_;
        turn_.insert(turn_.end(), first.begin(), first.end());
        clusters_had_ =
            turn_.size() == first.size() && given_ == 0 ? 1 : 0;  // a cluster earlier the first time
      }
      ++clusters_had_;
    }
    turn_.push_back(seat);
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
