// The funnel for people and as JSON.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "gpu/funnel.h"

namespace heddle::cli {

// One line per level, at most 80 columns: count, share of the level before, a bar, what could have merged.
void print_funnel(const gpu::Funnel& funnel, std::uint64_t window, std::ostream& out);
// One or two sentences: where most redundancy is removed, and where most of it is left.
std::string funnel_summary(const gpu::Funnel& funnel, std::uint64_t window);
// "window", "levels", "summary".
void add_json(const gpu::Funnel& funnel, std::uint64_t window, nlohmann::ordered_json& record);

}  // namespace heddle::cli
