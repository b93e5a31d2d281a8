// Ends a program whose call of the driver fails, with the call and the error's name.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK_DRIVER(call)                                                                \
  do {                                                                                    \
    const CUresult status_ = (call);                                                      \
    if (status_ != CUDA_SUCCESS) {                                                        \
      const char* name_ = nullptr;                                                        \
      cuGetErrorName(status_, &name_);                                                    \
      std::printf("%s gives %s\n", #call, name_ != nullptr ? name_ : "an unknown error"); \
      std::exit(2);                                                                       \
    }                                                                                     \
  } while (false)
