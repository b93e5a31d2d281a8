// Slot: what software does to kernels and their launches before a GPU has them.
//
// A rewriter sees every module as it is loaded and every launch as it is made, in that order; what it gives
// back is what runs. The host program must not notice: results stay the same, and only time may differ. A
// kernel that it cannot change safely it leaves as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/reader.h"
#include "workload/cta_reads.h"
#include "workload/launch.h"

namespace heddle::workload {

// What software may ask the GPU for before a launch.
class LaunchSite {
 public:
  // CTAs of this launch that an SM holds at once; 0: not even one fits. Its kernel is one of those that were
  // loaded.
  virtual std::uint32_t ctas_per_sm(const Launch& launch) = 0;
  // Device memory that is zero before the first launch of a stream that asks for it, and the same for all of
  // them.
  virtual DevicePtr counters(std::uint64_t bytes) = 0;
  // What the CTAs of a launch read, by running it: memory is as before when this returns. Sites that cannot
  // tell say so.
  virtual CtaReads reads(const Launch& /*launch*/) { return CtaReads::unknown("this device cannot tell"); }
  // Device memory with these bytes, for all launches that follow; Null: there is none.
  virtual DevicePtr constants(std::span<const std::byte> /*bytes*/) { return DevicePtr::Null; }

 protected:
  ~LaunchSite() = default;
};

// The launch that is made instead of the program's.
struct InsteadOf {
  Launch launch;
  bool rewritten = true;  // false: the kernel as it was, under the name that it is kept by
};

class LaunchRewriter {
 public:
  virtual ~LaunchRewriter() = default;
  // The text that is loaded instead.
  virtual std::string module(std::string_view ptx_text, std::string_view file) = 0;
  // None: the launch stays as it is. Modules have the numbers that they were loaded with.
  virtual std::optional<InsteadOf> launch(const Launch& launch, LaunchSite& site) = 0;
};

using RewriterFactory = std::function<std::unique_ptr<LaunchRewriter>(std::uint32_t sms)>;

struct LaunchRewriterKind {
  std::string_view name, description;
  // Reads (or only describes) the parameters of its own section. What it returns makes one for each device;
  // empty: kernels run as they are.
  RewriterFactory (*read)(config::Reader& section);
};

// Those that come with workload/: `none`.
std::span<const LaunchRewriterKind> launch_rewriters();

}  // namespace heddle::workload
