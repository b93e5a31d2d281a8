#pragma once

namespace heddle::runtime {

// All handles of cuMemCreate, mapped or not: cudaDeviceReset.
void forget_physical_memory();

}  // namespace heddle::runtime
