// A whole machine under test: a description with a few values changed, a kernel of a few lines, its launch.
//
// Every kernel has three addresses (%a, %b, %c) and a number (%n), %tid, %cta, %lane, %gid, and registers %p,
// %r, %rd, %f to use. Conservation is checked by the machine after each launch.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu_spec.h"
#include "gpu/timing_device.h"

namespace heddle::gpu {

using Settings = std::vector<std::string>;  // "l1.latency=5"

// One SM, one partition, every clock 1 GHz, caches for instructions and constants perfect, memory without
// hashes: a machine whose times can be added up by hand.
extern const std::string_view kLab;

// `what`: a preset's name, or TOML (a text with a line end in it).
GpuSpec spec_of(std::string_view what, const Settings& settings = {});
inline GpuSpec lab(const Settings& settings = {}) {
  return spec_of(kLab, settings);
}

// The PTX of kernel `k`. `globals`: what stands before it.
std::string kernel_text(std::string_view body, std::string_view globals = {});
// `line` n times; "#" in it becomes the repetition's number, "#*128" 128 times that.
std::string times(std::uint32_t n, std::string_view line);
// A loop of `n` rounds (PTX operand: "100" or "%n") around `body`, counted in %r63 with predicate %p7.
std::string loop(std::string_view n, std::string_view body);
// Reads %r0 to %r(n-1): loads into registers that nobody reads would all get one, and wait for each other.
std::string use(std::uint32_t n);

struct Shape {
  std::uint32_t ctas = 1, threads = 32;
  std::uint32_t n = 0;
  std::uint32_t dynamic_shared = 0;
};

class Bench {
 public:
  explicit Bench(const GpuSpec& spec, const MachineOptions& options = {});

  // Memory of `words` 32-bit words (zero), or with what is given; each starts a row of 64 KiB.
  workload::DevicePtr words(std::uint64_t count);
  workload::DevicePtr words(const std::vector<std::uint32_t>& values);
  std::vector<std::uint32_t> read(workload::DevicePtr from, std::size_t count);
  // `count` lines, `stride` bytes apart, the first 8 bytes of each holding the address of the next; the last
  // one points to the first.
  workload::DevicePtr chain(std::uint64_t count, std::uint64_t stride);

  void load(std::string_view body, std::string_view globals = {});
  const LaunchResult& run(const Shape& shape, workload::DevicePtr a = {}, workload::DevicePtr b = {},
                          workload::DevicePtr c = {});

  TimingDevice& device() { return device_; }
  const GpuSpec& spec() const { return spec_; }

 private:
  workload::DevicePtr allocate(std::uint64_t bytes);
  GpuSpec spec_;
  TimingDevice device_;
};

// HEDDLE_TEST_ALL=1 in the environment: sweeps run whole, not only what a short test has time for.
bool all_wanted();

// Cycles of one launch of `body` on a fresh machine with `bytes` of zeroed memory at %a.
sim::Cycle cycles_of(const GpuSpec& spec, std::string_view body, const Shape& shape,
                     std::uint64_t bytes = 1 << 20);

// Every counter and every bin of a histogram with its name, in order: machines that did the same have equal
// lists.
std::vector<std::pair<std::string, std::uint64_t>> counters(const MachineStats& stats);

}  // namespace heddle::gpu
