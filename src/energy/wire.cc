#include "energy/wire.h"

#include <cmath>

namespace heddle::energy {
namespace {

constexpr double kShortest = 50;  // um between repeaters: closer ones never help at the layers here

struct WireTotals {
  double ff, ohm;
};

// Bakoglu, Circuits, Interconnections, and Packaging for VLSI, 1990: the driver charges the wire and the next
// repeater; the wire's own RC is distributed.
RepeatedWire with(const Cells& cells, const WireTotals& all, std::uint32_t repeaters, double size) {
  const double wire_ff = all.ff / repeaters, wire_ohm = all.ohm / repeaters;
  const double in = cells.inverter_input_ff(size), out = cells.inverter_output_ff(size);
  RepeatedWire w;
  w.repeaters = repeaters;
  w.size = size;
  w.ps = repeaters * (kLumped * cells.inverter_ohm(size) * (out + wire_ff + in) +
                      wire_ohm * (kDistributed * wire_ff + kLumped * in));
  w.cost = repeaters * cells.inverter(size);
  w.fj = repeaters * (out + wire_ff + in) * cells.tech().vdd * cells.tech().vdd;
  return w;
}

std::uint32_t most_repeaters(const WireRun& run) {
  return static_cast<std::uint32_t>(std::ceil(run.length_um / kShortest));
}

WireTotals totals(const WireRun& run) {
  return {run.layer.ff_per_um() * run.length_um + run.load_ff, run.layer.ohm_per_um() * run.length_um};
}

// The first number in [low, high] of which `holds` is true, as it is of all behind it; `high` if of none.
template <class Holds>
std::uint32_t first(std::uint32_t low, std::uint32_t high, const Holds& holds) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// With repeaters of one size: time falls with their number at first, and grows from the fastest on.
std::uint32_t fastest_number(const Cells& cells, const WireRun& run, const WireTotals& all, double size) {
  return first(1, most_repeaters(run), [&](std::uint32_t n) {
    return with(cells, all, n + 1, size).ps >= with(cells, all, n, size).ps;
  });
}

}  // namespace

RepeatedWire fastest_wire(const Cells& cells, const WireRun& run) {
  if (run.length_um <= 0) return {};
  const WireTotals all = totals(run);
  std::optional<RepeatedWire> found;
  for (const double size : cells.tech().drives) {
    const RepeatedWire w = with(cells, all, fastest_number(cells, run, all, size), size);
    if (!found || w.ps < found->ps) found = w;
  }
  return *found;
}

// With repeaters of one size: as few as are fast enough.
std::optional<RepeatedWire> cheapest_wire(const Cells& cells, const WireRun& run, double ps) {
  if (run.length_um <= 0) return RepeatedWire{};
  const WireTotals all = totals(run);
  std::optional<RepeatedWire> found;
  for (const double size : cells.tech().drives) {
    const std::uint32_t most = fastest_number(cells, run, all, size);
    const std::uint32_t n =
        first(1, most, [&](std::uint32_t k) { return with(cells, all, k, size).ps <= ps; });
    const RepeatedWire w = with(cells, all, n, size);
    if (w.ps > ps) continue;
    if (!found || w.cost.static_nw < found->cost.static_nw ||
        (w.cost.static_nw == found->cost.static_nw && w.ps < found->ps))
      found = w;
  }
  return found;
}

}  // namespace heddle::energy
