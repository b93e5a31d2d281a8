// What `heddle cluster --on-device` tells: whether a program's results are the same with rewritten kernels,
// and how long its kernels took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpose/record/results.h"

namespace heddle::cli {

struct ProgramRun {
  int status = 0;
  std::string output;
  std::vector<interpose::ProcessResults> processes;

  bool uses_driver() const;
  std::vector<interpose::KernelResult> kernels() const;  // of all processes, in the order of first launch
  std::vector<interpose::CopyResult> copies() const;
};

struct OnDeviceRuns {
  std::string description;  // "agents, by rows"
  std::vector<ProgramRun> plain, rewritten;
  std::vector<ProgramRun> recompiled;  // one, or none: the program's PTX unchanged, compiled by the driver
};

// Status, output and copies to the host. Only what is the same in all plain runs can be compared.
struct Comparison {
  std::vector<std::string> compared;  // "status 0"
  std::vector<std::string> differs;   // of the rewritten runs
  std::vector<std::string> unstable;  // what differs from one plain run to another
  bool same() const { return differs.empty(); }
};
Comparison compare_runs(const std::vector<ProgramRun>& plain, const std::vector<ProgramRun>& others);

std::string to_text(const OnDeviceRuns& runs, const Comparison& comparison);

}  // namespace heddle::cli
