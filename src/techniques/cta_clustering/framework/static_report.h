// What is found out about a kernel, for people.
#pragma once

#include <string>
#include <vector>

#include "techniques/cta_clustering/framework/static_class.h"

namespace heddle::cta_clustering {

// Accesses that differ by constants only are one row: the copies of an unrolled loop, the points of a
// stencil.
struct AccessRow {
  std::uint32_t line = 0;  // of the first, in the PTX text
  std::uint32_t count = 1;
  std::string kind;  // "read", "write", "atomic", "texture"
  std::string array;
  std::uint32_t bytes = 0;
  std::string on_x, on_y, on_z;  // bytes per step of blockIdx
  std::string on_threads;        // per step of threadIdx.x, .y, .z where it depends on them
  std::string on_loops;          // per iteration, outermost first
};

struct StaticReport {
  std::string kernel;
  std::vector<AccessRow> accesses;
  StaticClass found;
};

StaticReport static_report(const ptx::Module& module, const ptx::Function& kernel,
                           const Circumstances& c = {});

std::vector<std::string> lines(const StaticReport& report);

}  // namespace heddle::cta_clustering
