#include "energy/tech_node.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heddle::energy {
namespace {

// Sources:
//   DSENT  Sun et al., "DSENT - A Tool Connecting Emerging Photonics with Electronics for Opto-Electronic
//          Networks-on-Chip Modeling", NOCS 2012; the values are those of its published technology file
//          Bulk22LVT.model (ITRS and PTM projections)
//   CACTI  Muralimanohar, Balasubramonian, Jouppi, "CACTI 6.0: A Tool to Model Large Caches", HPL-2009-85,
//          and Balasubramonian et al., "CACTI 7", TACO 14(2), 2017: its 22nm.dat (ITRS high performance) and
//          the transistor widths of its sense amplifiers
TechNode make_22nm() {
  TechNode t;
  t.name = "22nm";
  t.feature_um = 0.022;
  t.vdd = 0.8;              // DSENT
  t.celsius = 340 - 273;    // DSENT
  t.gate_pitch_um = 0.120;  // DSENT, and all below to `global`
  t.least_width_um = 0.100;
  t.gate_ff_per_um = 0.900;
  t.drain_ff_per_um = 0.620;
  t.nmos_ohm_um = 700;
  t.pmos_ohm_um = 930;
  t.nmos_stack = 0.80;
  t.pmos_stack = 0.68;
  t.off_na_per_um = 100;
  t.least_off_na = 60;
  t.kelvin_per_decade = 100;
  t.cell_tracks = 11;
  t.cell_height_per_active = 1.4;
  t.drives = {1, 1.4, 2, 3, 4, 6, 8, 10, 12, 16};
  t.metal1 = {0.032, 0.032, 0.060, 0.060, 3.00, 0.0500};
  t.intermediate = {0.055, 0.055, 0.100, 0.100, 2.80, 0.0400};
  t.global = {0.160, 0.160, 0.280, 0.250, 2.60, 0.0230};
  SramCell& s = t.sram;
  s.area = 146;  // CACTI, and all below
  s.aspect = 1.46;
  s.access_width = 1.31;
  s.pull_up_width = 1.23;
  s.pull_down_width = 2.08;
  s.precharge_width = 18;
  s.equalizer_width = 3;
  s.mux_width = 9;
  s.isolation_width = 12.5;
  s.sense_p_width = 7.5;
  s.sense_n_width = 3.75;
  s.sense_enable_width = 5;
  s.transistor_gap = 1.5;
  s.sense_ps = 30;
  s.sense_fj = 2.16;
  s.sense_volt = 0.08;
  return t;
}

}  // namespace

// S.-C. Wong, G.-Y. Lee, D.-J. Ma, "Modeling of Interconnect Capacitance, Delay, and Crosstalk in VLSI", IEEE
// Trans. Semiconductor Manufacturing 13(1), 2000: a wire between two neighbours and two planes. PTM and DSENT
// use it too.
double WireLayer::ff_per_um() const {
  constexpr double kVacuum = 8.85e-3;  // fF / um
  const double w = width_um, s = spacing_um, t = thickness_um, h = dielectric_um;
  const double plane = w / h + 2.04 * std::pow(s / (s + 0.54 * h), 1.77) * std::pow(t / (t + 4.53 * h), 0.07);
  const double neighbour = 1.14 * (t / s) * std::exp(-4 * s / (s + 8.01 * h)) +
                           2.37 * std::pow(w / (w + 0.31 * s), 0.28) * std::pow(h / (h + 8.96 * s), 0.76) *
                               std::exp(-2 * s / (s + 6 * h));
  return 2 * dielectric_constant * kVacuum * (plane + neighbour);
}

double TechNode::hot() const {
  return std::pow(10, (celsius - 27) / kelvin_per_decade);
}

double TechNode::logic_leak_nw(double width_um) const {
  return std::max(width_um * off_na_per_um, least_off_na) * hot() * vdd;
}

const TechNode& tech_22nm() {
  static const TechNode node = make_22nm();
  return node;
}

const TechNode& find_tech(std::string_view name) {
  if (name == tech_22nm().name) return tech_22nm();
  throw Error("no data of a process named '" + std::string(name) + "'",
              "22nm is the only one: others need a table of their own in energy/tech_node.cc");
}

}  // namespace heddle::energy
