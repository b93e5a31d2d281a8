// Kernels that must do the same after they have been rewritten: `k(.param .u64 out, .param .u32 n)` writes
// words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/launch.h"

namespace heddle::cta_clustering {

struct TestKernel {
  std::string name;
  std::string text;
  workload::Dim3 block{32, 1, 1};
  std::uint32_t dynamic_shared = 0;
};

// A module with the entry k. Its body begins with %id (the CTA's number in the grid, x fastest), %t (the
// thread's in the CTA), %gid (in the grid), %out (the array) and %mine (word %gid); other registers: %p, %h,
// %r, %rd.
std::string module_of(const std::string& body, const std::string& globals = "");

std::vector<TestKernel> test_kernels();

}  // namespace heddle::cta_clustering
