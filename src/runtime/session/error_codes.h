// Names and descriptions of CUDA's error codes.
#pragma once

namespace heddle::runtime {

struct ErrorText {
  int code;
  const char* name;         // "cudaErrorInvalidValue"
  const char* driver_name;  // "CUDA_ERROR_INVALID_VALUE"; nullptr: the driver has no such code
  const char* description;  // "invalid argument"
};

// nullptr: not a code of CUDA's.
const ErrorText* find_error(int code);

}  // namespace heddle::runtime
