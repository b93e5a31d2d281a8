// The funnel for people and as JSON.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "mem/funnel.h"
#include "study/evaluation/table.h"

namespace heddle::cli {

// One line per level, at most 80 columns: count, share of the level before, a bar, what could have merged.
void print_funnel(const mem::Funnel& funnel, std::uint64_t window, std::ostream& out);
// Two of them side by side, at most 100 columns: counts, shares of the level before, what could have merged.
// Levels that change nothing in both are left out.
study::Table side_by_side(const std::string& a_name, const mem::Funnel& a, const std::string& b_name,
                          const mem::Funnel& b, std::uint64_t window);
// One or two sentences: where most redundancy is removed, and where most of it is left.
std::string funnel_summary(const mem::Funnel& funnel, std::uint64_t window);
// "window", "levels", "summary".
void add_json(const mem::Funnel& funnel, std::uint64_t window, nlohmann::ordered_json& record);

}  // namespace heddle::cli
