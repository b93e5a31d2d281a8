// What the CTAs of a program's launches read, found by running it without time: for devices that cannot tell.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "workload/cta_reads.h"
#include "workload/launch.h"
#include "workload/workload.h"

namespace heddle::study {

class RecordedReads {
 public:
  // Grids of a kernel that are kept: the first ones.
  static constexpr std::size_t kMostGrids = 8;

  // Of each kernel with each of its grids the first launch. Throws Error as a run does.
  RecordedReads(const workload::Workload& workload, const workload::RunOptions& options,
                std::uint32_t line_bytes);

  workload::CtaReads of(const workload::Launch& launch) const;

 private:
  class Recorder;
  using Grid = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  std::map<std::string, std::map<Grid, workload::CtaReads>> kernels_;
};

}  // namespace heddle::study
