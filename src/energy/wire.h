// A wire with inverters at equal distances that restore its signal.
#pragma once

#include <cstdint>
#include <optional>

#include "energy/cells.h"

namespace heddle::energy {

struct RepeatedWire {
  std::uint32_t repeaters = 0;
  double size = 0;  // of each
  double ps = 0;    // from end to end
  Cost cost;        // of the repeaters; the wire itself takes no area of transistors
  double fj = 0;    // it rises once
};

struct WireRun {
  const WireLayer& layer;
  double length_um = 0;
  double load_ff = 0;  // of what hangs on it, spread evenly
};

// As fast as it can be.
RepeatedWire fastest_wire(const Cells& cells, const WireRun& run);
// The least leakage among those that take at most `ps`; none if there is no such.
std::optional<RepeatedWire> cheapest_wire(const Cells& cells, const WireRun& run, double ps);

}  // namespace heddle::energy
