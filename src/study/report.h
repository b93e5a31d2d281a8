// A study's tables: one per figure, its checks, what the paper leaves out, the score.
#pragma once

#include <map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/evaluate.h"
#include "study/table.h"

namespace heddle::study {

class StudyReport {
 public:
  StudyReport(const Selected& selected, const Evidence& evidence);

  // The selected figures in the study's order; the last one may be the sensitivities.
  std::vector<Table> figures() const;
  // Every row of the targets, misses first, and the counts.
  Table score() const;
  std::map<State, std::size_t> counts() const;
  nlohmann::ordered_json json() const;  // "heddle.study/1"

 private:
  Table figure(const Figure& f) const;
  void comparison(const Figure& f, const Comparison& c, Table& t, std::vector<bool>& used) const;
  void line(const Figure& f, const Comparison& c, const std::string& workload, Table& t,
            std::vector<bool>& used) const;
  void other_rows(const Figure& f, Table& t, const std::vector<bool>& used) const;
  Table checks(const Figure& f) const;
  Table sensitivities() const;
  // The row that gives the paper's number of a cell of a figure; none: npos. `workload` empty: the mean.
  std::size_t row_of(const Figure& f, const Comparison& c, const std::string& workload) const;

  const Selected& selected_;
  const Study& study_;
  Evaluator evaluator_;
  std::vector<Scored> scored_;  // by row
};

// "+12.3%", "48.0%", "276 B/cluster"; "-" when there is none.
std::string number_text(const Metric& metric, double value);
std::string range_text(const Metric& metric, const Measured& m);
// "DB+ICC vs D".
std::string comparison_text(const Comparison& c);

}  // namespace heddle::study
