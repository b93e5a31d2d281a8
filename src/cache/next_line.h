// Next-line prefetching: a read of a line asks for the ones behind it (Smith, Cache Memories, 1982).
//
// It asks for the sectors that the read was about: an access that uses one sector of every line would else
// move four.
#pragma once

#include "cache/prefetcher.h"
#include "config/reader.h"

namespace heddle::cache {

struct NextLineSpec {
  enum class On : std::uint8_t { Miss, Tagged, Access };
  std::uint32_t degree = 1;
  On on = On::Miss;
  void fields(config::Reader& r);
};

struct NextLineStats {
  std::uint64_t misses = 0, first_uses = 0, hits = 0;  // that made it ask
  void statistics(stats::Visitor& v);
};

class NextLine final : public Prefetcher {
 public:
  NextLine(const NextLineSpec& spec, const PrefetcherPlace& place) : spec_(spec), line_(place.line.count()) {}
  void hit(const Access& a, Wishes& wishes) override;
  void miss(const Access& a, Wishes& wishes) override;
  void collect(stats::Groups& all) const override { all.add("next_line", stats_); }
  void clear_statistics() override { stats_ = {}; }

 private:
  void ask(const Access& a, Wishes& wishes, std::uint64_t& cause);
  NextLineSpec spec_;
  std::uint64_t line_;
  NextLineStats stats_;
};

}  // namespace heddle::cache
