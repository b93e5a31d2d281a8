// PTX execution as the timing machine sees it: a launch's CTAs on SMs, one instruction at a time.
//
// What an SM needs to execute is its own: nothing here is shared between SMs while a window runs, except
// memory, which is only read, and the kernel's image.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/memory/atomic_records.h"
#include "exec/memory/device_heap.h"
#include "exec/warp/context.h"
#include "exec/warp/cta.h"
#include "mem/store_log.h"
#include "workload/warp_stream.h"

namespace heddle::exec {

class PtxCta final : public workload::CtaStream {
 public:
  void start(ExecContext& context, std::uint64_t id);

  std::uint64_t id() const override { return cta_.linear; }
  std::uint32_t warps() const override { return static_cast<std::uint32_t>(cta_.warps.size()); }
  std::uint32_t pc(std::uint32_t warp) const override { return cta_.warps[warp].pc(); }
  const void* running_state(std::uint32_t warp) const override { return &cta_.warps[warp]; }
  workload::Issued issue(std::uint32_t warp) override;
  std::uint32_t matched_values() const override { return context_->matched_values; }
  workload::LongWay long_way() const override { return cta_.warps[issued_].long_way(); }
  std::uint64_t release() override;
  void deliver(std::uint32_t warp, std::uint16_t payload) override;
  void retire_atomic(std::uint16_t payload) override { context_->atomics->retire(payload); }
  void copied(std::uint16_t payload) override;
  std::string place(std::uint32_t warp) const override;
  std::uint64_t state(std::uint32_t warp) const override { return cta_.warps[warp].state(); }
  std::uint64_t shared_state() const override;

 private:
  workload::Issued issue_branch(Warp& warp);
  void executed(Warp& warp, std::uint32_t pc, Warp::Stop stop, workload::Issued& issued);
  void note_stop(const Warp& warp, std::uint32_t pc, Warp::Stop stop, workload::Issued& issued);
  void fill_accesses(const Warp& warp, std::uint32_t pc, workload::Issued& issued);

  Cta cta_;
  ExecContext* context_ = nullptr;
  AtomicRecords* atomics_ = nullptr;
  const KernelImage* image_ = nullptr;
  std::uint32_t issued_ = 0;                               // the warp that did last
  std::uint64_t blocked_ = 0;                              // warps whose lanes all wait at barriers
  std::array<workload::WarpAccess, kMostParts> accesses_;  // of the last memory instruction
};

// What execution keeps for an SM, from launch to launch.
struct SmExecution {
  mem::StoreLog log;
  AtomicRecords atomics;
  std::vector<std::unique_ptr<PtxCta>> idle;  // storage of CTAs that have ended
};

// Per SM, given to a launch.
struct SmPorts {
  SmExecution* execution = nullptr;
  const workload::HardwareView* view = nullptr;
  OutputSink* output = nullptr;  // device printf; nullptr: dropped
};

class PtxGrid final : public workload::GridStream {
 public:
  // `ports` by SM. `heap`: for kernels that call malloc or free.
  PtxGrid(mem::DeviceMemory& memory, const LaunchData& launch, std::span<const SmPorts> ports,
          DeviceHeap& heap);
  ~PtxGrid() override;

  std::string_view kernel() const override { return image_.name; }
  std::uint64_t ctas() const override { return shape_.count(); }
  workload::Dim3 shape() const override { return shape_; }
  workload::CtaNeeds needs() const override { return needs_; }
  workload::StaticCode code() const override { return {image_.statics, image_.static_registers}; }
  workload::CtaStream* start(std::uint64_t id, std::uint32_t sm) override;
  void finish(workload::CtaStream* cta, std::uint32_t sm) override;

  // What the grid has launched, in no order of CTAs.
  std::vector<ChildLaunch> take_children() const;

 private:
  struct Sm {
    Sm(mem::DeviceMemory& memory, const LaunchData& launch) : context(memory, launch) {}
    ExecContext context;
    SmExecution* execution = nullptr;
    std::vector<std::unique_ptr<PtxCta>> running;
  };

  const KernelImage& image_;
  workload::Dim3 shape_;
  workload::CtaNeeds needs_;
  std::vector<std::unique_ptr<Sm>> sms_;
};

}  // namespace heddle::exec
