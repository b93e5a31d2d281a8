// Greedy and distributed: SMs take turns within their cluster.
#include "cta/schedulers.h"

namespace heddle::cta {

void ClusterTurns::start(const SmLayout& layout) {
  layout_ = layout;
  room_.assign(layout.sms(), true);
  cursor_.resize(layout.clusters);
  for (std::uint32_t c = 0; c < layout.clusters; ++c) cursor_[c] = c * layout.sms_per_cluster;
}

std::uint32_t ClusterTurns::take(std::uint32_t cluster, std::span<const std::uint32_t> free,
                                 const BlockRule& block) {
  const std::uint32_t begin = cluster * layout_.sms_per_cluster;
  const std::uint32_t end = std::min(begin + layout_.sms_per_cluster, room_.size());
  for (;;) {
    const std::uint32_t sm = room_.next_round(cursor_[cluster], begin, end);
    if (sm == SmMask::kNone) return SmMask::kNone;
    if (block.fits(free[sm])) {
      cursor_[cluster] = sm + 1;
      return sm;
    }
    room_.clear(sm);
  }
}

std::uint32_t ClusterTurns::first_cluster() const {
  const std::uint32_t sm = room_.next(0, room_.size());
  return sm == SmMask::kNone ? SmMask::kNone : cluster_of(sm);
}

void Greedy::start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) {
  block_.start(contexts, layout);
  turns_.start(layout);
  ctas_ = ctas;
  given_ = 0;
}

std::optional<Dispatch> Greedy::next(std::span<const std::uint32_t> free) {
  if (given_ == ctas_) return std::nullopt;
  for (;;) {
    const std::uint32_t cluster = turns_.first_cluster();
    if (cluster == SmMask::kNone) return std::nullopt;
    const std::uint32_t sm = turns_.take(cluster, free, block_);
    if (sm != SmMask::kNone) return Dispatch{sm, given_++, 1};
  }
}

void Greedy::ended(std::uint32_t sm, std::uint64_t) {
  turns_.may_have_room(sm);
}

// Rule 6 (i): the first (ctas mod clusters) pools have one CTA more.
void Distributed::start(std::uint64_t ctas, std::uint32_t contexts, const SmLayout& layout) {
  block_.start(contexts, layout);
  turns_.start(layout);
  pools_.resize(layout.clusters);
  open_.assign(layout.clusters, false);
  const std::uint64_t share = ctas / layout.clusters, more = ctas % layout.clusters;
  std::uint64_t at = 0;
  for (std::uint32_t c = 0; c < layout.clusters; ++c) {
    pools_[c] = {at, at + share + (c < more ? 1 : 0)};
    if (pools_[c].next != pools_[c].end) open_.set(c);
    at = pools_[c].end;
  }
  left_ = ctas;
  cursor_ = 0;
}

std::optional<Dispatch> Distributed::next(std::span<const std::uint32_t> free) {
  for (;;) {
    const std::uint32_t cluster = open_.next_round(cursor_, 0, open_.size());
    if (cluster == SmMask::kNone) return std::nullopt;
    const std::uint32_t sm = turns_.take(cluster, free, block_);
    if (sm == SmMask::kNone) {
      open_.clear(cluster);
      continue;
    }
    Pool& pool = pools_[cluster];
    const Dispatch d{sm, pool.next, block_.count(pool.end - pool.next)};
    pool.next += d.count;
    left_ -= d.count;
    if (pool.next == pool.end) open_.clear(cluster);
    cursor_ = cluster + 1;  // clusters take turns, so that all of them fill at the same pace
    return d;
  }
}

void Distributed::ended(std::uint32_t sm, std::uint64_t) {
  turns_.may_have_room(sm);
  const std::uint32_t cluster = turns_.cluster_of(sm);
  if (pools_[cluster].next != pools_[cluster].end) open_.set(cluster);
}

}  // namespace heddle::cta
