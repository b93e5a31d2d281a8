#include "workload/workload.h"

#include "workload/compare.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace heddle::workload {

std::string_view name(Scale s) {
  switch (s) {
    case Scale::Tiny:
      return "tiny";
    case Scale::Small:
      return "small";
    case Scale::Paper:
      return "paper";
  }
  return "?";
}

std::optional<Scale> parse_scale(std::string_view text) {
  for (Scale s : {Scale::Tiny, Scale::Small, Scale::Paper})
    if (text == name(s)) return s;
  return std::nullopt;
}

Verification compare_close(std::span<const float> got, std::span<const float> want, double relative,
                           double floor, std::string_view what) {
  Verification v;
  v.ok = got.size() == want.size();
  v.compared = want.size();
  v.tolerance = fmt::format("relative {:g}, values below {:g} absolutely", relative, floor);
  if (!v.ok) v.detail = fmt::format("{}: {} values, expected {}", what, got.size(), want.size());
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    const double scale = std::max(std::fabs(static_cast<double>(want[i])), floor);
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]) / scale;
    if (error <= relative) {
      v.max_error = std::max(v.max_error, error);
      continue;
    }
    if (std::isfinite(error)) v.max_error = std::max(v.max_error, error);
    if (v.ok) v.detail = fmt::format("{}[{}]: got {}, expected {}", what, i, got[i], want[i]);
    v.ok = false;  // also when error is NaN
  }
  return v;
}

Verification compare_equal(std::span<const std::int32_t> got, std::span<const std::int32_t> want,
                           std::string_view what) {
  Verification v;
  v.ok = got.size() == want.size();
  v.compared = want.size();
  v.tolerance = "exact";
  if (!v.ok) v.detail = fmt::format("{}: {} values, expected {}", what, got.size(), want.size());
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    if (got[i] == want[i]) continue;
    v.max_error = std::max(v.max_error, std::fabs(static_cast<double>(got[i]) - want[i]));
    if (v.ok) v.detail = fmt::format("{}[{}]: got {}, expected {}", what, i, got[i], want[i]);
    v.ok = false;
  }
  return v;
}

Verification combine(const Verification& a, const Verification& b) {
  Verification v = a;
  v.ok = a.ok && b.ok;
  v.compared += b.compared;
  v.max_error = std::max(a.max_error, b.max_error);
  if (a.tolerance != b.tolerance) v.tolerance += "; " + b.tolerance;
  if (a.ok) v.detail = b.detail;
  return v;
}

}  // namespace heddle::workload
