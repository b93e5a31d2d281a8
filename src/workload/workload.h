// A bundled benchmark: CUDA kernels (as PTX), a host driver, inputs at three scales, a CPU reference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/embedded_file.h"
#include "workload/device.h"

namespace heddle::workload {

enum class Scale : std::uint8_t { Tiny, Small, Paper };
std::string_view name(Scale s);
std::optional<Scale> parse_scale(std::string_view text);

// Everything that decides a run's input. Recorded with the result.
struct RunOptions {
  Scale scale = Scale::Small;
  std::uint64_t seed = 1;
};

using Parameters = std::vector<std::pair<std::string, std::string>>;  // name, value; in reading order

struct Verification {
  bool ok = false;
  std::uint64_t compared = 0;  // values
  double max_error = 0;        // in the unit that `tolerance` states
  std::string tolerance;       // "relative 1e-4", "exact"
  std::string detail;          // the first mismatch: where, got, expected
};

// A kernel of a workload, numbered from 1 in the order of first launch: `atax.1` is the program with this
// kernel's launches simulated and the others only executed.
struct KernelInfo {
  std::string function;  // as in the PTX
  std::string label;     // as the papers print it: "ATAX_1"; empty: nobody names it
};

struct WorkloadInfo {
  std::string name;                      // "hotspot", as given to `heddle run`
  std::string suite;                     // "Rodinia"
  std::string abbreviation;              // as the papers print it: "HS"
  std::string summary;                   // one line
  bool order_sensitive = false;          // result may differ between legal interleavings ...
  std::string order_reason;              // ... and why
  std::vector<KernelInfo> kernels = {};  // every kernel that is launched
  std::vector<std::string> also = {};    // what further papers print: "RAY" of what is "C-RAY" to others
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual const WorkloadInfo& info() const = 0;
  // What `options` mean for this workload: sizes, iterations, distribution of generated data.
  virtual Parameters parameters(const RunOptions& options) const = 0;
  // The host program: makes the input, launches the kernels, reads the results back, compares them with
  // the CPU reference. May be called again with other options; keeps no state between calls.
  virtual Verification run(Device& device, const RunOptions& options) const = 0;
};

// PTX of a bundled workload: "hotspot", "workloads/hotspot/hotspot.ptx".
using EmbeddedPtx = EmbeddedFile;

}  // namespace heddle::workload
