// A GPU built from its description: every unit, the channels between them, the engine that runs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/detail.h"
#include "gpu/dispatcher.h"
#include "gpu/energy_account.h"
#include "gpu/gpu_spec.h"
#include "gpu/machine_stats.h"
#include "gpu/sampler.h"
#include "gpu/stages.h"
#include "gpu/watchdog.h"
#include "hierarchy/l1_organization.h"
#include "hierarchy/partition.h"
#include "mem/atomic_unit.h"
#include "mem/replication_meter.h"
#include "mem/store_log.h"
#include "noc/topology.h"
#include "sim/engine.h"
#include "workload/warp_stream.h"

namespace heddle::gpu {

struct MachineOptions {
  std::uint32_t threads = 1;
  std::uint32_t thread_map = 0;
  bool every_cycle = false;                      // the engine's slow mode, for tests
  sim::Cycle max_cycles = sim::kNever;           // of all launches together, launch overhead included
  const std::atomic<bool>* interrupt = nullptr;  // Ctrl-C
  sm::CtaObserver* observer = nullptr;
  sim::Cycle sample_every = 0;     // cycles; 0: no time series
  bool detail = false;             // collect what detail() returns
  std::vector<std::string> watch;  // statistics (counters) in the series beside the usual ones
};

// How far a launch is, for who wants to tell the user.
struct Progress {
  std::string_view kernel;
  std::uint64_t launch = 0;  // 0 for the first
  sim::Cycle cycles = 0;     // of this launch
  sim::Cycle now = 0;        // of all launches so far
  std::uint64_t instructions = 0;
  std::uint64_t ctas_ended = 0, ctas = 0;
};

struct LaunchResult {
  std::string kernel;
  sim::Cycle start = 0, cycles = 0;  // launch overhead included
  sm::Occupancy occupancy;
  MachineStats stats;
  double host_seconds = 0;                    // never part of a simulated result
  sim::EndReason end = sim::EndReason::Done;  // Done, CycleLimit or Interrupted: else an Error is thrown
  std::vector<std::uint64_t> not_started;     // with Submission::last_start: CTAs that are left, ascending
};

// Several kernels at once: those of one stream in order, those of different streams beside each other where
// resources allow.
struct Submission {
  workload::GridStream* grid = nullptr;
  std::uint32_t stream = 0;
  // So many cycles after its launch the kernel gets no further CTA; those that run come to their end. For a
  // kernel that runs alone: one that has to wait for others' room may never get the CTA whose end ends it.
  sim::Cycle last_start = sim::kNever;
  // So many cycles after its launch nothing more of it is issued; what is left of its CTAs is executed
  // without time. Likewise for a kernel that runs alone.
  sim::Cycle cut = sim::kNever;
};
struct BatchResult {
  std::vector<LaunchResult> kernels;  // as submitted; their statistics are the batch's
  MachineStats stats;
  std::uint64_t ctas = 0;
  sim::EndReason end = sim::EndReason::Done;
};

class Machine {
 public:
  // `atomics` executes global atomics at the L2 slices; `commit` makes the stores of a window visible, called
  // between windows.
  Machine(const GpuSpec& spec, const MachineOptions& options, mem::AtomicUnit& atomics,
          std::function<void()> commit);
  ~Machine();

  // Runs a kernel to its end. Throws Error when it cannot end, with who waits for whom, and when requests and
  // answers do not add up.
  LaunchResult run(workload::GridStream& grid);
  BatchResult run(std::span<const Submission> batch);

  const workload::HardwareView& view(std::uint32_t sm) const { return l1s_->cores()[sm]->sm(); }
  const mem::AddressMap& address_map() const { return map_; }
  // Lines of [begin, begin + bytes) are in L2 from now on.
  void preload(mem::Address begin, std::uint64_t bytes);
  // `f` is called now and then while a kernel runs (every few thousand windows: often enough for people, too
  // rarely to cost anything). Once, before the first run().
  void on_progress(std::function<void(const Progress&)> f);
  // With MachineOptions::sample_every: the series of all launches so far.
  std::span<const Sample> samples() const;
  // With MachineOptions::detail, between launches: of all launches so far.
  std::optional<RunDetail> detail() const;
  const GpuSpec& spec() const { return spec_; }
  const sim::Engine& engine() const { return engine_; }

 private:
  using RequestChannel = sim::Channel<mem::Request>;
  using PacketChannel = sim::Channel<mem::Packet>;
  struct Commit;
  struct Ticker;
  void build(mem::AtomicUnit& atomics);
  std::unique_ptr<noc::Network> build_network(noc::Direction direction, const noc::Ports& ports);
  void build_l1s();
  void build_dispatcher();
  void build_ports(const noc::Ports& request, const noc::Ports& reply);
  void build_partitions(mem::AtomicUnit& atomics, const noc::Ports& request, const noc::Ports& reply);
  void measure();
  RequestChannel& request_channel(std::uint32_t latency, std::uint32_t places);
  PacketChannel& packet_channel(std::uint32_t latency, std::uint32_t places,
                                std::uint32_t virtual_channels = 1);
  MachineStats collect() const;
  void clear_statistics();
  void check_conservation(const MachineStats& s, const std::string& kernel) const;
  bool idle() const;
  SampledCounters sampled() const;
  std::vector<std::uint64_t> watched() const;
  void check_watched() const;
  void prepare_detail();
  void measure_detail();
  sm::CtaObserver* observer() const;
  // In the order of the stages: their series, and what is kept of them over time.
  std::vector<mem::Series> series() const;
  SeriesCounts read_series(sim::Cycle now) const;
  energy::EnergyStats energy_so_far(sim::Cycle now);  // of the launch that runs
  void detail_launch_end(const BatchResult& result);
  std::uint64_t instructions() const;
  void prepare(std::span<const Submission> batch);
  void read_for_launch(const workload::GridStream& grid, sim::Cycle now);
  BatchResult results(std::span<const Submission> batch, sim::EndReason end);
  void finish(const BatchResult& result);
  bool execute_rest(std::string_view kernel);  // false: interrupted

  GpuSpec spec_;
  MachineOptions options_;
  mem::AddressMap map_;
  mem::AtomicUnit& atomics_;
  sim::Engine engine_;
  std::unique_ptr<Commit> commit_;
  std::vector<std::unique_ptr<RequestChannel>> request_channels_;
  std::vector<std::unique_ptr<PacketChannel>> packet_channels_;
  Stages stages_;
  EnergyAccount energy_;
  const hierarchy::L1Layout layout_;
  std::vector<RequestChannel*> to_port_, from_port_;  // of each lane
  std::unique_ptr<hierarchy::L1Level> l1s_;
  std::vector<std::unique_ptr<cluster::ClusterPort>> ports_;
  std::unique_ptr<noc::Network> request_network_, reply_network_;
  std::vector<std::unique_ptr<hierarchy::Partition>> partitions_;
  std::vector<sim::UnitId> partition_ids_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<DetailRecorders> detail_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<mem::ReplicationMeter> replication_;
  Watchdog watchdog_;
  std::uint64_t launches_ = 0;
  sim::Cycle launch_start_ = 0;
  sim::Cycle halt_ = sim::kNever;  // of the launch that runs (Submission::cut)
  sim::Cycle spent_ = 0;           // by all launches, overhead included
};

}  // namespace heddle::gpu
