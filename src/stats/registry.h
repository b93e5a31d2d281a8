// All statistics that the program can report, for `heddle explain` and the docs. Built by the one who knows
// the components; there is no global registry.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/snapshot.h"

namespace heddle::stats {

class Registry {
 public:
  // Declares the statistics of struct S under `prefix`.
  template <class S>
  void declare(std::string_view prefix, S stats = {}) {
    Snapshot snapshot;
    snapshot.add(prefix, std::move(stats));
    take(snapshot);
  }
  std::span<const Info> all() const { return all_; }
  const Info* find(std::string_view name) const;
  std::vector<std::string> names() const;
  // Everything about one statistic, or about all under `name.`; throws Error with the nearest name.
  std::string explain(std::string_view name) const;
  std::string markdown() const;

 private:
  void take(const Snapshot& snapshot);
  std::vector<Info> all_;
};

}  // namespace heddle::stats
