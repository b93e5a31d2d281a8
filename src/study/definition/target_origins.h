// The column `not_counted` of targets.csv: `constant`, `repeats ROW`, `follows ROW and ROW ...`.
//
// ROW is FIGURE / WORKLOAD / CONFIG / METRIC / BASELINE of the row that is meant; what is left out at the end
// is as in the row that refers to it.
#pragma once

#include <vector>

#include "config/toml_tree.h"
#include "study/definition/targets.h"

namespace heddle::study {

// Fills `origin` and `from`. Throws Error with the line when
// - a word is none of these, or a ROW is none or more than one;
// - a row refers to itself over others, to a constant (then it is one) or to a row that repeats another;
// - `repeats`: the values differ by more than rounding, and the note does not name the other one;
// - `follows`: the value is not their sum, difference, product or ratio (of one: the same change, or the
//   inverse) within rounding, and the note does not give the arithmetic, with a `=`.
void resolve_origins(const config::TomlSource& source, std::vector<Target>& rows);

}  // namespace heddle::study
