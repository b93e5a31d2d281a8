// What is known for judging a study: results by cell, machines by design. From a batch, or from an archive.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "study/plan/plan.h"
#include "study/run/result.h"

namespace heddle::study {

class Evidence {
 public:
  void add(const Cell& cell, Result result) { results_.insert_or_assign(cell, std::move(result)); }
  void add_machine(const std::string& design, std::string toml) {
    machines_.insert_or_assign(design, std::move(toml));
  }
  void add_problem(const Cell& cell, std::string why) { problems_.insert_or_assign(cell, std::move(why)); }

  // Null: it was not run, or its result is no use (problem() tells why).
  const Result* find(const Cell& cell) const;
  // "not run" when nothing else is known.
  std::string problem(const Cell& cell) const;
  // A parameter of a design's machine as a number in its base unit. Throws Error when there is none.
  double parameter(const std::string& design, std::string_view path) const;
  const std::map<Cell, Result>& results() const { return results_; }

 private:
  std::map<Cell, Result> results_;
  std::map<Cell, std::string> problems_;
  std::map<std::string, std::string> machines_;
};

Evidence evidence_of(const Plan& plan, const Batch& batch);

}  // namespace heddle::study
