// How many copies of a line the L1s of a machine hold, and which misses another L1 could have served.
//
// Every L1 writes down what comes and goes; between windows the meter puts all that in order and counts. So
// nothing depends on which unit was simulated first, and timing is not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/time.h"
#include "sim/unit.h"
#include "stats/visitor.h"

namespace heddle::mem {

// Of one L1, since the meter last looked.
class ReplicaLog {
 public:
  enum class What : std::uint8_t { Miss, Filled, Gone, AllGone };
  struct Event {
    sim::Cycle at = 0;
    std::uint64_t line = 0;
    What what = What::Miss;
  };
  void at(sim::Cycle now) { now_ = now; }  // of what follows
  void add(What what, std::uint64_t line = 0) { events_.push_back({now_, line, what}); }
  std::vector<Event>& events() { return events_; }

 private:
  sim::Cycle now_ = 0;
  std::vector<Event> events_;
};

struct ReplicationStats {
  std::uint64_t misses = 0;      // reads that had to ask below
  std::uint64_t replicated = 0;  // of these: another L1 held the line
  std::uint64_t held_cycles = 0, distinct_cycles = 0;
  void statistics(stats::Visitor& v);
};

class ReplicationMeter final : public sim::Between {
 public:
  // The log of one more L1.
  ReplicaLog& log();
  sim::Cycle window_end(sim::Cycle now) override;
  // All L1s have forgotten everything.
  void flush();
  void clear_statistics() { stats_ = {}; }
  const ReplicationStats& statistics() const { return stats_; }

 private:
  using Event = ReplicaLog::Event;
  void take(std::uint32_t l1, const Event& e);
  void gone(std::uint32_t l1, std::uint64_t line);

  std::vector<std::unique_ptr<ReplicaLog>> logs_;
  struct Ordered {
    Event event;
    std::uint32_t l1, number;
  };
  std::vector<Ordered> events_;
  std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> holders_;  // of a line
  std::uint64_t held_ = 0;                                                 // lines of all L1s
  sim::Cycle last_ = 0;
  ReplicationStats stats_;
};

}  // namespace heddle::mem
