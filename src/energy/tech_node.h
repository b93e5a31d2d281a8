// A manufacturing process as the cost models see it: transistors, standard cells, wires, SRAM cells.
//
// Units in energy/: micrometres, femtofarads, ohms, volts, picoseconds, nanowatts, femtojoules. They fit each
// other: ohm x fF = 1/1000 ps, fF x V x V = fJ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::energy {

// ps per ohm x fF, to half of the voltage: of a resistance before a capacitance, and of a wire that has both
// along its length.
inline constexpr double kLumped = 0.69e-3, kDistributed = 0.38e-3;

struct WireLayer {
  double width_um = 0, spacing_um = 0;  // least
  double thickness_um = 0;              // of the metal
  double dielectric_um = 0;             // to the next layer
  double dielectric_constant = 0;
  double resistivity_ohm_um = 0;

  double pitch_um() const { return width_um + spacing_um; }
  double ohm_per_um() const { return resistivity_ohm_um / (width_um * thickness_um); }
  // To both neighbours and to both layers.
  double ff_per_um() const;
};

// In multiples of the feature size.
struct SramCell {
  double area = 0, aspect = 0;  // aspect: width / height
  double access_width = 0, pull_up_width = 0, pull_down_width = 0;
  // Of a column: transistors' widths, as they stand below each other.
  double precharge_width = 0, equalizer_width = 0, mux_width = 0;
  double isolation_width = 0, sense_p_width = 0, sense_n_width = 0, sense_enable_width = 0;
  double transistor_gap = 0;  // between two of them
  // Absolute.
  double sense_ps = 0, sense_fj = 0, sense_volt = 0;
};

struct TechNode {
  std::string name;
  double feature_um = 0;
  double vdd = 0;
  double celsius = 0;

  // Transistors.
  double gate_pitch_um = 0;  // contacted
  double least_width_um = 0;
  double gate_ff_per_um = 0, drain_ff_per_um = 0;  // of width
  double nmos_ohm_um = 0, pmos_ohm_um = 0;         // effective resistance x width
  double nmos_stack = 0, pmos_stack = 0;           // more resistance with each further one in series
  double off_na_per_um = 0, least_off_na = 0;      // at 27 C; the second: however narrow
  double kelvin_per_decade = 0;                    // of leakage
  double cell_tracks = 0,
         cell_height_per_active = 0;  // standard cells: height, and what of it is no transistor
  std::vector<double> drives;         // sizes that inverters come in

  WireLayer metal1, intermediate, global;
  SramCell sram;

  double cell_height_um() const { return cell_tracks * metal1.pitch_um(); }
  // Of all transistors of an inverter of size 1.
  double active_um() const { return cell_height_um() / cell_height_per_active; }
  // Of leakage, from the temperature of the data to that of the node.
  double hot() const;
  // Leakage of a transistor of a logic cell, and of one in an SRAM array, which may be narrower.
  double logic_leak_nw(double width_um) const;
  double sram_leak_nw(double width_um) const { return width_um * off_na_per_um * hot() * vdd; }
};

const TechNode& tech_22nm();
// By name ("40nm"); throws Error for those that lie outside of what has data.
TechNode find_tech(std::string_view name);

}  // namespace heddle::energy
