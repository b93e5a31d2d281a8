#include "mem/replication_meter.h"

#include <algorithm>
#include <tuple>

namespace heddle::mem {

void ReplicationStats::statistics(stats::Visitor& v) {
  v.counter("misses", misses, {"requests", "Reads of L1s that had to be fetched (with measure.replication)"});
  v.counter("replicated", replicated, {"requests", "Of these, reads whose line another L1 held"});
  v.counter("held_cycles", held_cycles,
            {"lines x cycles", "Lines that all L1s held, copies counted, over time"});
  v.counter("distinct_cycles", distinct_cycles,
            {"lines x cycles", "Different lines that L1s held, over time"});
  v.ratio("ratio", replicated, misses,
          {"", "Replication ratio: share of misses that another L1 could serve"});
  v.ratio("copies", held_cycles, distinct_cycles, {"copies", "Mean number of L1s that hold a line"});
}

ReplicaLog& ReplicationMeter::log() {
  logs_.push_back(std::make_unique<ReplicaLog>());
  return *logs_.back();
}

sim::Cycle ReplicationMeter::window_end(sim::Cycle) {
  events_.clear();
  for (std::uint32_t l1 = 0; l1 < logs_.size(); ++l1) {
    std::uint32_t number = 0;
    for (const Event& e : logs_[l1]->events()) events_.push_back({e, l1, number++});
    logs_[l1]->events().clear();
  }
  std::sort(events_.begin(), events_.end(), [](const Ordered& a, const Ordered& b) {
    return std::tie(a.event.at, a.l1, a.number) < std::tie(b.event.at, b.l1, b.number);
  });
  for (const Ordered& o : events_) take(o.l1, o.event);
  return sim::kNever;
}

void ReplicationMeter::flush() {
  window_end(last_);
  holders_.clear();
  held_ = 0;
}

void ReplicationMeter::take(std::uint32_t l1, const Event& e) {
  // What an L1 that is replaced between kernels writes down carries its last access's time.
  const sim::Cycle passed = e.at > last_ ? e.at - last_ : 0;
  stats_.held_cycles += held_ * passed;
  stats_.distinct_cycles += holders_.size() * passed;
  last_ = std::max(last_, e.at);
  switch (e.what) {
    case ReplicaLog::What::Miss: {
      ++stats_.misses;
      const auto found = holders_.find(e.line);
      if (found == holders_.end()) return;
      const auto& h = found->second;
      const bool own = std::find(h.begin(), h.end(), l1) != h.end();
      stats_.replicated += h.size() > (own ? 1u : 0u);
      return;
    }
    case ReplicaLog::What::Filled: {
      auto& h = holders_[e.line];
      if (std::find(h.begin(), h.end(), l1) != h.end()) return;
      h.push_back(static_cast<std::uint16_t>(l1));
      ++held_;
      return;
    }
    case ReplicaLog::What::Gone:
      return gone(l1, e.line);
    case ReplicaLog::What::AllGone: {
      std::vector<std::uint64_t> lines;
      for (const auto& [line, h] : holders_)
        if (std::find(h.begin(), h.end(), l1) != h.end()) lines.push_back(line);
      for (const std::uint64_t line : lines) gone(l1, line);
      return;
    }
  }
}

void ReplicationMeter::gone(std::uint32_t l1, std::uint64_t line) {
  const auto found = holders_.find(line);
  if (found == holders_.end()) return;
  auto& h = found->second;
  const auto it = std::find(h.begin(), h.end(), l1);
  if (it == h.end()) return;
  h.erase(it);
  --held_;
  if (h.empty()) holders_.erase(found);
}

}  // namespace heddle::mem
