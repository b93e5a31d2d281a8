// A study's tables: one per figure, its checks, what the paper leaves out, the score.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/evaluation/evaluate.h"
#include "study/evaluation/table.h"

namespace heddle::study {

// A figure as numbers, for who draws it.
struct FigureCell {
  std::string workload;  // abbreviation; "mean", "max"
  Measured ours;
  std::optional<double> paper;  // in points for changes, else in the metric's unit
  std::string verdict;          // of the paper's number; without one "=" or nothing
  bool counts = false;          // the paper's number tells something of its own
};
struct FigureGroup {
  std::string compared;  // "DB vs D"
  std::vector<FigureCell> cells;
};
struct FigureCheck {
  const Check* check = nullptr;
  Measured ours;
  std::string verdict;  // accepted, outside, not run
};
struct FigureNumbers {
  const Figure* figure = nullptr;
  std::string unit;
  bool less_is_better = false;
  std::vector<FigureGroup> groups;  // none for a figure without a metric of its own
  std::vector<FigureCheck> checks;
};

class StudyReport {
 public:
  StudyReport(const Selected& selected, const Evidence& evidence);

  // The selected figures in the study's order; the last one may be the sensitivities.
  std::vector<Table> figures() const;
  std::vector<FigureNumbers> numbers() const;  // of the same figures
  // Every row of the targets, misses first, and the headline.
  Table score() const;
  nlohmann::ordered_json json() const;  // "heddle.study/2"

 private:
  Table figure(const Figure& f) const;
  void comparison(const Figure& f, const Comparison& c, Table& t, std::vector<bool>& used) const;
  void line(const Figure& f, const Comparison& c, const std::string& workload, Table& t,
            std::vector<bool>& used) const;
  void other_rows(const Figure& f, Table& t, const std::vector<bool>& used) const;
  Table checks(const Figure& f) const;
  FigureGroup group(const Figure& f, const Comparison& c, std::vector<bool>& used) const;
  FigureCell cell(const Figure& f, const Comparison& c, const std::string& workload,
                  std::vector<bool>& used) const;
  void other_groups(const Figure& f, const std::vector<bool>& used, std::vector<FigureGroup>& groups) const;
  bool wants(const Comparison& c) const;
  Table sensitivities() const;
  std::vector<std::string> score_row(const Scored& s) const;
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
