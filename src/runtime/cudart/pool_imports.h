// Memory of another process's pools (cudaMemPoolImportPointer).
#pragma once

#include "runtime/session/session.h"

namespace heddle::runtime {

// Gives it back; false: `p` is no such memory.
bool release_pool_import(Session& s, void* p);

}  // namespace heddle::runtime
