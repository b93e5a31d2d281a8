// The comparison of mergers as tables and as JSON.
#pragma once

#include <ostream>

#include <nlohmann/json_fwd.hpp>

#include "validation/mergers.h"

namespace heddle::validation {

void write_merger_tables(const MergersResult& result, bool markdown, std::ostream& out);
nlohmann::json merger_json(const MergersResult& result);

}  // namespace heddle::validation
