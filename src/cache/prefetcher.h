// Slot: what listens to an L1 and asks for lines before a warp does.
//
// One prefetcher per L1, called by it alone, in the cycle of the event:
//   hit(), miss()  a read that looks the tags up was accepted: one call each. Not told are stores, atomics,
//                  what passes the L1 by, and attempts that were refused.
//   filled()       sectors came from below.
//   evicted()      a line made room for another one.
//   flushed()      a kernel has ended, and every line was forgotten.
// It sees lines, sectors and spaces; never data, tokens or the cache itself.
//
// What it wants it says to `wishes`, by line and sectors. The L1 looks at wishes at the end of the cycle,
// when all accesses of the cycle have taken what they need, and once only: a wish is sent or refused, it does
// not wait. Refused is what lies in another page than the event's line (kPrefetchPage: the prefetcher knows
// no translation, and so no prefetch leaves its space), what is there or under way already, what was
// prefetched and not used yet, and what finds no MSHR, no place in the miss queue or no way. What is sent
// takes these like a miss, is a read of the missing ones of the wished sectors with mem::Request::prefetch
// set, and has no reader: a demand that comes meanwhile joins it. What becomes of it the L1 counts
// (PrefetchStats).
//
// An implementation must be deterministic, and counts what is its own in groups of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "mem/request.h"
#include "mem/stage.h"
#include "stats/visitor.h"

namespace heddle::cache {

inline constexpr std::uint64_t kPrefetchPage = 4096;

// Where a prefetcher stands.
struct PrefetcherPlace {
  std::uint32_t sm = 0;
  Bytes line{128};
  bool sectored = false;  // else a wish for any sector is one for the line
  std::uint32_t mshrs = 1;
};

class Wishes {
 public:
  struct Wish {
    std::uint64_t line = 0;
    std::uint64_t from = 0;  // the event's line
    mem::SectorMask sectors = 0;
    mem::Space space = mem::Space::Global;
  };
  // `line`: the address of its first byte; any, what is no line of the event's page is refused.
  void fetch(std::uint64_t line, mem::SectorMask sectors) { all_.push_back({line, from_, sectors, space_}); }

  // For the L1: an event begins; what was wished for in all of them.
  Wishes& of(std::uint64_t line, mem::Space space) {
    from_ = line;
    space_ = space;
    return *this;
  }
  const std::vector<Wish>& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::vector<Wish> all_;
  std::uint64_t from_ = 0;
  mem::Space space_ = mem::Space::Global;
};

// What a read met of an earlier prefetch: nobody had read the line since.
enum class Met : std::uint8_t {
  Nothing,
  Arrived,  // sectors that had come: their first use
  UnderWay  // sectors that have not come yet: late
};

struct Access {
  sim::Cycle now = 0;
  std::uint64_t line = 0;
  mem::SectorMask sectors = 0;  // as the SM asked for
  mem::Space space = mem::Space::Global;
  Met met = Met::Nothing;
};

struct Fill {
  sim::Cycle now = 0;
  std::uint64_t line = 0;
  mem::SectorMask kept = 0;  // 0: nothing was stored
  bool prefetched = false;   // by a request of the prefetcher
};

class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  virtual void hit(const Access&, Wishes&) {}
  virtual void miss(const Access&, Wishes&) {}
  virtual void filled(const Fill&, Wishes&) {}
  // `unused`: it was prefetched, and nobody has read it.
  virtual void evicted(std::uint64_t /*line*/, bool /*unused*/) {}
  virtual void flushed() {}
  // What it counts beside: adds its own groups, which every prefetcher of the kind has, and what must be
  // equal among them when a kernel has ended.
  virtual void collect(stats::Groups&) const {}
  virtual void clear_statistics() {}
  virtual std::vector<mem::Identity> identities(const stats::Groups&) const { return {}; }
};

// What an L1 counts of its prefetcher: the group "prefetch" of machines that have one.
struct PrefetchStats {
  // asked = sent + refusals.
  std::uint64_t asked = 0, sent = 0;
  std::uint64_t refused_page = 0, refused_there = 0, refused_under_way = 0, refused_mshr_full = 0,
                refused_queue_full = 0, refused_reservation = 0;
  std::uint64_t global_sent = 0;  // of `sent`: reads of global memory
  std::uint64_t sent_sectors = 0;
  std::uint64_t answered = 0;
  // carried + sent = late + useful + useless + left.
  std::uint64_t carried = 0, late = 0, useful = 0, useless = 0, left = 0;
  std::uint64_t refusals() const {
    return refused_page + refused_there + refused_under_way + refused_mshr_full + refused_queue_full +
           refused_reservation;
  }
  void statistics(stats::Visitor& v);
};

}  // namespace heddle::cache
