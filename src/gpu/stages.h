// The stages of a machine, from its SMs down to DRAM, made from its description: the one place that knows
// which there are. Everything that looks at a whole machine walks `all` (mem/stage.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cache/l1_stage.h"
#include "cluster/port_stage.h"
#include "gpu/gpu_spec.h"
#include "gpu/machine_stats.h"
#include "hierarchy/memory_stages.h"
#include "mem/stage.h"
#include "noc/network_stage.h"
#include "sm/sm_stage.h"

namespace heddle::gpu {

class Stages {
 public:
  explicit Stages(const GpuSpec& spec);

  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  // From the SMs down.
  const mem::StageList& all() const { return all_; }
  // All counters that the machine has, at zero.
  MachineStats zero() const;

  // For who builds the machine: its parts are attached here.
  sm::SmStage sms;
  std::optional<noc::NetworkStage> core_networks;  // of an organization that has such
  cache::L1Stage l1s;
  cluster::PortStage ports;
  noc::NetworkStage networks;
  hierarchy::L2Stage l2;
  hierarchy::DramStage dram;

 private:
  mem::StageList all_;
  bool rewrites_;  // software changes launches
};

// Every statistic that some machine has: those of the default description, and what each implementation of a
// slot counts beside.
MachineStats every_statistic();

// The funnel of a run on the machine `spec`.
mem::Funnel funnel(const GpuSpec& spec, const MachineStats& s);
// What must be equal at a kernel's end.
std::vector<mem::Identity> identities(const GpuSpec& spec, const MachineStats& s);
// The hardware of all stages, as they tell it: for what it costs (energy/machine_cost.h).
std::vector<mem::Structure> structures(const GpuSpec& spec);
// What a page draws over time.
std::vector<mem::Curve> curves(const GpuSpec& spec);
// What of the machine is in no structure, so that its cost is not known: "load front 'mrpb'".
std::vector<std::string> without_structure(const GpuSpec& spec);
// The machine of an empty description.
GpuSpec default_spec();

}  // namespace heddle::gpu
