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

template <class Better>
std::optional<RepeatedWire> best(const Cells& cells, const WireRun& run, const Better& better) {
  if (run.length_um <= 0) return RepeatedWire{};
  const auto most = static_cast<std::uint32_t>(std::ceil(run.length_um / kShortest));
  const WireTotals all{run.layer.ff_per_um() * run.length_um + run.load_ff,
                       run.layer.ohm_per_um() * run.length_um};
  std::optional<RepeatedWire> found;
  for (std::uint32_t n = 1; n <= most; ++n)
    for (const double size : cells.tech().drives)
      if (const RepeatedWire w = with(cells, all, n, size); better(w, found)) found = w;
  return found;
}

}  // namespace

RepeatedWire fastest_wire(const Cells& cells, const WireRun& run) {
  return *best(cells, run, [](const RepeatedWire& w, const std::optional<RepeatedWire>& before) {
    return !before || w.ps < before->ps;
  });
}

std::optional<RepeatedWire> cheapest_wire(const Cells& cells, const WireRun& run, double ps) {
  return best(cells, run, [ps](const RepeatedWire& w, const std::optional<RepeatedWire>& before) {
    if (w.ps > ps) return false;
    return !before || w.cost.static_nw < before->cost.static_nw ||
           (w.cost.static_nw == before->cost.static_nw && w.ps < before->ps);
  });
}

}  // namespace heddle::energy
