// A study: which designs run which workloads on which machine, what is measured, and what the paper says.
//
// studies/NAME/study.toml says how, studies/NAME/targets.csv what the paper says (docs/studies.md). Reading
// resolves everything: what a Study holds needs no further lookup that could fail, except for statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/toml_tree.h"
#include "study/definition/expression.h"
#include "study/definition/targets.h"
#include "study/design/design.h"
#include "study/run/point.h"
#include "workload/workload.h"

namespace heddle::study {

struct StudyWorkload {
  std::string name, abbreviation;             // "hotspot", "HS"
  std::optional<workload::Scale> scale = {};  // its own, in place of the study's
};

// [other_machine.NAME]: what the study may run on in place of its own machine.
struct OtherMachine {
  std::string name, description;
  std::string preset;                 // or a file
  std::vector<Assignment> sets;       // after those of the study, before those of a design
  std::vector<StudyWorkload> scales;  // workloads with a scale of their own there
};

// The same set for all designs. The run as it is comes first in every list of these: its name is empty.
struct Perturbation {
  std::string name;
  std::vector<Assignment> sets;
  std::uint64_t seed = 1;  // of the input
};

// Something that the paper leaves out, halved and doubled.
struct Sensitivity {
  std::string name;
  std::vector<Assignment> half, twice;
};

enum class Kind : std::uint8_t { Change, Level, Count };
enum class Mean : std::uint8_t { Geometric, Arithmetic };

struct Metric {
  std::string name;
  Kind kind = Kind::Change;
  Expression value;              // Change, Level
  Mean mean = Mean::Arithmetic;  // over workloads: of ratios (Change), of values (Level)
  bool less_is_better = false;
  bool paper_gives_ratio = false;  // the paper's number is the ratio (1.38 x), ours what it is above 1 (38 %)
  std::string unit = "%";          // Level: as in targets.csv; "%": the expression is a share of 1
  std::string of;                  // Count: workloads whose change of this metric ...
  double above = 0;                // ... is more than so many points
};

struct Comparison {
  std::string design, baseline;     // no baseline for levels
  std::string baseline_workload{};  // where the baseline runs another workload; empty: the same
  bool operator==(const Comparison&) const = default;
  const std::string& on(const std::string& workload) const {
    return baseline_workload.empty() ? workload : baseline_workload;
  }
};

// What a set of workloads comes to.
enum class Over : std::uint8_t { One, Mean, Max, Min, Count, Machine };  // Machine: needs no run

enum class Combine : std::uint8_t { Mean, Best, Worst };  // of several comparisons

// One number: what to compute. Rows of the targets, cells of figures and checks all are such.
struct Measure {
  std::string metric;
  std::vector<Comparison> compare;
  Combine combine = Combine::Mean;
  Over over = Over::Mean;
  std::vector<std::string> workloads;  // names
};

// A row of targets.csv and how it is read here.
struct Row {
  Target target;
  std::string not_attempted;  // the reason; the rest is empty then
  std::string figure;         // the id of the study's figure that it belongs to
  Measure measure;
};

// What the baseline alone must show before anything is compared.
struct Check {
  std::string name, says;
  Measure measure;
  double least = 0, most = 0;  // in the unit of the metric; points for changes
};

struct Figure {
  std::string id, title, says, group;  // says: the paper's wording
  std::string metric;                  // empty: only rows and checks
  std::vector<Comparison> compare;
  std::vector<std::string> workloads;
  bool perturbed = true;
  std::vector<Check> checks;
};

struct Bands {
  double least = 0.5, most = 1.5;  // times the paper's size
  double small = 3;                // points below which size is not judged
};

struct Headline {
  std::string metric;
  Comparison comparison;
};

struct Study {
  std::string name, title, paper;
  std::string machine;                 // the one of `machines` that it runs on; empty: its own
  std::vector<OtherMachine> machines;  // in their order in the file
  workload::Scale scale = workload::Scale::Paper;
  std::vector<StudyWorkload> workloads;
  std::vector<Design> designs;
  std::vector<Metric> metrics;
  std::vector<Figure> figures;
  std::vector<Perturbation> perturbations;  // the first is the run as it is
  std::vector<Sensitivity> sensitivities;
  std::optional<Headline> headline;  // there when there are sensitivities
  Bands bands;
  std::vector<Row> rows;  // every row of the targets, in their order

  std::string label() const;                          // of its points in a store: "icc", "icc@first"
  const Design& design(std::string_view name) const;  // throws Error with the nearest name
  const Metric& metric(std::string_view name) const;
  const Figure* figure(std::string_view id) const;  // null: none
  const std::string& abbreviation(const std::string& workload) const;
  // Where the study runs at `asked`: a workload's own scale stands for the study's only.
  workload::Scale scale_of(const std::string& workload, workload::Scale asked) const;
};

// On one of the machines that it names; empty: on its own. Designs with a machine of theirs keep it.
// Throws Error with file and line: unknown keys, names that nothing has, rows that nothing tells how to read.
Study parse_study(const std::string& name, const config::TomlSource& file, const config::TomlSource& targets,
                  const FindWorkload& find, const std::string& machine = {});
// "icc", "first" of "icc@first".
std::pair<std::string, std::string> parts_of_label(std::string_view label);

}  // namespace heddle::study
