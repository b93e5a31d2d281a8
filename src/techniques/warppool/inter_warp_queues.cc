#include "techniques/warppool/inter_warp_queues.h"

#include <algorithm>
#include <bit>

namespace heddle::warppool {

InterWarpQueues::InterWarpQueues(const WarpPoolSpec& spec)
    : tags_per_queue_(spec.tags),
      loads_per_tag_(std::min(spec.loads_per_tag, spec.metadata_entries)),
      tags_(spec.window()),
      bits_((spec.window() + 63) / 64),
      in_order_(2 * spec.window()) {}

bool InterWarpQueues::insert(std::uint32_t queue, const mem::Request& r, const Load& load) {
  std::uint32_t free = kNone;
  for (std::uint32_t t = queue * tags_per_queue_, end = t + tags_per_queue_; t < end; ++t) {
    if (!is_used(t)) {
      free = std::min(free, t);
      continue;
    }
    Tag& tag = tags_[t];
    if (tag.request.line != r.line || tag.request.no_l1 != r.no_l1 || tag.loads.count == loads_per_tag_)
      continue;
    tag.loads.load[tag.loads.count++] = load;
    tag.request.sectors |= r.sectors;
    tag.request.words |= r.words;
    tag.lowest_warp = std::min(tag.lowest_warp, load.warp);
    return true;
  }
  if (free == kNone) return false;
  Tag& tag = tags_[free];
  tag.request = r;
  tag.order = orders_++;
  tag.lowest_warp = load.warp;
  tag.loads.count = 1;
  tag.loads.load[0] = load;
  bits_[free / 64] |= std::uint64_t{1} << (free % 64);
  ++used_;
  // Tags that left out of turn still lie here; without them there is room for all.
  if (in_order_.full()) {
    RingQueue<Place> left(in_order_.capacity());
    for (; !in_order_.empty(); in_order_.pop()) {
      const Place& p = in_order_.front();
      if (is_used(p.tag) && tags_[p.tag].order == p.order) left.push(p);
    }
    std::swap(in_order_, left);
  }
  in_order_.push({free, tag.order});
  return true;
}

std::uint32_t InterWarpQueues::oldest() {
  for (; !in_order_.empty(); in_order_.pop()) {
    const Place& p = in_order_.front();
    if (is_used(p.tag) && tags_[p.tag].order == p.order) return p.tag;
  }
  return kNone;
}

std::uint32_t InterWarpQueues::lowest_warp() const {
  std::uint32_t best = kNone;
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    for (std::uint64_t m = bits_[word]; m != 0; m &= m - 1) {
      const auto t = static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(m)));
      if (best == kNone || tags_[t].lowest_warp < tags_[best].lowest_warp ||
          (tags_[t].lowest_warp == tags_[best].lowest_warp && tags_[t].order < tags_[best].order))
        best = t;
    }
  }
  return best;
}

void InterWarpQueues::free(std::uint32_t t) {
  bits_[t / 64] &= ~(std::uint64_t{1} << (t % 64));
  --used_;
}

}  // namespace heddle::warppool
