#include "study/plan/archive_part.h"

#include <algorithm>
#include <set>

#include "base/version.h"

namespace heddle::study {

Archive merged(const Archive& part, const Archive& further) {
  using Key = std::tuple<std::string, std::string, std::uint64_t>;
  const auto key = [](const Point& p) { return Key{p.workload, p.machine, p.seed}; };
  std::map<Key, ArchivedPoint> points;
  for (const Archive* a : {&further, &part})
    for (const ArchivedPoint& p : a->points) {
      ArchivedPoint& kept = points.try_emplace(key(p.point), p).first->second;
      std::set<Cell> cells(kept.cells.begin(), kept.cells.end());
      cells.insert(p.cells.begin(), p.cells.end());
      kept.cells.assign(cells.begin(), cells.end());
    }
  std::map<std::string, std::string> machines(further.machines.begin(), further.machines.end());
  machines.insert(part.machines.begin(), part.machines.end());
  Archive all;
  all.study = further.study;
  all.scale = further.scale;
  for (auto& [k, p] : points) all.points.push_back(std::move(p));
  all.machines.assign(machines.begin(), machines.end());
  return all;
}

KeptResults::KeptResults(const Archive& part) {
  for (const ArchivedPoint& p : part.points)
    if (p.result.source_hash == build_info().source_hash) results_.emplace(key(p.point), p.result);
}

const Result* KeptResults::find(const Point& point) const {
  const auto at = results_.find(key(point));
  return at == results_.end() ? nullptr : &at->second;
}

std::vector<Job> lacking(std::span<const Job> jobs, const KeptResults& kept) {
  std::vector<Job> left;
  for (const Job& j : jobs)
    if (kept.find(j.point) == nullptr) left.push_back(j);
  return left;
}

Batch completed(std::span<const Job> jobs, const KeptResults& kept, Batch batch) {
  Batch all = batch;
  all.results.assign(jobs.size(), {});
  std::vector<std::size_t> place;  // of the batch's jobs
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (const Result* r = kept.find(jobs[i].point)) {
      all.results[i] = *r;
    } else {
      all.results[i] = batch.results.at(place.size());
      place.push_back(i);
    }
  }
  for (Failure& f : all.failures) f.job = place.at(f.job);
  return all;
}

}  // namespace heddle::study
