#pragma once

#include "mem/request.h"

namespace heddle::mem {

// Executes the global atomics of SMs where they meet: called by the memory partition that owns the line, in
// the order of arrival. Sees memory as of the window's start plus what the same slice did since.
class AtomicUnit {
 public:
  virtual ~AtomicUnit() = default;
  // request.words: the lanes; request.owner and request.payload: whose operands.
  virtual void execute(const Request& request) = 0;
  // How many lanes have changed what memory holds so far; asked between windows.
  virtual std::uint64_t changes() const { return 0; }
};

}  // namespace heddle::mem
