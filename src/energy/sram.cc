#include "energy/sram.h"

#include <algorithm>
#include <cmath>

#include "energy/wire.h"

namespace heddle::energy {
namespace {

constexpr std::uint64_t kTile = 256;   // rows and columns at most
constexpr double kWordlineDriver = 4;  // size of its inverter

struct Tiles {
  std::uint64_t down = 0, across = 0;      // tiles
  std::uint64_t rows = 0, columns = 0;     // of each
  double cell_width = 0, cell_height = 0;  // um
  double width = 0, height = 0;            // of each
};

std::uint64_t parts(std::uint64_t n, std::uint64_t most) {
  return (n + most - 1) / most;
}

// Precharge and column select for every column, and for those that are sensed an amplifier, two tristate
// inverters that write and one with a driver that reads.
double periphery_um(const Cells& cells, const ArrayShape& shape, double cell_width) {
  const SramCell& s = cells.tech().sram;
  const double each = s.precharge_width + s.equalizer_width + s.mux_width + 3 * s.transistor_gap;
  const double amplifier =
      s.isolation_width + s.sense_p_width + s.sense_n_width + s.sense_enable_width + 4 * s.transistor_gap;
  const Cost drivers = 3 * cells.tristate() + cells.inverter();
  const double sensed = static_cast<double>(shape.sensed) / static_cast<double>(shape.columns);
  return shape.ports * (each * cells.tech().feature_um +
                        sensed * (amplifier * cells.tech().feature_um + drivers.area_um2 / cell_width));
}

Cost wordline_driver(const Cells& cells) {
  return cells.gate2() + cells.inverter(kWordlineDriver);
}

// Each further port adds two bitlines and a wordline to a cell.
Tiles tiles_of(const Cells& cells, const ArrayShape& shape) {
  const TechNode& t = cells.tech();
  const double more = (shape.ports - 1) * t.metal1.pitch_um();
  Tiles tiles;
  tiles.down = parts(shape.rows, kTile);
  tiles.across = parts(shape.columns, kTile);
  tiles.rows = parts(shape.rows, tiles.down);
  tiles.columns = parts(shape.columns, tiles.across);
  tiles.cell_width = std::sqrt(t.sram.area * t.sram.aspect) * t.feature_um + 2 * more;
  tiles.cell_height = std::sqrt(t.sram.area / t.sram.aspect) * t.feature_um + more;
  const double driver_width = shape.ports * wordline_driver(cells).area_um2 / tiles.cell_height;
  tiles.width = static_cast<double>(tiles.columns) * tiles.cell_width + driver_width;
  tiles.height =
      static_cast<double>(tiles.rows) * tiles.cell_height + periphery_um(cells, shape, tiles.cell_width);
  return tiles;
}

// A cell at rest: one transistor of each kind is off, the access transistors on one side.
double leakage_nw(const Cells& cells, const ArrayShape& shape, const Tiles& tiles) {
  const TechNode& t = cells.tech();
  const SramCell& s = t.sram;
  const double f = t.feature_um, columns = static_cast<double>(shape.columns);
  const double cell =
      t.sram_leak_nw(f * (s.pull_up_width + s.pull_down_width + shape.ports * s.access_width));
  // Bit and complement have the same transistors, half of all are off.
  const double each = t.sram_leak_nw(f * (s.precharge_width + s.equalizer_width / 2 + s.mux_width));
  const double amplifier =
      t.sram_leak_nw(f * (s.isolation_width + s.sense_p_width + s.sense_n_width + s.sense_enable_width / 2));
  const Cost drivers = 3 * cells.tristate() + cells.inverter();
  const double down = static_cast<double>(tiles.down), across = static_cast<double>(tiles.across);
  return static_cast<double>(shape.rows) * columns * cell +
         shape.ports *
             (down * (columns * each + static_cast<double>(shape.sensed) * (amplifier + drivers.static_nw)) +
              across * static_cast<double>(shape.rows) * wordline_driver(cells).static_nw);
}

}  // namespace

ArrayCost sram_array(const Cells& cells, const ArrayShape& shape) {
  ArrayCost a;
  if (shape.rows == 0 || shape.columns == 0) return a;
  const TechNode& t = cells.tech();
  const Tiles tiles = tiles_of(cells, shape);
  const double down = static_cast<double>(tiles.down), across = static_cast<double>(tiles.across);
  const double width = across * tiles.width, height = down * tiles.height;
  a.cost = {width * height, leakage_nw(cells, shape, tiles)};

  const double f = t.feature_um, metal_ff = t.metal1.ff_per_um();
  const double rows = static_cast<double>(tiles.rows), columns = static_cast<double>(tiles.columns);
  // Two neighbours share a bitline's contact.
  const double bitline_ff =
      rows * (f * t.sram.access_width * t.drain_ff_per_um / 2 + tiles.cell_height * metal_ff);
  const double wordline_ff =
      columns * (2 * f * t.sram.access_width * t.gate_ff_per_um + tiles.cell_width * metal_ff);
  const double wordline_ohm = columns * tiles.cell_width * t.metal1.ohm_per_um();

  const double wordline_ps =
      wordline_ff * (kLumped * cells.inverter_ohm(kWordlineDriver) + kDistributed * wordline_ohm);
  // Through the access transistor and the one below it.
  const double cell_ohm = (1 + t.nmos_stack) * t.nmos_ohm_um / (f * t.sram.access_width);
  const double bitline_ps = 1e-3 * cell_ohm * bitline_ff * t.sram.sense_volt / t.vdd;
  const WireRun out{t.intermediate, (width + height) / 2, 0};
  const RepeatedWire way = fastest_wire(cells, out);
  const double decode_ps =
      Cells::levels(static_cast<std::uint32_t>(shape.rows)) * cells.gate2_ps() + cells.fanout_ps(rows);
  a.access_ps = decode_ps + wordline_ps + bitline_ps + t.sram.sense_ps + way.ps;
  a.cycle_ps = cells.register_ps() + wordline_ps + 2 * bitline_ps + t.sram.sense_ps;

  // All columns of the row are precharged; those that are written swing wholly.
  const double sensed = static_cast<double>(shape.sensed), all = static_cast<double>(shape.columns);
  const double select_fj = across * wordline_ff * t.vdd * t.vdd;
  const double swing_fj = all * bitline_ff * t.sram.sense_volt * t.vdd;
  const double way_fj = sensed * kRising * way.fj;
  a.read_fj = select_fj + swing_fj + sensed * t.sram.sense_fj + way_fj;
  a.write_fj = select_fj + swing_fj + sensed * bitline_ff * t.vdd * t.vdd + way_fj;
  return a;
}

}  // namespace heddle::energy
