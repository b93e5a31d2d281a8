#include "cache/l1_prefetch.h"

#include <algorithm>

#include "cache/l1_cache.h"

namespace heddle::cache {

using mem::Request;
using sim::Cycle;

Met L1Prefetch::first_use(Way w, Mask wanted) {
  if (w == TagStore::kNone || (unread_[w] & wanted) == 0) return Met::Nothing;
  settle(w, stats_.useful);
  return Met::Arrived;
}

void L1Prefetch::hit(Cycle now, const Request& r, Way w) {
  const Met met = first_use(w, r.sectors);
  prefetcher_->hit({now, r.line, r.sectors, r.space, met}, wishes_.of(r.line, r.space));
}

void L1Prefetch::miss(Cycle now, const Request& r, Way w, Entry e, Mask missing) {
  Met met = first_use(w, r.sectors);
  if ((under_way_[e].unread & missing) != 0) {
    under_way_[e].unread = 0;
    ++stats_.late;
    met = Met::UnderWay;
  }
  prefetcher_->miss({now, r.line, r.sectors, r.space, met}, wishes_.of(r.line, r.space));
}

void L1Prefetch::filled(Cycle now, const Request& reply, Entry e, Way w, Mask kept) {
  if (reply.prefetch) {
    ++stats_.answered;
    if (under_way_[e].unread != 0) {
      if (w != TagStore::kNone && kept != 0) {
        unread_[w] = kept;
        ++stats_.left;
      } else {
        ++stats_.useless;
      }
    }
    under_way_[e] = {};
  }
  prefetcher_->filled({now, reply.line, w == TagStore::kNone ? Mask{0} : kept, reply.prefetch},
                      wishes_.of(reply.line, reply.space));
}

void L1Prefetch::evicted(Way w, std::uint64_t line) {
  const bool was_unread = unread(w);
  if (was_unread) settle(w, stats_.useless);
  prefetcher_->evicted(line, was_unread);
}

void L1Prefetch::dropped(Way w, Mask still_valid) {
  if (!unread(w)) return;
  if ((unread_[w] & still_valid) == 0)
    settle(w, stats_.useless);
  else
    unread_[w] &= still_valid;
}

void L1Prefetch::flushed() {
  std::fill(unread_.begin(), unread_.end(), Mask{0});
  stats_.left = 0;
  prefetcher_->flushed();
}

void L1Prefetch::sent(Entry e, Mask asked, bool global) {
  under_way_[e] = {asked, true};
  ++stats_.sent;
  stats_.global_sent += global ? 1 : 0;
  stats_.sent_sectors += mem::sector_count(asked);
}

void L1Prefetch::clear_statistics() {
  const std::uint64_t left = stats_.left;
  stats_ = {};
  stats_.carried = stats_.left = left;
  prefetcher_->clear_statistics();
}

// ---- the L1's part ----------------------------------------------------------------------------------

void L1Cache::grant_wishes(Cycle now) {
  for (const Wishes::Wish& wish : prefetch_->wishes().all()) {
    ++prefetch_->statistics().asked;
    grant(now, wish);
  }
  prefetch_->wishes().clear();
}

void L1Cache::grant(Cycle now, const Wishes::Wish& wish) {
  PrefetchStats& s = prefetch_->statistics();
  const auto refuse = [](std::uint64_t& cause) { ++cause; };
  if (wish.line / kPrefetchPage != wish.from / kPrefetchPage || wish.line % spec_.tags.line.count() != 0)
    return refuse(s.refused_page);
  const mem::HomeMap* homes = spec_.tags.homes.get();
  if (homes != nullptr && homes->home(wish.line) != homes->home(wish.from)) return refuse(s.refused_page);
  if (mshrs_.find(wish.line) != Mshrs::kNone) return refuse(s.refused_under_way);
  Way w = tags_.find(wish.line);
  const Mask valid = w == TagStore::kNone ? Mask{0} : tags_.valid(w);
  const auto missing = static_cast<Mask>(unit(wish.sectors) & tags_.all_sectors() & ~valid);
  if (missing == 0 || (w != TagStore::kNone && prefetch_->unread(w))) return refuse(s.refused_there);
  if (mshrs_full()) return refuse(s.refused_mshr_full);
  if (!room_for_line(w)) return refuse(s.refused_queue_full);
  if (w == TagStore::kNone && spec_.allocate == Allocate::OnMiss) {
    w = make_room(wish.line);
    if (w == TagStore::kNone) return refuse(s.refused_reservation);
  }
  Reader nobody;
  nobody.missing = missing;
  nobody.prefetch = true;
  const Mshrs::Entry e = open(now, wish.line, nobody);
  if (w != TagStore::kNone && spec_.allocate == Allocate::OnMiss) tags_.set_pending(w, missing);
  Request r;
  r.line = wish.line;
  r.born = now;
  r.space = wish.space;
  r.prefetch = true;
  push(r, e, mem::Op::Read, missing);
  prefetch_->sent(e, missing, mem::is_global_read(r));
  // Not a request at this level, but what it fetches a miss may join.
  if (meter_ != nullptr && mem::is_global_read(r)) meter_->under_way(now, r.line);
}

}  // namespace heddle::cache
