// What `heddle exec` tells at the end: the launches of a program by kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::cli {

struct ExecKernel {
  std::string kernel;
  std::uint64_t launches = 0, timed = 0;
  std::uint64_t cycles = 0;            // of those that were timed
  std::uint64_t estimated_cycles = 0;  // of the others
  std::uint64_t unknown = 0;           // launches of which nothing is known
  std::uint64_t warp_instructions = 0;
  std::vector<double> rates;  // cycles per warp instruction of the timed ones

  // Standard error of the estimated cycles, from the spread of the timed ones.
  double error_cycles() const;
};

struct ExecSummary {
  bool timing = false;
  std::string gpu;
  double clock_hz = 0;
  double host_seconds = 0;          // inside launches
  std::vector<ExecKernel> kernels;  // in the order of first launch
  bool complete = true;
  // What the program did not get, what failed, and files that are not complete: in the order in which they
  // first came.
  struct Problem {
    std::string what, kernel, why;  // `kernel` may be empty
    std::uint64_t times = 0;
  };
  std::vector<Problem> refused, failed, lost;
};

// Reads the JSON lines that the libraries wrote; a file that is not there is a program without launches.
ExecSummary read_summary(const std::string& results);
std::string to_text(const ExecSummary& summary);
// Empty when there is none.
std::string problems_text(const ExecSummary& summary);

}  // namespace heddle::cli
