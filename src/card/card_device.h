// The device of a host program whose kernels run on a real card.
//
// Launches are timed with the driver's events. A launch that is timed is made several times, each time with
// the memory as it was before (program_memory.h), so that its result is that of one launch, and a kernel that
// is launched once has a median and a spread, too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "card/card_turns.h"
#include "card/driver.h"
#include "card/kernel_times.h"
#include "card/program_memory.h"
#include "workload/device.h"
#include "workload/launch_rewriter.h"

namespace heddle::card {

struct CardOptions {
  // How often a timed launch is timed. 1: it is made once, without a copy of memory before it, as the program
  // makes it; that is what profilers want.
  std::uint32_t repeat = 9;
  std::uint32_t warm_up = 2;         // times that it is made before that, untimed
  std::uint32_t timed_launches = 4;  // of each kernel, the first ones; others are made once, untimed
};

// One at a time in a process: it has the card's primary context to itself, and everything in it is gone with
// the device. Several processes take turns (card_turns.h).
class CardDevice final : public workload::Device, private workload::LaunchSite {
 public:
  // `rewriter`: nullptr: kernels run as they are. `reads`: what CTAs of a launch read, which a card cannot
  // tell; empty: not known.
  using ReadsOf = std::function<workload::CtaReads(const workload::Launch&)>;
  CardDevice(const Driver& driver, const CardOptions& options,
             std::unique_ptr<workload::LaunchRewriter> rewriter = nullptr, ReadsOf reads = {});
  ~CardDevice() override;
  CardDevice(const CardDevice&) = delete;
  CardDevice& operator=(const CardDevice&) = delete;

  workload::DevicePtr allocate(std::uint64_t bytes, std::string_view label) override;
  void release(workload::DevicePtr p) override;
  void copy_in(workload::DevicePtr to, const void* from, std::uint64_t bytes) override;
  void copy_out(void* to, workload::DevicePtr from, std::uint64_t bytes) override;
  void fill(workload::DevicePtr to, std::uint8_t value, std::uint64_t bytes) override;
  void load_module(std::string_view ptx_text, std::string_view file) override;
  workload::DevicePtr symbol(std::string_view name, std::uint64_t* bytes = nullptr) override;
  std::uint64_t texture(const workload::TextureView& view) override;
  void launch(const workload::Launch& launch) override { run(launch, true); }
  // Once, and not timed.
  void execute(const workload::Launch& launch) override { run(launch, false); }

  // In the order of first launch, without those that were only executed.
  const std::vector<KernelTimes>& kernels() const { return kernels_; }

 private:
  class Turn;
  std::uint32_t ctas_per_sm(const workload::Launch& launch) override;
  workload::DevicePtr counters(std::uint64_t bytes) override;
  workload::CtaReads reads(const workload::Launch& launch) override;
  workload::DevicePtr constants(std::span<const std::byte> bytes) override;

  void run(const workload::Launch& launch, bool counted);
  KernelTimes& times_of(const workload::Launch& launch);
  void note_variables(CUmodule module, const std::string& text, std::string_view file);
  // Null: no module has it.
  CUfunction find_function(const workload::Launch& launch);
  CUfunction function(const workload::Launch& launch);
  void start(const workload::Launch& launch);
  double timed_once(const workload::Launch& launch);
  LaunchTimes timed(const workload::Launch& launch);

  const Driver& driver_;
  const CardOptions options_;
  std::unique_ptr<workload::LaunchRewriter> rewriter_;
  const ReadsOf reads_;
  std::vector<CUmodule> modules_;
  std::map<std::pair<std::uint32_t, std::string>, CUfunction> functions_;
  ProgramMemory memory_;
  CardTurns turns_;
  workload::DevicePtr counters_ = workload::DevicePtr::Null;
  CUevent begin_ = nullptr, end_ = nullptr;
  std::vector<KernelTimes> kernels_;
};

// What cuTexObjectCreate is given for a view.
struct TextureDescription {
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
};
TextureDescription describe(const workload::TextureView& view);

}  // namespace heddle::card
