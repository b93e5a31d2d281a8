// The order of a kernel's CTAs by its reuse graph, for use outside of the simulator.
#pragma once

#include <cstdint>
#include <string>

#include "techniques/cta_clustering/graph/cut_graph.h"
#include "workload/launch.h"
#include "workload/workload.h"

namespace heddle::study {

struct GraphOrder {
  workload::Dim3 grid;  // of the kernel's first launch, which it is the order of
  std::uint32_t clusters = 1;
  cta_clustering::TaskOrder tasks;
};

// Runs the program without time, up to that launch. Throws Error: the kernel is never launched, or its graph
// cannot be cut.
GraphOrder graph_order(const workload::Workload& workload, const workload::RunOptions& options,
                       const std::string& kernel, std::uint32_t clusters, std::uint32_t line_bytes);

// As an array of C, and a functor for cuda/heddle/cta_clustering.cuh that goes by it.
std::string order_header(const std::string& kernel, const GraphOrder& order);

}  // namespace heddle::study
