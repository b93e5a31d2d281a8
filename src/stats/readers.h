// Statistics back from JSON, as stats::JsonWriter wrote them.
#pragma once

#include <functional>

#include <nlohmann/json_fwd.hpp>

#include "stats/visitor.h"

namespace heddle::stats {

namespace detail {
void read_json(const nlohmann::ordered_json& object, const std::function<void(Visitor&)>& walk);
}

// Sets every counter, peak and histogram of `stats` from `object`, which has either detail. Throws Error when
// one is missing or has another form: what another version declared differently must not read as zero.
template <class S>
void read_json(const nlohmann::ordered_json& object, S& stats) {
  detail::read_json(object, [&](Visitor& v) { stats.statistics(v); });
}

}  // namespace heddle::stats
