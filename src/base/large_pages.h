// Large pages of the host for what is built next. A machine's state is tens of megabytes that are touched all
// over the place: with the usual small pages, the host spends a sixth of its time looking up where they are.
#pragma once

#include <cstddef>

namespace heddle {

// Whatever this thread allocates from now on, up to `bytes` more, lies in memory for which the system is
// asked to use large pages. Nothing is touched, so nothing is taken that is not used; does nothing where it
// cannot be done.
void prefer_large_pages(std::size_t bytes);

}  // namespace heddle
