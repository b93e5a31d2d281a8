// How a component declares its statistics: plain 64-bit counters in a struct, and one function that names
// them.
//
//   struct L1Stats {
//     std::uint64_t requests = 0, hits = 0, most_waiting = 0;
//     stats::Histogram<16, 8> latency;
//     void statistics(stats::Visitor& v) {
//       v.counter("requests", requests, {"requests", "Line requests that arrived", "l1tex__t_requests.sum"});
//       v.counter("hits", hits, {"requests", "Requests that found their line"});
//       v.peak("most_waiting", most_waiting, {"requests", "Longest the queue ever was"});
//       v.histogram("latency", latency, {"cycles", "From request to reply"});
//       v.ratio("hit_rate", hits, requests, {"", "Share of requests that hit"});
//     }
//   };
//
// The hot path writes `++stats.hits`. Only when results are wanted does a visitor walk the declarations:
// snapshot.h collects, adds and clears; the writers print.
#pragma once

#include <cstdint>
#include <string_view>

#include "stats/histogram.h"

namespace heddle::stats {

struct About {
  std::string_view unit;         // "requests", "bytes", "cycles"; empty for a ratio
  std::string_view description;  // one sentence
  std::string_view nsight = {};  // Nsight Compute's metric, only where it means the same
};

class Visitor {
 public:
  virtual ~Visitor() = default;

  // Counts events; parts of a machine add up.
  virtual void counter(std::string_view name, std::uint64_t& value, const About& about) = 0;
  // The largest value seen; of several parts the largest counts.
  virtual void peak(std::string_view name, std::uint64_t& value, const About& about) = 0;
  virtual void histogram(std::string_view name, HistogramRef value, const About& about) = 0;
  // above / below, both declared before in the same struct: the formula's text is made from their names.
  virtual void ratio(std::string_view name, const std::uint64_t& above, const std::uint64_t& below,
                     const About& about) = 0;
  // Any other value computed from counters; `formula` says how, in their names. Not a number means "no
  // value".
  virtual void derived(std::string_view name, double value, std::string_view formula, const About& about) = 0;

  // Statistics of a part, under `name.`.
  template <class S>
  void group(std::string_view name, S& part) {
    enter(name);
    part.statistics(*this);
    leave();
  }
  template <std::size_t Bins, std::uint64_t Width>
  void histogram(std::string_view name, Histogram<Bins, Width>& value, const About& about) {
    histogram(name, value.ref(), about);
  }
  template <std::size_t Bins>
  void histogram(std::string_view name, Log2Histogram<Bins>& value, const About& about) {
    histogram(name, value.ref(), about);
  }

 protected:
  virtual void enter(std::string_view) {}
  virtual void leave() {}
};

}  // namespace heddle::stats
