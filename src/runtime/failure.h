// How an entry point ends early inside the library: the code that the program gets, and what people are told.
#pragma once

#include <string>

#include "runtime/abi.h"

namespace heddle::runtime {

struct Failure {
  cudaError_t code = cudaErrorUnknown;
  std::string message;  // on standard error; empty: the code says it all
};

inline void require(bool condition, cudaError_t code) {
  if (!condition) throw Failure{code, {}};
}

}  // namespace heddle::runtime
