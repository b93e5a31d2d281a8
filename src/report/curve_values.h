// From what was counted over time (study/detail.h) to what a page draws: rates per cycle and shares.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "mem/stage.h"

namespace heddle::report {

// The member `detail` of a run, with those of the curves whose counters it has. Throws Error when `detail`
// has another schema, nlohmann's exceptions when it is damaged.
nlohmann::ordered_json detail_values(const nlohmann::ordered_json& detail,
                                     const std::vector<mem::Curve>& curves);

}  // namespace heddle::report
