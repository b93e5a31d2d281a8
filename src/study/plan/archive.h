// The records behind a study's tables, kept with the study: studies/NAME/archive/SCALE.json.zst, of another
// machine MACHINE-SCALE.json.zst.
//
// Values only: every statistic of every point, the machines, and what the points were run for. Enough to
// print the tables without simulating, to simulate any point again, and to compare bit for bit. Energies are
// computed when an archive is read (study/run/energy_of_result.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "study/plan/evidence.h"
#include "study/store/store.h"

namespace heddle::study {

struct ArchivedPoint {
  Point point;
  Result result;
  std::vector<Cell> cells;  // what it was run for
};

struct Archive {
  std::string study;  // Study::label
  workload::Scale scale = workload::Scale::Paper;
  std::vector<ArchivedPoint> points;                          // by workload, machine, seed
  std::vector<std::pair<std::string, std::string>> machines;  // of designs, as they are

  std::string source_hash() const;  // of the points: one, or "several"
};

// All points of a plan that have a result.
Archive make_archive(const Selected& selected, const Plan& plan, const Batch& batch);
Evidence evidence_of(const Archive& archive);

// What another build kept in a store under the study's name: all points of its scales whose source hash
// begins with `source`. Throws Error when there is none, or when several builds match.
Archive archive_of(const Store& store, const Selected& selected, std::string_view source);
// Cells of the study's figures, as they are (no perturbation), that the archive lacks.
std::vector<Cell> lacking(const Archive& archive, const Study& study);

// The same archive gives the same bytes. Compressed JSON, "heddle.archive/1".
std::string pack(const Archive& archive);
// Throws Error when it is none. `file` is for messages.
Archive unpack(std::string_view bytes, const std::string& file);

// What its points cost the host that made it: the mean time, the most memory.
KnownCosts costs_of(const Archive& archive);

// Points to run again: every design before any twice, points that took least time first. At most `n`; 0: one
// for every design.
std::vector<std::size_t> sample(const Archive& archive, std::size_t n);

// What differs between an archived result and a new one: "gpu.cycles: 1200 archived, 1201 now"; empty:
// nothing. What was not counted yet when the archive was made is not compared.
std::vector<std::string> differences(const Result& archived, const Result& now);

}  // namespace heddle::study
