// From results to numbers, from numbers to verdicts.
//
// A change is judged on the effect, ratio - 1, in points (percent). Each perturbation gives one value; what
// is told is their mean, and the range from the lowest to the highest. A mean over workloads is taken within
// each perturbation first.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/definition/study.h"
#include "study/plan/evidence.h"

namespace heddle::study {

// A number with its range; changes in points, levels in their unit.
struct Measured {
  double mean = 0, low = 0, high = 0;
  std::size_t runs = 0;       // perturbations, the run as it is included; 0: no value
  std::string missing;        // why there is none
  std::string workload;       // of a maximum or minimum: where
  std::size_t workloads = 0;  // that a mean, maximum or count is over
  double spread() const { return high - low; }
  bool ok() const { return runs != 0; }
};

// "=" in tables: not to be told from no change.
bool is_equal(const Measured& change);

enum class State : std::uint8_t {
  Reproduced,    // sign and size (effects); size (levels, counts)
  SameSign,      // the paper's sign, another size
  NoEffect,      // the paper has an effect; here it is not larger than the spread
  Opposite,      // the other sign; or an effect where the paper has none
  Missed,        // a level or count outside the band
  NotAttempted,  // the study says why
  NotRun,        // a result is missing
};
std::string_view name(State s);

// `paper` in points.
State judge_change(double paper, const Measured& ours, const Bands& bands);
// Levels, counts: in the paper's unit.
State judge_level(double paper, const Measured& ours, const Bands& bands);

class Evaluator {
 public:
  Evaluator(const Selected& selected, const Evidence& evidence)
      : selected_(selected), study_(selected.study), evidence_(evidence) {}

  // `perturbed`: over the perturbations selected, else the run as it is.
  // `towards`: the paper's value, which tells the direction of "max".
  Measured measure(const Measure& m, bool perturbed, double towards = 1) const;
  // A change or level of one workload.
  Measured one(const Metric& metric, const Comparison& c, const std::string& workload, bool perturbed) const;
  // The headline's change with a sensitivity's word in place of a perturbation ("": as it is).
  Measured headline(const std::string& variant) const;

 private:
  // One value per perturbation; changes as ratio, levels as value.
  struct Values {
    std::vector<double> by_run;
    std::string missing;
    bool ok() const { return missing.empty(); }
  };
  Values values(const Metric& metric, const Comparison& c, const std::string& workload,
                const std::vector<std::string>& runs) const;
  double value(const Metric& metric, const Cell& cell, const Result* result) const;
  // The design itself; of those that it chooses from, the best for this workload.
  const std::string& chosen(const std::string& design, const std::string& workload) const;
  std::vector<std::string> runs(bool perturbed) const;
  Measured compared(const Measure& m, const Metric& metric, const Comparison& c, bool perturbed,
                    double towards) const;
  Measured counted(const Metric& metric, const Measure& m, const Comparison& c, bool perturbed) const;
  Measured of_machine(const Metric& metric, const Comparison& c) const;
  Measured extreme(const Measure& m, const Metric& metric, const Comparison& c, bool perturbed,
                   double towards) const;
  Measured mean(const std::vector<std::string>& workloads, const Metric& metric, const Comparison& c,
                const std::vector<std::string>& runs) const;

  const Selected& selected_;
  const Study& study_;
  const Evidence& evidence_;
};

struct Scored {
  const Row* row = nullptr;
  State state = State::NotRun;
  double paper = 0;  // points for changes, else as in the targets
  Measured ours;
  std::string reason;  // not attempted, not run
};

// Every row of the targets exactly once, in their order. Rows of figures that are not selected: not run.
std::vector<Scored> score(const Selected& selected, const Evidence& evidence);

// A score in numbers. Rows that tell nothing of their own (Target::counts) are in `not_counted` only.
struct Tally {
  std::map<State, std::size_t> states;
  std::map<Origin, std::size_t> not_counted;
  std::size_t ranges = 0;  // rows that count, with a range over perturbations

  std::size_t attempted() const;  // rows that count, but for those not attempted
  std::size_t apart() const;      // rows that do not count
};
Tally tally(std::span<const Scored> scored);
// "26 of 57 independent numbers reproduced (26 same sign, 5 opposite), 30 of the 57 with a range.", "20 more
// not attempted; 24 more not counted: 9 constant, 8 repeats, 7 follows.". What there is none of is left out.
std::vector<std::string> headline(const Tally& t);

// The paper's number of a row in points (changes) or in its unit.
double paper_value(const Study& study, const Row& row);

}  // namespace heddle::study
