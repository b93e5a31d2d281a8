// From what was counted over time (study/run/detail.h) to what a page draws: rates per cycle and shares.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace heddle::report {

// The member `detail` of a run. Throws Error when `detail` has another schema, nlohmann's exceptions when it
// is damaged.
nlohmann::ordered_json detail_values(const nlohmann::ordered_json& detail);

}  // namespace heddle::report
