#include "runtime/session/physical_memory.h"

#include "runtime/session/failure.h"

namespace heddle::runtime {

PhysicalMemory& PhysicalMemoryTable::find(CUmemGenericAllocationHandle handle) {
  const auto at = all.find(handle);
  if (at == all.end()) throw Failure{cudaErrorInvalidValue, {}};
  return *at->second;
}

}  // namespace heddle::runtime
