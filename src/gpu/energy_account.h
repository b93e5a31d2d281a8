// The energy of a launch, from what the machine counted: statistics times what each of their counts takes
// (energy/energy_model.h).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "energy/energy_model.h"
#include "gpu/gpu_spec.h"
#include "gpu/machine_stats.h"
#include "mem/stage.h"

namespace heddle::gpu {

// Of a machine: from its structures and its section `energy`.
energy::EnergyModel energy_model(const GpuSpec& spec);

// Watts over time: of every region that the machine has, and of what is there.
std::vector<mem::Curve> power_curves(const GpuSpec& spec);

// For many launches of one machine.
class EnergyAccount {
 public:
  explicit EnergyAccount(const GpuSpec& spec);
  energy::EnergyStats of(MachineStats& s);

 private:
  void number(const MachineStats& s);

  energy::EnergyModel model_;
  // Of counters, in the order in which the machine declares them; found with the first launch.
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

}  // namespace heddle::gpu
