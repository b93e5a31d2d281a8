// Comparing a kernel's output with its reference.
#pragma once

#include <span>
#include <string_view>

#include "workload/workload.h"

namespace heddle::workload {

// Floating point: |got - want| <= relative * max(|want|, floor); `floor` keeps values near zero comparable.
Verification compare_close(std::span<const float> got, std::span<const float> want, double relative,
                           double floor, std::string_view what);
// Exact, for integers.
Verification compare_equal(std::span<const std::int32_t> got, std::span<const std::int32_t> want,
                           std::string_view what);
// The worse of two: failed if one is, errors and counts combined.
Verification combine(const Verification& a, const Verification& b);

}  // namespace heddle::workload
