// One function per bundled workload, each defined in the workload's own folder; registry.cc lists them.
#pragma once

#include "workload/workload.h"

namespace heddle::workloads {

const workload::Workload& vecadd_workload();

}  // namespace heddle::workloads
