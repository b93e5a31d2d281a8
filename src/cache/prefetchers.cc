#include "cache/prefetchers.h"

#include <array>

#include "cache/next_line.h"

namespace heddle::cache {
namespace {

PrefetcherFactory read_none(config::Reader&) {
  return {};
}

PrefetcherFactory read_next_line(config::Reader& section) {
  NextLineSpec spec;
  spec.fields(section);
  return [spec](const PrefetcherPlace& place) { return std::make_unique<NextLine>(spec, place); };
}

constexpr std::array kPrefetchers = {
    PrefetcherKind{"none", "lines come when a warp asks for them", read_none},
    PrefetcherKind{"next_line", "the lines behind one that was read", read_next_line},
};

}  // namespace

std::span<const PrefetcherKind> prefetchers() {
  return kPrefetchers;
}

void declare(const PrefetcherFactory& make, stats::Groups& all) {
  if (!make) return;
  all.make<PrefetchStats>("prefetch");
  make({})->collect(all);
}

void PrefetchStats::statistics(stats::Visitor& v) {
  v.counter("asked", asked, {"lines", "Lines that the prefetchers asked for"});
  v.counter("sent", sent, {"requests", "Of these, requests that L1s sent"});
  v.counter("sent_sectors", sent_sectors, {"sectors", "Sectors of requests sent"});
  v.counter("global_sent", global_sent, {"requests", "Of requests sent: of global memory"});
  v.counter("answered", answered, {"requests", "Of requests sent: answered"});
  v.counter("refused_page", refused_page,
            {"lines", "Refused: not in the page of what made it ask, or at home in another L1"});
  v.counter("refused_there", refused_there, {"lines", "Refused: in the L1"});
  v.counter("refused_under_way", refused_under_way, {"lines", "Refused: under way"});
  v.counter("refused_mshr_full", refused_mshr_full, {"lines", "Refused: every MSHR in use"});
  v.counter("refused_queue_full", refused_queue_full, {"lines", "Refused: no place in the miss queue"});
  v.counter("refused_reservation", refused_reservation, {"lines", "Refused: every way of the set pending"});
  v.counter("late", late, {"requests", "Under way when the first read came"});
  v.counter("useful", useful, {"requests", "In the L1 when the first read came"});
  v.counter("useless", useless, {"requests", "Gone from the L1, or never stored, before any read"});
  v.counter("left", left, {"lines", "Not read yet when a kernel ended"});
  v.counter("carried", carried, {"lines", "Not read yet when a kernel began"});
  v.ratio("accuracy", useful, sent, {"", "Share of requests sent that were there before the first read"});
}

}  // namespace heddle::cache
