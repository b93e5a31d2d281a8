// The figures of a study for its page.
#pragma once

#include <memory>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "report/page_data.h"
#include "study/evaluation/evaluate.h"

namespace heddle::report {

// The member `figures` (docs/report-data.md). A figure of which nothing was run is left out.
nlohmann::ordered_json figures(const study::Selected& selected, const study::Evidence& evidence);

// What runs say about a study that they are labelled for: of several of a cell the last one.
study::Evidence evidence_of(const study::Selected& selected,
                            std::span<const std::shared_ptr<const PageRun>> runs);

}  // namespace heddle::report
