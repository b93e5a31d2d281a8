// What `heddle cluster --on-device` tells the library that it puts into a CUDA program, in one variable of
// the environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::interpose {

// Plain: the program as it is, watched and timed. Recompiled: its PTX as it is, compiled by the driver in the
// place of machine code that the program may have. Rewritten: its kernels rewritten.
enum class Mode : std::uint8_t { Plain, Recompiled, Rewritten };

struct Options {
  static constexpr const char* kVariable = "HEDDLE_CLUSTER";
  static constexpr const char* kLogVariable = "HEDDLE_CLUSTER_LOG";  // messages on standard error
  static constexpr const char* kLibrary = "libheddle_cluster.so";

  Mode mode = Mode::Plain;
  bool agents = true;             // false: redirection
  std::string partition = "row";  // row, column, tile
  std::uint32_t tile_width = 2, tile_height = 2;
  std::uint32_t active_agents = 0;  // per SM; 0: all that fit
  bool bypass = false;
  std::vector<std::string> kernels;  // those to rewrite; empty: all
  std::string results;               // every process adds a line to this file

  std::string to_json() const;
  // Throws Error.
  static Options from_json(const std::string& text);
};

}  // namespace heddle::interpose
