#include "energy/crossbar_cost.h"

#include <algorithm>

#include "energy/storage.h"
#include "energy/wire.h"

namespace heddle::energy {
namespace {

double period_ps(Frequency clock) {
  return clock == Frequency{0} ? 0 : 1e12 / static_cast<double>(clock.count());
}

// For every pair a flip-flop says who was served last. Two gates and an inverter keep it, two gates and an
// inverter let each of the two stop the other; then everyone has a tree over all that can stop it.
Cost matrix_arbiter(const Cells& cells, double n) {
  if (n < 2) return {};
  const Cost pair = cells.flip_flop() + 4 * cells.gate2() + 2 * cells.inverter();
  const Cost each = (n - 2) * cells.gate2() + cells.inverter() + cells.gate2();
  return n * (n - 1) / 2 * pair + n * each;
}

double arbiter_ps(const Cells& cells, std::uint32_t n) {
  if (n < 2) return 0;
  return cells.fanout_ps(n) + cells.gate2_ps() * (2 + Cells::levels(n - 1)) + cells.fo4_ps();
}

double arbiter_fj(const Cells& cells, double n) {
  return n < 2 ? 0 : kRising * n * (n - 1) / 2 * 6 * cells.gate2_fj();
}

struct Geometry {
  double inputs, outputs, bits;
  WireRun in, out;  // an input's wire past all outputs, an output's past all inputs
};

Geometry geometry(const Cells& cells, const mem::CrossbarPart& part) {
  const WireLayer& layer = cells.tech().intermediate;
  const double i = part.inputs, o = part.outputs, w = 8 * static_cast<double>(part.flit.count());
  return {i,
          o,
          w,
          {layer, o * w * layer.pitch_um(), o * cells.mux2_input_ff()},
          {layer, i * w * layer.pitch_um(), 0}};
}

double tree_ps(const Cells& cells, const mem::CrossbarPart& part) {
  return Cells::levels(part.inputs) * cells.mux2_ps();
}

struct Wires {
  RepeatedWire in, out;
  std::uint32_t cycles = 1;  // that a flit takes to cross
};

// As the clock needs them: flits cross in one cycle, or in as many as the fastest wires need.
Wires wires_for(const Cells& cells, const mem::CrossbarPart& part, const Geometry& g) {
  Wires w{fastest_wire(cells, g.in), fastest_wire(cells, g.out)};
  const double fastest = w.in.ps + w.out.ps, tree = tree_ps(cells, part);
  const double useful = period_ps(part.clock) - cells.register_ps();
  if (useful <= 0) return w;
  while (fastest + tree > useful * w.cycles) ++w.cycles;
  // What is left over beyond the fastest, to both in proportion.
  const double slower = (useful * w.cycles - tree) / fastest;
  w.in = cheapest_wire(cells, g.in, slower * w.in.ps).value_or(w.in);
  w.out = cheapest_wire(cells, g.out, slower * w.out.ps).value_or(w.out);
  return w;
}

Cost repeaters(const Geometry& g, const Wires& wires) {
  return g.inputs * g.bits * wires.in.cost + g.outputs * g.bits * wires.out.cost;
}

// Repeaters stand below the grid as multiplexers do.
Cost matrix_cost(const Cells& cells, const Geometry& g, const Cost& below) {
  const double muxes = (g.inputs - 1) * g.bits;  // of an output
  Cost c = g.outputs * (muxes * cells.mux2() + cells.fanout_tree(muxes));
  const double grid = g.bits * g.in.length_um * g.inputs * g.in.layer.pitch_um();
  c.area_um2 = std::max(c.area_um2 + below.area_um2, grid);
  return c;
}

// Flits leave a register, cross the wire of their input, the multiplexers and the wire of their output.
double cross_ps(const Cells& cells, const mem::CrossbarPart& part, const Geometry& g) {
  const double select = cells.fanout_ps((g.inputs - 1) * g.bits);
  return cells.register_ps() + std::max(fastest_wire(cells, g.in).ps, select) + tree_ps(cells, part) +
         fastest_wire(cells, g.out).ps;
}

// Requests go from the inputs to the outputs' arbiters, across the switch, and grants back to the inputs',
// which accept one. All of it again in each further round.
double allocate_ps(const Cells& cells, const mem::CrossbarPart& part, const Geometry& g) {
  const WireRun across{g.in.layer, g.in.length_um + g.out.length_um, 0};
  const double round = 2 * fastest_wire(cells, across).ps + arbiter_ps(cells, part.inputs) +
                       arbiter_ps(cells, std::min(part.virtual_channels, part.outputs));
  return cells.register_ps() + std::max(part.iterations, 1u) * round;
}

}  // namespace

double CrossbarCost::highest_mhz() const {
  const double ps = std::max(cross_ps, allocate_ps);
  return ps > 0 ? 1e6 / ps : 0;
}

CrossbarCost crossbar_cost(const Cells& cells, const mem::CrossbarPart& part) {
  CrossbarCost c;
  if (part.inputs == 0 || part.outputs == 0 || part.flit.count() == 0) return c;
  const Geometry g = geometry(cells, part);
  const Wires wires = wires_for(cells, part, g);
  const auto bits = static_cast<std::uint64_t>(g.bits);
  const std::uint32_t chosen = std::min(part.virtual_channels, part.outputs);
  const QueueCost in = queue_cost(cells, part.virtual_channels * part.buffer_flits, bits);
  const QueueCost out = queue_cost(cells, part.output_flits, bits);
  const double selects = g.outputs * Cells::levels(part.inputs);
  const double flip_flops = g.bits * (2 * g.inputs + wires.cycles * g.outputs) + selects;

  const Cost below = repeaters(g, wires);
  c.matrix = matrix_cost(cells, g, below);
  c.wires = {0, below.static_nw};
  c.input_buffers = g.inputs * in.cost;
  c.output_queues = g.outputs * out.cost;
  c.registers = flip_flops * cells.flip_flop();
  c.allocator = g.inputs * matrix_arbiter(cells, chosen) + g.outputs * matrix_arbiter(cells, g.inputs);

  const double register_fj = g.bits * kRising * cells.flip_flop_fj();  // clocks: clock_fj
  const double across_fj =
      g.bits * kRising * (wires.in.fj + Cells::levels(part.inputs) * cells.mux2_fj() + wires.out.fj);
  c.flit_fj = (2 + wires.cycles) * register_fj + in.write_fj + in.read_fj + across_fj + out.write_fj +
              out.read_fj + arbiter_fj(cells, chosen) + arbiter_fj(cells, g.inputs);
  const double arbiters = g.outputs * g.inputs * (g.inputs - 1) / 2 + g.inputs * chosen * (chosen - 1) / 2;
  c.clock_fj = (flip_flops + arbiters) * cells.clock_fj();
  c.cross_ps = cross_ps(cells, part, g);
  c.allocate_ps = allocate_ps(cells, part, g);
  return c;
}

LinkCost link_cost(const Cells& cells, const mem::LinkPart& part, double length_mm) {
  LinkCost c;
  if (part.width.count() == 0 || length_mm <= 0) return c;
  const WireRun run{cells.tech().global, 1000 * length_mm, 0};
  const RepeatedWire fastest = fastest_wire(cells, run);
  const double useful = period_ps(part.clock) - cells.register_ps();
  RepeatedWire wire = fastest;
  if (useful > 0) {
    while (fastest.ps > useful * c.cycles) ++c.cycles;
    wire = *cheapest_wire(cells, run, useful * c.cycles);
  }
  const double bits = 8 * static_cast<double>(part.width.count()), registers = c.cycles - 1;
  c.cost = bits * (wire.cost + registers * cells.flip_flop());
  c.flit_fj = bits * (kRising * wire.fj + registers * (kRising * cells.flip_flop_fj() + cells.clock_fj()));
  c.ps = wire.ps;
  return c;
}

}  // namespace heddle::energy
