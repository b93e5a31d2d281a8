// A crossbar with the buffers, registers and allocator around it, and links.
//
// Structure as in DSENT (Sun et al., NOCS 2012): at every input a register, a buffer of flip-flops for all
// virtual channels and another register; at every output a tree of 2:1 multiplexers over all inputs, bit by
// bit, and a register; an allocator with an arbiter over the virtual channels of each input and one over the
// inputs for each output, whose priorities stand in a matrix. The switch's area is that of its wires, a grid
// of inputs x width by outputs x width, unless the cells below need more.
//
// Two things differ. Wires inside the switch have resistance and capacitance, and repeaters as the clock
// needs them; and selects are driven by trees of inverters. DSENT leaves both out.
#pragma once

#include "energy/cells.h"
#include "mem/structure.h"

namespace heddle::energy {

struct CrossbarCost {
  Cost matrix;         // multiplexers and their selects; area: of the grid of wires
  Cost wires;          // their repeaters, within that area
  Cost input_buffers;  // of all inputs
  Cost output_queues;
  Cost registers;
  Cost allocator;
  double flit_fj = 0;                    // a flit into the buffer, across and into the output's register
  double clock_fj = 0;                   // a cycle in which nothing moves
  double cross_ps = 0, allocate_ps = 0;  // the shortest that a cycle can be: for flits, for the allocator

  Cost total() const { return matrix + wires + input_buffers + output_queues + registers + allocator; }
  double highest_mhz() const;  // 0: there is nothing
};

// Of one of part.count. No inputs or no outputs: nothing.
CrossbarCost crossbar_cost(const Cells& cells, const mem::CrossbarPart& part);

struct LinkCost {
  Cost cost;  // repeaters, and registers where a flit needs several cycles
  double flit_fj = 0;
  double ps = 0;             // end to end
  std::uint32_t cycles = 1;  // of its clock
};

// Of one of part.count, so long.
LinkCost link_cost(const Cells& cells, const mem::LinkPart& part, double length_mm);

}  // namespace heddle::energy
