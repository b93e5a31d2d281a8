// What `heddle noc` found, as a table for people, as CSV and as JSON (docs/noc.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "noc/load_curve.h"

namespace heddle::cli {

// Latency by load of one network.
struct LoadCurve {
  std::string value;                    // of LoadReport::compared
  std::string network;                  // "mesh of 8 x 8 routers, 64 x 64"
  std::string configuration;            // TOML
  std::string_view senders, receivers;  // what stands at inputs and at outputs: "core"
  std::optional<noc::Floor> floor;
  double zero_load = 0;
  double peak = 0;  // of uniform traffic, flits per input and core cycle; 0: not this pattern's
  std::vector<noc::LoadPoint> points;
  bool cut = false;  // higher rates were left out
  std::optional<double> saturation;
};

struct LoadReport {
  std::string pattern;
  std::uint32_t flits = 1;
  std::uint32_t warm_up = 0, cycles = 0;
  std::uint64_t seed = 1;
  std::string compared;  // the parameter by which curves differ; empty: there is one curve
  std::vector<LoadCurve> curves;
};

// "mesh of 8 x 8 routers, 64 x 64: uniform traffic, packets of 1 flit"
// What both JSON and the page have of a point.
nlohmann::ordered_json point_json(const noc::LoadPoint& point);

std::string load_title(const LoadReport& report);
std::string load_text(const LoadReport& report);
// One line per rate.
std::string load_csv(const LoadReport& report);
nlohmann::ordered_json load_json(const LoadReport& report);

}  // namespace heddle::cli
