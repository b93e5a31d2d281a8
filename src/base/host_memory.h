// How much memory the host can still give to this process: what does not fit is refused with the numbers,
// before the system ends the process without a word.
//
// Nothing but an Error depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace heddle {

class HostMemoryError : public Error {
 public:
  using Error::Error;
};

struct HostMemory {
  std::uint64_t available = ~std::uint64_t{0};  // all ones: nothing is known
  std::uint64_t total = ~std::uint64_t{0};
};

// The least of what the system, every control group of this process and HEDDLE_HOST_MEMORY (a number of bytes
// such as 4GiB, for the process) have left. `root`: where /proc and /sys are looked for.
HostMemory host_memory(const std::string& root = {});

// Throws HostMemoryError when `bytes` more would leave next to nothing. `what`: "buffer 'a'", "local memory
// of ...".
void require_host_memory(std::uint64_t bytes, std::string_view what);

// The same for what is taken in many pieces, by any thread: looks whenever some tens of megabytes have come
// together.
void count_host_memory(std::uint64_t bytes, std::string_view what);

// Throws HostMemoryError when there is next to nothing left. For what takes memory by touching it; looks at
// most every few hundredths of a second, so that it can be asked often.
void watch_host_memory();

}  // namespace heddle
