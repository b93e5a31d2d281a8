#include "gpu/timing_device.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/error.h"
#include "base/large_pages.h"
#include "exec/functional/cta_reads.h"

namespace heddle::gpu {
namespace {

exec::FunctionalOptions only_executed(const TimingOptions& o) {
  exec::FunctionalOptions f = o.functional;
  f.count_accesses = false;
  f.threads = 1;
  f.output = o.output;
  return f;
}

}  // namespace

// What the kernels of one SM print in a window; shown at its end, SM after SM.
class TimingDevice::SmOutput final : public exec::OutputSink {
 public:
  void write(const std::string& text) override { text_ += text; }
  std::string text_;
};

TimingDevice::TimingDevice(const GpuSpec& spec, const TimingOptions& options)
    : exec::DeviceBase(spec.gpu.code_order, spec.perturb.allocation_offset, options.sharing),
      spec_(spec),
      options_(options),
      runner_(only_executed(options)) {
  prefer_large_pages((std::size_t{16} + spec.sms()) << 20);  // about a megabyte per SM
  std::vector<exec::AtomicRecords*> records;
  for (std::uint32_t i = 0; i < spec_.sms(); ++i) {
    execution_.push_back(std::make_unique<exec::SmExecution>());
    outputs_.push_back(std::make_unique<SmOutput>());
    records.push_back(&execution_.back()->atomics);
  }
  std::vector<mem::StoreLog*> logs;
  for (std::uint32_t i = 0; i < spec_.slices(); ++i) {
    slice_logs_.push_back(std::make_unique<mem::StoreLog>());
    logs.push_back(slice_logs_.back().get());
  }
  atomics_ = std::make_unique<exec::AtomicExecutor>(memory(), std::move(records), std::move(logs));
  machine_ = std::make_unique<Machine>(spec_, options_.machine, *atomics_, [this] { commit(); });
  if (spec_.software.make_rewriter) rewriter_ = spec_.software.make_rewriter(spec_.sms());
}

TimingDevice::~TimingDevice() = default;

// Atomics first, then stores, SM by SM: the order that all thread counts share.
void TimingDevice::commit() {
  for (auto& log : slice_logs_)
    if (!log->empty()) log->commit(memory());
  for (auto& e : execution_)
    if (!e->log.empty()) e->log.commit(memory());
  if (options_.output != nullptr) flush_output();
  if (options_.observer != nullptr) options_.observer->window_end();
}

void TimingDevice::flush_output() {
  for (auto& o : outputs_) {
    if (o->text_.empty()) continue;
    options_.output->write(o->text_);
    o->text_.clear();
  }
}

void TimingDevice::copied_in(mem::Address to, std::uint64_t bytes) {
  if (spec_.gpu.l2_at_start == L2Start::HostCopies) machine_->preload(to, bytes);
}

std::string TimingDevice::module_text(std::string_view ptx_text, std::string_view file) {
  return rewriter_ != nullptr ? rewriter_->module(ptx_text, file) : std::string(ptx_text);
}

workload::Launch TimingDevice::substituted(const workload::Launch& launch) {
  rewritten_ = false;
  if (rewriter_ == nullptr) return launch;
  const std::optional<workload::InsteadOf> other = rewriter_->launch(launch, *this);
  rewritten_ = other && other->rewritten;
  return other ? other->launch : launch;
}

std::uint32_t TimingDevice::ctas_per_sm(const workload::Launch& launch) {
  const exec::KernelImage& image = kernel(launch.kernel, launch.module);
  workload::CtaNeeds needs;
  needs.threads = static_cast<std::uint32_t>(launch.block.count());
  const std::uint32_t told = launch.registers != 0 ? launch.registers : registers_;
  needs.registers_per_thread = told != 0 ? told : image.registers_per_thread;
  needs.shared_bytes = image.static_shared + launch.dynamic_shared;
  try {
    return sm::occupancy(spec_.sm, needs).ctas;
  } catch (const Error&) {
    return 0;
  }
}

workload::DevicePtr TimingDevice::counters(std::uint64_t bytes) {
  workload::DevicePtr& at = counters_[stream_];
  if (at == workload::DevicePtr::Null) at = allocate(bytes, "counters of rewritten kernels");
  return at;
}

workload::CtaReads TimingDevice::reads(const workload::Launch& launch) {
  const auto line = static_cast<std::uint32_t>(spec_.l1.tags.line.count());
  return exec::reads_of_ctas(memory(), data_of(launch, options_.functional.recursive_stack),
                             runner_.options(), line);
}

// Not the host program's: its input stays what it is.
workload::DevicePtr TimingDevice::constants(std::span<const std::byte> bytes) {
  const workload::DevicePtr at = allocate(bytes.size(), "tables of rewritten kernels");
  const auto address = static_cast<mem::Address>(at);
  memory().write(address, bytes.data(), bytes.size());
  copied_in(address, bytes.size());
  return at;
}

exec::LaunchData TimingDevice::launch_data(const workload::Launch& launch) {
  exec::LaunchData data = prepare(launch, options_.functional.recursive_stack);
  if (data.registers == 0) data.registers = registers_;
  return data;
}

TimingDevice::Queued TimingDevice::make_grid(const exec::LaunchData& data, std::uint32_t stream) {
  std::vector<exec::SmPorts> ports;
  for (std::uint32_t i = 0; i < spec_.sms(); ++i)
    ports.push_back({execution_[i].get(), &machine_->view(i), outputs_[i].get()});
  Queued q;
  q.grid = std::make_unique<exec::PtxGrid>(memory(), data, ports, heap());
  if (options_.observer != nullptr)
    q.observed = std::make_unique<workload::ObservedGrid>(*q.grid, *options_.observer, spec_.sms());
  q.stream = stream;
  q.rewritten = rewritten_;
  return q;
}

void TimingDevice::launch(const workload::Launch& launch) {
  if (spec_.limit.kernel_cycles != 0) {
    launch_in_part(launch);
    return;
  }
  enqueue(launch);
  run_queued();
}

// The kernel gets what is left of its cycles; what they do not suffice for is executed behind them, so that
// the program's result is that of all of it.
void TimingDevice::launch_in_part(const workload::Launch& launch) {
  const exec::LaunchData data = launch_data(launch);
  sim::Cycle& spent = simulated_[launch.kernel];
  if (spent >= spec_.limit.kernel_cycles) {
    std::vector<std::uint64_t> all(data.grid.count());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    only_execute(data, all);
    return;
  }
  queue_.push_back(make_grid(data, 0));
  queue_.back().last_start = spec_.limit.kernel_cycles - spent;
  if (spec_.limit.cut) queue_.back().cut = queue_.back().last_start;
  run_queued();
  spent += launches_.back().cycles;
  if (const std::vector<std::uint64_t> left = launches_.back().not_started; !left.empty())
    only_execute(data, left);
}

void TimingDevice::only_execute(const exec::LaunchData& data, std::span<const std::uint64_t> ctas) {
  add_children(runner_.run(memory(), data, ctas).children);
  for (auto l = launches_.rbegin(); l != launches_.rend(); ++l) {
    if (l->kernel != data.image->name) continue;
    l->stats.gpu.ctas_only_executed += ctas.size();
    return;
  }
}

void TimingDevice::execute(const workload::Launch& launch) {
  execute(launch, runner_);
}

exec::LaunchProfile TimingDevice::execute(const workload::Launch& launch, exec::FunctionalRunner& runner) {
  exec::LaunchProfile profile = runner.run(memory(), prepare(launch, options_.functional.recursive_stack));
  add_children(std::move(profile.children));
  return profile;
}

void TimingDevice::enqueue(const workload::Launch& launch, std::uint32_t stream) {
  stream_ = stream;
  queue_.push_back(make_grid(launch_data(launch), stream));
  stream_ = 0;
}

void TimingDevice::run_queued() {
  const std::vector<Queued> queue = std::exchange(queue_, {});
  const bool alone = std::all_of(queue.begin(), queue.end(),
                                 [&](const Queued& q) { return q.stream == queue.front().stream; });
  for (std::size_t i = 0; i < queue.size();) {
    std::vector<Submission> batch;
    std::uint64_t rewritten = 0;
    do {
      batch.push_back(queue[i].submission());
      rewritten += queue[i].rewritten ? 1 : 0;
    } while (++i < queue.size() && !alone);
    const auto begin = std::chrono::steady_clock::now();
    BatchResult result = machine_->run(batch);
    result.kernels.front().stats = result.stats;
    if (rewriter_ != nullptr)
      result.kernels.front().stats.groups.add(SoftwareStats::kGroup, SoftwareStats{batch.size(), rewritten});
    result.kernels.front().host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    launches_.insert(launches_.end(), result.kernels.begin(), result.kernels.end());
    if (result.end != sim::EndReason::Done) throw Stopped{result.end};
  }
  for (const Queued& q : queue) add_children(q.grid->take_children());
}

MachineStats TimingDevice::total() const {
  MachineStats sum;
  for (const LaunchResult& l : launches_) sum.add(l.stats);
  return sum;
}

}  // namespace heddle::gpu
