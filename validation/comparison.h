// Figures of ours beside figures of another machine, and how far apart they may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"

namespace heddle::validation {

inline double to_double(std::uint64_t n) {
  return static_cast<double>(n);
}

struct Figure {
  std::string quantity;  // "cycles"
  double ours = 0, theirs = 0;
  bool defined() const { return theirs != 0 || ours == 0; }
  double error() const { return theirs == 0 ? 0 : (ours - theirs) / theirs; }
};

struct Row {
  std::string program;  // "atax"
  std::string detail;   // "cold", "launch 3: bfs_k2"
  std::vector<Figure> figures;
  const Figure& figure(std::string_view quantity) const;  // throws Error
};

// What is allowed: validation/data/tolerances.csv. A row for a program goes before that for "*".
class Tolerances {
 public:
  explicit Tolerances(const std::vector<CsvRow>& rows);
  static Tolerances recorded();
  // As a share. Empty: reported, but not judged.
  std::optional<double> allowed(std::string_view against, std::string_view program,
                                std::string_view quantity) const;

 private:
  struct Entry {
    std::string against, program, quantity;
    double allowed = 0;
  };
  std::vector<Entry> entries_;
};

// One sentence of the result.
struct Verdict {
  std::string text;
  bool met = false;
};

// A figure beyond what is allowed.
struct Excess {
  std::string text;
};

struct Comparison {
  std::string against;  // "peer"
  std::vector<Row> rows;
  std::vector<Verdict> verdicts;  // the aims
  std::vector<Excess> excesses;   // empty: no worse than recorded
};

// Appends an Excess when |error| is more than allowed for this quantity.
void judge(Comparison& c, const Tolerances& tolerances, const std::string& program, const std::string& detail,
           const std::string& quantity, double error);

double mean_of_absolute(const std::vector<double>& errors);

}  // namespace heddle::validation
