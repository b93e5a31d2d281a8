// Accuracy over launches, the worst of them and the states of their warps, as tables, as JSON and for a page.
#pragma once

#include <ostream>

#include <nlohmann/json_fwd.hpp>

#include "validation/silicon.h"

namespace heddle::validation {

void write_state_tables(const SiliconResult& result, bool markdown, std::ostream& out);
// Keys "accuracy" and "states".
void add_states(nlohmann::json& to, const SiliconResult& result);
// What a report page shows of it (docs/report-data.md): the member "silicon".
nlohmann::ordered_json silicon_page(const SiliconResult& result);

}  // namespace heddle::validation
