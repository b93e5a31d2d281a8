// The catalog: every slot of the machine, its implementations, and which one a configuration chose.
//
// A slot's table lives with the component that has the hole (sm/warp_scheduler.h, cluster/mergers.h, ...);
// this is the one list of those tables. A new implementation is a line in its slot's table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/params.h"
#include "gpu/gpu_spec.h"

namespace heddle::gpu {

struct Slot {
  std::string_view name;      // "warp scheduler"
  std::string_view key;       // of the parameter that chooses: "sm.scheduler"
  std::string_view contract;  // header with the rules, for who writes another one
  std::vector<config::NamedChoice> (*implementations)();
  const std::string& (*chosen)(const GpuSpec& spec);
};

const std::vector<Slot>& catalog();

// What a machine is made of: one line per slot.
struct Chosen {
  std::string slot, key, name, description;
};
std::vector<Chosen> implementations(const GpuSpec& spec);

}  // namespace heddle::gpu
