// [design.NAME] tables: of studies, of the catalog of designs, of a user's own file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/table_reader.h"
#include "study/design/design.h"

namespace heddle::study {

// { l1.ways = 8, noc.request.clock = "700MHz" } as --set takes it; empty when the key is not given.
std::vector<Assignment> read_assignments(config::TableReader& t, std::string_view key);

// What `base` may name. Null: nothing is called so.
using FindDesign = std::function<const Design*(std::string_view name)>;

// description, base, machine, set. Without a base it starts with the machine and the assignments of `start`.
// `known`: names for "did you mean".
Design read_design(config::TableReader& t, const std::string& name, const Design& start,
                   const FindDesign& find, const std::vector<std::string>& known);

}  // namespace heddle::study
