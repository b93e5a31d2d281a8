#include "energy/cells.h"

#include <bit>
#include <cmath>
#include <utility>

namespace heddle::energy {

// PMOS transistors are so much wider than NMOS ones that both pull alike.
Cells::Cells(TechNode node) : tech_(std::move(node)) {
  const TechNode& tech = tech_;
  const double beta = tech.pmos_ohm_um / tech.nmos_ohm_um;
  const double n = tech.active_um() / (1 + beta), p = tech.active_um() - n;
  ohm_ = (tech.nmos_ohm_um / n + tech.pmos_ohm_um / p) / 2;
  input_ff_ = tech.active_um() * tech.gate_ff_per_um;
  output_ff_ = tech.active_um() * tech.drain_ff_per_um + tech.cell_height_um() * tech.metal1.ff_per_um();
  // One of the two is off, as often as the other.
  leak_nw_ = (tech.logic_leak_nw(n) + tech.logic_leak_nw(p)) / 2;
}

// `leaking`: paths from supply to ground, each as an inverter's. One pitch more separates cells.
Cost Cells::of(double pitches, double leaking) const {
  return {(1 + pitches) * tech_.gate_pitch_um * tech_.cell_height_um(), leaking * leak_nw_};
}

Cost Cells::inverter(double size) const {
  const double folds = std::ceil(size);
  return of(folds, folds);
}

Cost Cells::tristate() const {
  return of(2, 1);
}

// Of the four states of a NAND2, three have one path that leaks, and one has two transistors side by side.
Cost Cells::gate2() const {
  return of(2 + 1, 1.25 + 1);
}

Cost Cells::mux2() const {
  return of(2 * 2 + 2, 4);
}

Cost Cells::flip_flop() const {
  return of(6 + 4 * 2, 10);
}

// The tristate inverters are half as large as the output's.
double Cells::mux2_fj() const {
  return (2 * 0.5 * output_ff_ + input_ff_ + output_ff_ + mux2_input_ff()) * tech_.vdd * tech_.vdd;
}

// Eight of its stages follow the data, of mean size 0.4.
double Cells::flip_flop_fj() const {
  return 8 * 0.4 * (input_ff_ + output_ff_) * tech_.vdd * tech_.vdd;
}

// Two small inverters, and the enables of four tristate ones.
double Cells::clock_fj() const {
  return (2 * 0.25 * (input_ff_ + output_ff_) + 4 * 0.28 * input_ff_) * tech_.vdd * tech_.vdd;
}

double Cells::gate2_fj() const {
  return (2 * output_ff_ + 2 * input_ff_) * tech_.vdd * tech_.vdd;
}

double Cells::fo4_ps() const {
  return kLumped * ohm_ * (output_ff_ + 4 * input_ff_);
}

// Two transistors in series of half the width, with the drains of both branches and the output inverter; then
// that inverter with the next level's input.
double Cells::mux2_ps() const {
  const double stacked = ohm_ / 0.5 * (1 + (tech_.nmos_stack + tech_.pmos_stack) / 2);
  return kLumped * (stacked * (2 * 0.5 * output_ff_ + input_ff_) + ohm_ * (output_ff_ + mux2_input_ff()));
}

// By logical effort (Sutherland, Sproull, Harris 1999): NAND2 that drives an inverter, 4/3 + 2, and an
// inverter that drives a NAND2, 4/3 + 1, where a fan-out of four is 4 + 1.
double Cells::gate2_ps() const {
  return fo4_ps() * (4.0 / 3 + 2 + 4.0 / 3 + 1) / 5;
}

// Weste and Harris, CMOS VLSI Design, chapter 10: three to five times a fan-out of four. No margin for skew.
double Cells::register_ps() const {
  return 5 * fo4_ps();
}

double Cells::fanout_ps(double loads) const {
  double levels = 0;
  for (; loads > 1; loads /= 4) ++levels;
  return levels * fo4_ps();
}

Cost Cells::fanout_tree(double loads) const {
  Cost all;
  for (double n = loads / 4; n >= 1; n /= 4) all += n * inverter();
  return all;
}

std::uint32_t Cells::levels(std::uint32_t n) {
  return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}

}  // namespace heddle::energy
