// Runs a few lines of PTX and looks at what came of it.
//
// Every kernel gets %tid (%tid.x), %lane, %gid (number of the thread in a one-dimensional grid), %out (its
// array of 32-bit words) and %mine (the address of word %gid), and registers %p, %h, %r, %rd, %f, %d. A line
// that ends in `//NAME` can be asked for by that name: how often it was issued, where an error was reported.
//
// Everything runs three times, at once, in windows as under timing, and at once with code as the assembler
// makes it and without counts of accesses, and must give the same words and the same text or fail in all; not
// where a test uses the device itself, or says that the order of execution shows.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "exec/functional/functional_device.h"
#include "exec/image/kernel_image.h"
#include "stream/windowed_device.h"
#include "workload/launch.h"

namespace heddle::exec {

using workload::args;
using workload::Dim3;
using workload::KernelArgs;

inline constexpr std::string_view kPtxHeading = ".version 8.0\n.target sm_90\n.address_size 64\n";

// `globals` and `params` are PTX; parameters follow the array's.
std::string kernel_text(std::string_view body, std::string_view globals = {}, std::string_view params = {});

struct Case {
  std::string globals = {};  // variables and functions of the module
  std::string params = {};   // ", .param .u64 p1, ..."
  KernelArgs more = {};      // their values, padded as PTX does
  Dim3 grid{1, 1, 1};
  Dim3 block{32, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::uint32_t words = 0;  // of the array; 0: one per thread
  FunctionalOptions options = {};
  bool order_shows = false;  // in the result: no comparison with the other executions
};

class Bench final : private OutputSink {
 public:
  Bench(std::string_view body, Case given = {});

  // Launches and reads the array back. Throws what the kernel's error is.
  const std::vector<std::uint32_t>& run();
  // The error that run() ends with.
  Error run_error();

  FunctionalDevice& device() {
    windowed_.reset();
    assembled_.reset();
    return *device_;
  }
  const KernelImage& image() const;
  const std::vector<std::uint32_t>& out() const { return out_; }
  void set_out(const std::vector<std::uint32_t>& words);
  workload::DevicePtr array() const { return array_; }
  const std::string& printed() const { return printed_; }

  std::uint32_t line(std::string_view tag) const;
  std::uint64_t issued(std::string_view tag) const;  // of the last launch
  std::uint64_t lanes(std::string_view tag) const;
  AccessCount access(std::string_view tag) const;
  std::uint64_t issued_in_all() const;

 private:
  void write(const std::string& text) override { printed_ += text; }
  struct Text final : OutputSink {
    void write(const std::string& t) override { text += t; }
    std::string text;
  };
  void compare_windowed(const workload::Launch& launch);
  void compare_assembled(const workload::Launch& launch);
  template <class F>
  void for_each_pc(std::string_view tag, F&& f) const;

  std::string text_;
  Case case_;
  std::unique_ptr<FunctionalDevice> device_;
  std::unique_ptr<WindowedDevice> windowed_;
  std::unique_ptr<FunctionalDevice> assembled_;
  Text windowed_text_, assembled_text_;
  workload::DevicePtr array_{};
  std::vector<std::uint32_t> out_;
  std::string printed_;
};

// What `body` leaves in the array.
inline std::vector<std::uint32_t> run(std::string_view body, Case given = {}) {
  return Bench(body, std::move(given)).run();
}

// f(i) for i below n.
template <class F>
std::vector<std::uint32_t> expected(std::uint32_t n, F&& f) {
  std::vector<std::uint32_t> v;
  for (std::uint32_t i = 0; i < n; ++i) v.push_back(static_cast<std::uint32_t>(f(i)));
  return v;
}

}  // namespace heddle::exec
