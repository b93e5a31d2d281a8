// What `heddle noc` found, as a table for people, as CSV and as JSON (docs/noc.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "noc/load_curve.h"

namespace heddle::cli {

struct LoadReport {
  std::string network;  // "mesh of 8 x 8 routers, 64 x 64"
  std::string pattern;
  std::uint32_t flits = 1;
  std::uint64_t seed = 1;
  double zero_load = 0;
  double peak = 0;  // of uniform traffic, flits per input and core cycle; 0: not this pattern's
  std::vector<noc::LoadPoint> points;
  bool cut = false;  // higher rates were left out
  std::optional<double> saturation;
};

std::string load_text(const LoadReport& report);
// One line per rate.
std::string load_csv(const LoadReport& report);
nlohmann::ordered_json load_json(const LoadReport& report);

}  // namespace heddle::cli
