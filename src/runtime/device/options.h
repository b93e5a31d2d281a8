// What `heddle exec` tells the libraries that a CUDA program loads: handed over as JSON in one environment
// variable.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::runtime {

enum class Mode : std::uint8_t { Timing, Functional };

struct ExecOptions {
  static constexpr const char* kVariable = "HEDDLE_EXEC";

  Mode mode = Mode::Timing;
  std::string gpu = "v100";          // as it was chosen
  std::string configuration;         // effective, as TOML; empty: the preset `gpu`
  std::uint32_t threads = 1;         // of the host
  std::uint64_t max_cycles = 0;      // 0: no limit
  std::uint64_t first_timed = 1;     // launches count from 1; the others are executed for their results only
  std::uint64_t last_timed = ~0ull;  // the last one that is timed
  std::uint32_t sample = 0;          // launches of each kernel that are timed; 0: all
  std::uint32_t capability = 0;      // 75: compute capability 7.5; 0: as the program's PTX asks for
  std::string results;               // JSON lines, one per launch, are written to this file; empty: to none
  std::string tally;                 // the same in brief, for the summary; may be gone
  std::string recording;             // what the device was given is written to this file; empty: to none

  bool every_launch() const { return sample == 0 && first_timed <= 1 && last_timed == ~0ull; }

  std::string to_json() const;
  static ExecOptions from_json(const std::string& text);
  // Of the environment; the defaults without it. HEDDLE_GPU alone chooses a machine, HEDDLE_FUNCTIONAL=1 the
  // mode.
  static ExecOptions from_environment();
};

}  // namespace heddle::runtime
