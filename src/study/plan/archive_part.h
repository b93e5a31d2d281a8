// A study that takes longer than one goes on for: what is finished is kept in a part of an archive
// (archive/SCALE.part.json.zst), and the same source goes on from there, on any host.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "study/plan/archive.h"

namespace heddle::study {

// All points of both, which are of one study and scale; what both have is taken from `further`.
Archive merged(const Archive& part, const Archive& further);

// Results of a part by point. Those of another source than this build's are none.
class KeptResults {
 public:
  explicit KeptResults(const Archive& part);
  const Result* find(const Point& point) const;  // nullptr: it must be simulated
  std::size_t size() const { return results_.size(); }

 private:
  using Key = std::tuple<std::string, std::string, std::uint64_t, workload::Scale>;
  static Key key(const Point& p) { return {p.workload, p.machine, p.seed, p.scale}; }
  std::map<Key, Result> results_;
};

// The jobs that have no result yet, and from their batch one for all.
std::vector<Job> lacking(std::span<const Job> jobs, const KeptResults& kept);
Batch completed(std::span<const Job> jobs, const KeptResults& kept, Batch batch);

}  // namespace heddle::study
