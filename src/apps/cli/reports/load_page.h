// What `heddle noc` found, as a report page shows it (docs/report-data.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/reports/load_report.h"

namespace heddle::cli {

// The members of the page's data: "configurations" and "noc".
nlohmann::ordered_json load_page(const LoadReport& report);

}  // namespace heddle::cli
