// Driver interface: images of code that programs load themselves.
#pragma once

#include <string_view>

#include "runtime/driver/driver_entry.h"

namespace heddle::runtime {

// Options of the driver's compiler. They change nothing here; finish() writes those that tell something back,
// with what was wrong in the error log.
struct JitOptions {
  unsigned count = 0;
  const int* names = nullptr;
  void** values = nullptr;
  void finish(std::string_view errors = {}) const;
};

// PTX, a fat binary, or what nvcc registers. Throw Failure.
void load_image(Session& s, CUmodule* module, const void* image);
void load_image_file(Session& s, CUmodule* module, const char* path);

}  // namespace heddle::runtime
