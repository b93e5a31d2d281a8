#pragma once

#include "mem/request.h"

namespace heddle::mem {

// What a request of atomics is for the arithmetic units of a slice: passes over sectors. Lanes that change
// different words of a sector go together, lanes that change the same one take a pass each.
struct AtomicWork {
  std::uint32_t whole = 0;    // passes that change all of their sector
  std::uint32_t part = 0;     // the others
  std::uint32_t deepest = 0;  // lanes that change one word, at most
  bool floating = false;
};

// Executes the global atomics of SMs where they meet: called by the memory partition that owns the line, in
// the order of arrival. Sees memory as of the window's start plus what the same slice did since.
class AtomicUnit {
 public:
  virtual ~AtomicUnit() = default;
  // request.words: the lanes; request.owner and request.payload: whose operands.
  virtual void execute(const Request& request) = 0;
  // What the same request asks of hardware; before or after it is executed.
  virtual AtomicWork work(const Request& request) const = 0;
  // How many lanes have changed what memory holds so far; asked between windows.
  virtual std::uint64_t changes() const { return 0; }
};

}  // namespace heddle::mem
