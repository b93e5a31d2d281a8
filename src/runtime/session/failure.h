// How an entry point ends early inside the library: the code that the program gets, and what people are told.
#pragma once

#include <string>
#include <utility>

#include "runtime/session/abi.h"

namespace heddle::runtime {

// What the program asked for and does not get, so that its results may be wrong without a word of its own.
struct Refused {
  std::string what;    // "launch", "copy"; empty: it is none of these
  std::string why;     // without addresses: equal ones are counted together
  std::string kernel;  // of launches
};

inline const Refused kAfterFault{"launch", "a kernel had failed before", {}};

struct Failure {
  cudaError_t code = cudaErrorUnknown;
  std::string message;  // on standard error; empty: the code says it all
  std::string once{};   // the message is told only the first time that this comes; empty: always
  Refused refused{};
};

inline void require(bool condition, cudaError_t code) {
  if (!condition) throw Failure{code, {}};
}

// With words for people, which are only made where they are needed.
template <class Message>
void require(bool condition, cudaError_t code, Message&& message) {
  if (!condition) throw Failure{code, message()};
}

// A copy or a fill: people are told once for each reason.
[[noreturn]] inline void refuse(const std::string& what, const std::string& why, std::string message,
                                cudaError_t code = cudaErrorInvalidValue) {
  throw Failure{code, std::move(message), what + ": " + why, {what, why, {}}};
}

// Runs `f`: if it fails, a launch of `kernel` is refused, because of what its message says. Told once per
// kernel.
template <class F>
decltype(auto) refusing(const std::string& kernel, F&& f) {
  try {
    return f();
  } catch (Failure& e) {
    if (e.refused.what.empty()) e.refused = {"launch", e.message, kernel};
    if (e.once.empty()) e.once = "launch of " + kernel;
    throw;
  }
}

}  // namespace heddle::runtime
