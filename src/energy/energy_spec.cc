#include "energy/energy_spec.h"

#include "base/error.h"
#include "energy/tech_node.h"

namespace heddle::energy {

using config::range;

void EnergySpec::fields(config::Reader& r) {
  r.field("process", process, "Manufacturing process of the chip, from 11nm to 45nm (docs/energy.md)");
  try {
    find_tech(process);
  } catch (const Error& e) {
    r.fail("process", e.message(), e.advice());
  }
  r.field(
      "switch_flits", switch_flits, range(0u, 4096u),
      "What costs are computed for: flits of every virtual channel at a switch's input, and no queues at "
      "outputs, as papers give them to their tools; 0: the buffers of the description, which hold for who "
      "sends and who receives as well");
  const auto factor = range(0.0, 1000.0);
  r.field("work_factor", work_factor, factor,
          "Energy of what lanes do, as a multiple of an H200's at the process and at its lower voltage");
  r.field("array_factor", array_factor, factor,
          "Energy of accesses to register files, shared memory, caches and tables, as a multiple of the bare "
          "arrays'");
  r.field("network_factor", network_factor, factor,
          "Energy of flits in switches and links, as a multiple of the bare structures'");
  const auto watts = range(0.0, 10'000.0);
  r.field("sm_watts", sm_watts, watts, "Power of an SM for being there, in watts");
  r.field("busy_sm_watts", busy_sm_watts, watts, "Further power of an SM that has warps, in watts");
  r.field("other_watts", other_watts, watts,
          "Power of what is in no structure (memory controllers, links to the host, regulators), in watts");
  const auto energy = range(0.0, 1e9);
  r.field("dram_activate_pj", dram_activate_pj, energy,
          "Energy to open and close a KiB of a DRAM row, in pJ");
  r.field("dram_read_pj", dram_read_pj, energy, "Energy of a byte read from DRAM, in pJ");
  r.field("dram_write_pj", dram_write_pj, energy, "Energy of a byte written to DRAM, in pJ");
  r.field("dram_interface_pj", dram_interface_pj, energy,
          "Energy of a byte to or from DRAM in the GPU's memory controllers and pins, in pJ");
  r.field("dram_refresh_pj", dram_refresh_pj, energy,
          "Energy of a refresh of a channel (of each pseudo channel, where there are several), in pJ");
  r.field("dram_watts", dram_watts, watts, "Power of a DRAM channel for being there, in watts");
}

}  // namespace heddle::energy
