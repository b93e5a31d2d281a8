// A point: one workload on one machine: what is simulated, kept and compared.
//
// Everything that decides its result is in it, and nothing else: what it is called in a study (design,
// perturbation) is a label (store.h), so studies and comparisons share points.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "workload/workload.h"

namespace heddle::study {

struct Point {
  std::string workload;  // "hotspot", or the file of a user's kernel
  std::string contents;  // hash of a user's files; empty for a bundled workload (the source hash covers it)
  workload::Scale scale = workload::Scale::Small;
  std::uint64_t seed = 1;
  std::string gpu;      // as it was chosen, for people: "clustered60"
  std::string machine;  // the effective configuration: every value, as TOML (gpu::effective_configuration)

  // SHA-256 over the source hash of the build, workload, contents, scale, seed and machine. A rebuild of the
  // same source gives the same key, any change of what computes results gives another one.
  std::string key() const;
};

// Finds the host program of a point; throws Error for an unknown one. The program that links the bundled
// workloads hands this in: study/ does not know them.
using FindWorkload = std::function<const workload::Workload&(const std::string& name)>;

// Simulates a point on `threads` host threads and returns its record as JSON (record.h, "heddle.run/3").
// A wrong result is part of the record. What kernels print is dropped. Throws Error for what cannot run at
// all. `detail`, if given, gets the run's detail (detail.h) as JSON; the record is the same without.
// `interrupt`, once raised, ends it: throws gpu::Stopped.
std::string simulate(const Point& point, const workload::Workload& workload, std::uint32_t threads = 1,
                     std::string* detail = nullptr, const std::atomic<bool>* interrupt = nullptr);

}  // namespace heddle::study
