// How the driver's functions are put in its place: under its names, for programs that are linked with it,
// and by their addresses for those that ask for them (entry_points.h).
#pragma once

#include <exception>

#include "interpose/driver.h"
#include "interpose/log.h"
#include "interpose/session.h"

#define HEDDLE_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace heddle::interpose {

// The functions with default streams of each thread take the handle that means it everywhere.
inline CUstream of_thread(CUstream stream) {
  return stream == nullptr ? kPerThreadStream : stream;
}

// Whether there is anything to do but to call the driver.
inline bool watching() {
  if (!Session::wanted()) return false;
  Session::get().note_driver();
  return true;
}

// What goes wrong in here is no reason for the program to fail.
template <class F>
void quietly(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    log("internal error: {}", e.what());
  }
}

}  // namespace heddle::interpose
