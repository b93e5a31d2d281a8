// The detail of a run (gpu/detail.h) as JSON, "schema": "heddle.detail/1" (docs/results.md). It lies beside a
// record, never in what decides one.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "gpu/detail.h"

namespace heddle::study {

inline constexpr std::string_view kDetailSchema = "heddle.detail/1";

nlohmann::ordered_json to_json(const gpu::RunDetail& detail);
std::string to_text(const gpu::RunDetail& detail);  // the JSON in one line, without an end of line

}  // namespace heddle::study
