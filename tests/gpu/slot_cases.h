// One machine for each implementation of each slot that the catalog has.
#pragma once

#include "bench.h"

namespace heddle::gpu {

struct SlotCase {
  std::string name;   // "cluster merger icc"
  Settings settings;  // beside those of any machine
};
void PrintTo(const SlotCase& c, std::ostream* out);
// For names of tests.
std::string test_name(const SlotCase& c);

std::vector<SlotCase> every_implementation();

}  // namespace heddle::gpu
