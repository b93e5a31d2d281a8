// Which points a study, or a part of it, needs.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "study/batch/batch.h"
#include "study/definition/study.h"

namespace heddle::study {

// One run in the study's own words. Several cells may be the same point.
struct Cell {
  std::string design, workload, perturbation;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

// What of a study is wanted; empty lists: all.
struct Selection {
  std::vector<std::string> figures;    // ids or groups; "sensitivity"
  std::vector<std::string> workloads;  // names or abbreviations
  std::vector<std::string> designs;    // comparisons of these, with their baselines
  bool perturbations = true;
  std::optional<workload::Scale> scale;  // none: the study's
};

// The words of a sensitivity's runs in place of a perturbation.
std::string halved(const Sensitivity& s);
std::string doubled(const Sensitivity& s);
inline constexpr const char* kSensitivityFigure = "sensitivity";

// A selection with its words resolved. Rows of the targets that lose a workload or a design stay, and say so
// when they are judged.
struct Selected {
  Study study;
  std::vector<std::string> figures;  // ids; with kSensitivityFigure where it is wanted
  std::vector<std::string> workloads, designs;
  std::vector<std::size_t> perturbations;  // 0: the run as it is
  workload::Scale scale = workload::Scale::Paper;

  bool wants_figure(std::string_view id) const;
};
// Throws Error for unknown names.
Selected select(const Study& study, const Selection& selection);

struct Plan {
  std::vector<Job> jobs;               // one per cell
  std::map<Cell, std::size_t> job_of;  // by cell
  std::map<std::string, std::string>
      machines;                                // of designs, as they are: TOML; of rows that need no run, too
  std::map<std::string, std::string> refused;  // "DB", "DB, offset 1": what cannot be built, and why
};

// A machine that the configuration refuses is in `refused`, and has no jobs.
Plan make_plan(const Selected& selected);

// Point::machine of a design. Throws Error at the assignment that is wrong.
std::string machine_of(const Design& design, std::span<const Assignment> further = {});
// Why a machine cannot have what a design sets, without names and places; nothing: it can.
std::optional<std::string> obstacle(const Design& design, config::Config base);
// On `base` in place of the design's own machine.
std::string machine_of(const Design& design, config::Config base, std::span<const Assignment> further = {});

}  // namespace heddle::study
