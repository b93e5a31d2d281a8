#include "energy/tech_node.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::energy {
namespace {

// Sources:
//   DSENT  Sun et al., "DSENT - A Tool Connecting Emerging Photonics with Electronics for Opto-Electronic
//          Networks-on-Chip Modeling", NOCS 2012; the values are those of its published technology files
//          Bulk45LVT, Bulk32LVT, Bulk22LVT and TG11LVT (ITRS and PTM projections)
//   CACTI  Muralimanohar, Balasubramonian, Jouppi, "CACTI 6.0: A Tool to Model Large Caches", HPL-2009-85,
//          and Balasubramonian et al., "CACTI 7", TACO 14(2), 2017: its 45nm.dat, 32nm.dat and 22nm.dat (ITRS
//          high performance) and the transistor widths of its sense amplifiers. It has no 11 nm: an SRAM's
//          cell has the same multiples of the feature size there as before, its sensing takes what it does at
//          22 nm
struct Node {
  double nm, vdd, gate_pitch_um, least_width_um, gate_ff_per_um, drain_ff_per_um, nmos_ohm_um, pmos_ohm_um,
      nmos_stack, pmos_stack, least_off_na;
  WireLayer metal1, intermediate, global;
  double sense_ps, sense_fj;
};

// Largest first.
const Node kNodes[] = {
    {45,
     1.0,
     0.200,
     0.160,
     1.000,
     0.600,
     1100,
     1500,
     0.70,
     0.60,
     60,
     {0.080, 0.080, 0.140, 0.130, 3.20, 0.0300},
     {0.110, 0.110, 0.200, 0.170, 3.00, 0.0260},
     {0.160, 0.160, 0.280, 0.250, 2.80, 0.0230},
     40,
     2.70},
    {32,
     0.9,
     0.160,
     0.120,
     0.950,
     0.640,
     890,
     1270,
     0.78,
     0.66,
     60,
     {0.055, 0.055, 0.100, 0.100, 3.20, 0.0400},
     {0.110, 0.110, 0.200, 0.170, 3.00, 0.0260},
     {0.160, 0.160, 0.280, 0.250, 2.80, 0.0230},
     30,
     2.16},
    {22,
     0.8,
     0.120,
     0.100,
     0.900,
     0.620,
     700,
     930,
     0.80,
     0.68,
     60,
     {0.032, 0.032, 0.060, 0.060, 3.00, 0.0500},
     {0.055, 0.055, 0.100, 0.100, 2.80, 0.0400},
     {0.160, 0.160, 0.280, 0.250, 2.60, 0.0230},
     30,
     2.16},
    {11,
     0.6,
     0.080,
     0.080,
     0.610,
     0.560,
     1160,
     1280,
     0.89,
     0.86,
     22,
     {0.020, 0.020, 0.035, 0.035, 3.00, 0.0680},
     {0.040, 0.040, 0.070, 0.070, 2.80, 0.0450},
     {0.160, 0.160, 0.280, 0.250, 2.60, 0.0230},
     30,
     2.16},
};

double between(double a, double b, double share) {
  return a + share * (b - a);
}

WireLayer between(const WireLayer& a, const WireLayer& b, double share) {
  return {between(a.width_um, b.width_um, share),
          between(a.spacing_um, b.spacing_um, share),
          between(a.thickness_um, b.thickness_um, share),
          between(a.dielectric_um, b.dielectric_um, share),
          between(a.dielectric_constant, b.dielectric_constant, share),
          between(a.resistivity_ohm_um, b.resistivity_ohm_um, share)};
}

// Between two that have data, every value is between theirs, as CACTI does it.
Node node_of(double nm) {
  std::size_t i = 0;
  while (i + 2 < std::size(kNodes) && kNodes[i + 1].nm > nm) ++i;
  const Node &a = kNodes[i], &b = kNodes[i + 1];
  const double share = (a.nm - nm) / (a.nm - b.nm);
  Node n = a;
  n.nm = nm;
  for (double Node::*value :
       {&Node::vdd, &Node::gate_pitch_um, &Node::least_width_um, &Node::gate_ff_per_um,
        &Node::drain_ff_per_um, &Node::nmos_ohm_um, &Node::pmos_ohm_um, &Node::nmos_stack, &Node::pmos_stack,
        &Node::least_off_na, &Node::sense_ps, &Node::sense_fj})
    n.*value = between(a.*value, b.*value, share);
  for (WireLayer Node::*layer : {&Node::metal1, &Node::intermediate, &Node::global})
    n.*layer = between(a.*layer, b.*layer, share);
  return n;
}

TechNode make(double nm) {
  const Node n = node_of(nm);
  TechNode t;
  t.name = fmt::format("{:g}nm", nm);
  t.feature_um = nm / 1000;
  t.vdd = n.vdd;  // DSENT, and all below to the SRAM's
  t.celsius = 340 - 273;
  t.gate_pitch_um = n.gate_pitch_um;
  t.least_width_um = n.least_width_um;
  t.gate_ff_per_um = n.gate_ff_per_um;
  t.drain_ff_per_um = n.drain_ff_per_um;
  t.nmos_ohm_um = n.nmos_ohm_um;
  t.pmos_ohm_um = n.pmos_ohm_um;
  t.nmos_stack = n.nmos_stack;
  t.pmos_stack = n.pmos_stack;
  t.off_na_per_um = 100;
  t.least_off_na = n.least_off_na;
  t.kelvin_per_decade = 100;
  t.cell_tracks = 11;
  t.cell_height_per_active = 1.4;
  t.drives = {1, 1.4, 2, 3, 4, 6, 8, 10, 12, 16};
  t.metal1 = n.metal1;
  t.intermediate = n.intermediate;
  t.global = n.global;
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
  s.sense_ps = n.sense_ps;
  s.sense_fj = n.sense_fj;
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
  static const TechNode node = make(22);
  return node;
}

TechNode find_tech(std::string_view name) {
  const double most = kNodes[0].nm, least = std::rbegin(kNodes)->nm;
  double nm = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), nm);
  const bool read = problem == std::errc() && std::string_view(end, name.data() + name.size()) == "nm";
  if (!read || !(nm >= least && nm <= most))
    throw Error("no data of a process named '" + std::string(name) + "'",
                fmt::format("give one from {:g}nm to {:g}nm, as \"22nm\": 45, 32, 22 and 11 have data, the "
                            "others lie between",
                            least, most));
  return make(nm);
}

}  // namespace heddle::energy
