// Which designs go together in one machine: every pair is put together and checked as a run would check it,
// so that the table says what a run says.
#pragma once

#include <string_view>

#include "config/config.h"
#include "study/design/design_catalog.h"
#include "study/evaluation/table.h"

namespace heddle::study {

// Of the catalog's designs that stand for their kind (NamedDesign::in_pairs). A cell is "yes" or the number
// of the reason below the table.
Table design_pairs(const DesignCatalog& catalog, const config::Config& machine, std::string_view gpu);

}  // namespace heddle::study
