// What a functional run found, for people and as a record.
#pragma once

#include <ostream>
#include <vector>

#include "apps/cli/record.h"
#include "exec/profile.h"

namespace heddle::cli {

// One run. The JSON form has "schema": "heddle.run/1".
struct RunRecord : RunHead {
  exec::FunctionalStats total;
  std::vector<exec::KernelStats> kernels;

  void take(const exec::FunctionalDevice& device);
};

void report(const RunRecord& record, const OutputOptions& options, std::ostream& out);

}  // namespace heddle::cli
