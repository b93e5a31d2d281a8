// Points of a store that a command line names.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/inputs/results_filter.h"
#include "study/store/store.h"

namespace heddle::cli {

// The store of `file`, or the usual one; throws Error when there is none, rather than make an empty one.
study::Store open_results(const std::string& file);

// A finished point with the labels that match; none where the filter asks for none.
struct SelectedPoint {
  study::StoredPoint kept;
  std::vector<study::Label> labels;
};
// In the order of finishing.
std::vector<SelectedPoint> matching(const study::Store& store, const ResultsFilter& filter);
// Without what a later point was run for as well: the same input for the same study, design and perturbation.
// Points that were run for nothing stay.
std::vector<SelectedPoint> newest(std::vector<SelectedPoint> all);
// As matching(). Throws Error when nothing matches: with the nearest name, or what there is.
std::vector<SelectedPoint> select(const study::Store& store, const ResultsFilter& filter);
// The one point whose key begins so. Throws Error when there is none, or several.
study::StoredPoint find_point(const study::Store& store, const std::string& key);

// Of a point that was listed. Throws Damaged when it is not there any more.
std::string required_record(const study::Store& store, const std::string& key);
bool of_this_source(const study::StoredPoint& kept);
std::string brief(const study::Label& label);  // "icc/DB+ICC/jitter"
std::string brief(const std::vector<study::Label>& labels);

}  // namespace heddle::cli
