// What the energy of a run depends on beside the structures of the machine: section `energy` of a
// description. docs/energy.md has the sources.
#pragma once

#include <cstdint>
#include <string>

#include "config/reader.h"

namespace heddle::energy {

struct EnergySpec {
  std::string process = "22nm";
  std::uint32_t switch_flits = 0;  // of a switch's virtual channel, without output queues; 0: as described
  // What a whole chip takes over the bare structures of the models: clock trees, control, margins.
  double work_factor = 1, array_factor = 1, network_factor = 1;
  // Watts for being there, beside the models' leakage.
  double sm_watts = 0;       // of an SM
  double busy_sm_watts = 0;  // more, of an SM with a warp
  double other_watts = 0;    // of what is in no structure: memory controllers, links to the host, regulators
  // Memory chips.
  double dram_activate_pj = 0;                 // of a KiB of a row
  double dram_read_pj = 0, dram_write_pj = 0;  // of a byte
  double dram_refresh_pj = 0;                  // of a refresh (`dram.refreshes`)
  double dram_watts = 0;                       // of a partition
  double dram_interface_pj = 0;                // of a byte, by the GPU's memory controllers and pins
  void fields(config::Reader& r);
};

}  // namespace heddle::energy
