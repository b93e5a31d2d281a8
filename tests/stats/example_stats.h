// Two components' statistics, as an example and for the tests.
#pragma once

#include "stats/visitor.h"

namespace heddle::stats {

struct MshrStats {
  std::uint64_t merged = 0;
  std::uint64_t most_used = 0;
  void statistics(Visitor& v) {
    v.counter("merged", merged, {"requests", "Requests that waited for a line already on its way"});
    v.peak("most_used", most_used, {"entries", "Most entries ever in use"});
  }
};

struct L1Stats {
  std::uint64_t requests = 0;
  std::uint64_t hits = 0;
  MshrStats mshr;
  Histogram<4, 10> latency;
  Log2Histogram<5> burst;
  void statistics(Visitor& v) {
    v.counter("requests", requests, {"requests", "Line requests that arrived", "l1tex__t_requests.sum"});
    v.counter("hits", hits, {"requests", "Requests that found their line"});
    v.group("mshr", mshr);
    v.histogram("latency", latency, {"cycles", "From request to reply"});
    v.histogram("burst", burst, {"requests", "Requests in one cycle, \"bursts\""});
    v.ratio("hit_rate", hits, requests, {"", "Share of requests that hit"});
    v.derived("twice", 2.0 * static_cast<double>(hits), "2 hits", {"requests", "An example of a formula"});
  }
};

}  // namespace heddle::stats
