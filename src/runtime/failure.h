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

// With words for people, which are only made where they are needed.
template <class Message>
void require(bool condition, cudaError_t code, Message&& message) {
  if (!condition) throw Failure{code, message()};
}

}  // namespace heddle::runtime
