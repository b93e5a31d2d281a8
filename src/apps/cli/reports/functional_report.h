// What a functional run found, for people and as a record.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "apps/cli/reports/run_report.h"
#include "exec/functional/profile.h"

namespace heddle::cli {

// One run; the JSON form has "mode": "functional".
struct RunRecord : study::RunHead {
  std::uint32_t threads = 1;  // of the host
  exec::FunctionalStats total;
  std::vector<exec::KernelStats> kernels;

  void take(const exec::FunctionalDevice& device);
};

void report(const RunRecord& record, const OutputOptions& options, std::ostream& out);

}  // namespace heddle::cli
