#include "cache/next_line.h"

namespace heddle::cache {

using config::range;

void NextLineSpec::fields(config::Reader& r) {
  r.field("degree", degree, range(1u, 64u), "Lines ahead");
  r.choice("on", on,
           {{"miss", On::Miss, "a miss that meets no prefetch"},
            {"tagged", On::Tagged, "such a miss, and the first read of a prefetched line"},
            {"access", On::Access, "every read"}},
           "What makes it ask");
}

void NextLineStats::statistics(stats::Visitor& v) {
  v.counter("misses", misses, {"requests", "Misses that made it ask"});
  v.counter("first_uses", first_uses, {"requests", "First reads of prefetched lines that made it ask"});
  v.counter("hits", hits, {"requests", "Other hits that made it ask"});
}

void NextLine::hit(const Access& a, Wishes& wishes) {
  if (a.met != Met::Nothing) {
    if (spec_.on != NextLineSpec::On::Miss) ask(a, wishes, stats_.first_uses);
  } else if (spec_.on == NextLineSpec::On::Access) {
    ask(a, wishes, stats_.hits);
  }
}

void NextLine::miss(const Access& a, Wishes& wishes) {
  if (a.met == Met::Nothing)
    ask(a, wishes, stats_.misses);
  else if (spec_.on != NextLineSpec::On::Miss)
    ask(a, wishes, stats_.first_uses);
}

void NextLine::ask(const Access& a, Wishes& wishes, std::uint64_t& cause) {
  ++cause;
  for (std::uint32_t i = 1; i <= spec_.degree; ++i) wishes.fetch(a.line + i * line_, a.sectors);
}

}  // namespace heddle::cache
