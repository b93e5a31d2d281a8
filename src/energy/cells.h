// Standard cells, built of the transistors of a process: an inverter of size 1 has all transistors that fit
// into the height of a cell; what is larger is folded.
#pragma once

#include <cstdint>

#include "energy/cost.h"
#include "energy/tech_node.h"

namespace heddle::energy {

class Cells {
 public:
  explicit Cells(TechNode tech);

  const TechNode& tech() const { return tech_; }

  Cost inverter(double size = 1) const;
  Cost tristate() const;   // an inverter that can be cut off
  Cost gate2() const;      // AND2 or OR2: NAND2 or NOR2, and an inverter
  Cost mux2() const;       // two tristate inverters, inverters for output and select
  Cost flip_flop() const;  // two latches: six inverters, four tristate ones

  // Of an inverter.
  double inverter_ohm(double size = 1) const { return ohm_ / size; }
  double inverter_input_ff(double size = 1) const { return input_ff_ * size; }
  double inverter_output_ff(double size = 1) const { return output_ff_ * size; }

  double mux2_input_ff() const { return 0.5 * input_ff_; }
  double mux2_fj() const;       // its output rises
  double flip_flop_fj() const;  // what it holds rises
  double clock_fj() const;      // of a flip-flop, per cycle
  double gate2_fj() const;

  // An inverter that drives four like itself.
  double fo4_ps() const;
  double mux2_ps() const;                        // that drives another one
  double gate2_ps() const;                       // that drives another one
  double register_ps() const;                    // of a cycle: from the clock to the output, and setup
  double fanout_ps(double loads) const;          // inverters in a tree, four each
  Cost fanout_tree(double loads) const;          // ... and what they take
  static std::uint32_t levels(std::uint32_t n);  // of a binary tree with n leaves

 private:
  Cost of(double pitches, double leaking) const;
  TechNode tech_;
  double ohm_, input_ff_, output_ff_, leak_nw_;
};

}  // namespace heddle::energy
