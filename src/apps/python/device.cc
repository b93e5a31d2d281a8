#include "apps/python/device.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/python/interruptible.h"
#include "base/demangle.h"
#include "base/error.h"
#include "exec/functional/profile.h"
#include "ptx/ir/signature.h"
#include "stats/snapshot.h"
#include "stats/writers.h"
#include "study/run/detail.h"
#include "study/run/record.h"

namespace heddle::python {
namespace {

template <class S>
std::string statistics_json(const S& s) {
  stats::Snapshot all;
  all.add("", s);
  return stats::JsonWriter().object(all).dump();
}

std::string occupancy_json(const sm::Occupancy& o) {
  return nlohmann::ordered_json({{"ctas_per_sm", o.ctas},
                                 {"warps_per_cta", o.warps_per_cta},
                                 {"registers_per_cta", o.registers_per_cta},
                                 {"shared_bytes_per_cta", o.shared_per_cta},
                                 {"limited_by", o.limited_by}})
      .dump();
}

}  // namespace

// Two threads that use one device would break it: the second is told so.
class Device::Use {
 public:
  explicit Use(Device& d) : device_(d) {
    std::vector<std::uint64_t> released;
    {
      const std::lock_guard lock(d.mutex_);
      if (d.used_)
        throw Error("this Gpu is in use by another thread",
                    "one Gpu is for one thread at a time: make another one");
      d.used_ = true;
      released.swap(d.released_);
    }
    for (const std::uint64_t address : released) d.device().release(workload::DevicePtr{address});
  }
  ~Use() {
    const std::lock_guard lock(device_.mutex_);
    device_.used_ = false;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Device& device_;
};

Device::Device(const Machine& machine, const DeviceOptions& options)
    : config_(machine.config()), options_(options) {
  if (options.threads == 0) throw Error("threads=0: expected 1 or more");
  if (options.functional) {
    exec::FunctionalOptions f = config_.spec.functional;
    f.threads = options.threads;
    f.output = &output_;
    functional_ = std::make_unique<exec::FunctionalDevice>(f);
    return;
  }
  gpu::TimingOptions t;
  t.machine.threads = options.threads;
  t.machine.interrupt = &interrupt_;
  t.machine.detail = options.detail;
  t.functional = config_.spec.functional;
  t.output = &output_;
  timing_ = std::make_unique<gpu::TimingDevice>(config_.spec.gpu, t);
}

std::uint32_t Device::load(const std::string& ptx, const std::string& file) {
  const Use use(*this);
  device().load_module(ptx, file);
  return static_cast<std::uint32_t>(device().modules().size() - 1);
}

std::vector<std::string> Device::kernels(std::uint32_t number) {
  const Use use(*this);
  std::vector<std::string> names;
  for (const ptx::Function& f : module(number).functions)
    if (f.entry && !f.external) names.push_back(base_name(f.name));
  return names;
}

std::string Device::find_kernel(std::uint32_t number, const std::string& wanted) {
  const Use use(*this);
  return ptx::find_kernel(module(number), wanted, {}).name;
}

const ptx::Function& Device::function(std::uint32_t number, const std::string& kernel) {
  return *module(number).find_function(kernel);
}

std::string Device::signature(std::uint32_t number, const std::string& kernel) {
  const Use use(*this);
  return ptx::signature(function(number, kernel));
}

std::pair<std::uint64_t, std::uint64_t> Device::variable(std::uint32_t number, const std::string& name) {
  const Use use(*this);
  std::uint64_t bytes = 0;
  if (const mem::Address at = device().modules().at(number)->find_variable(name, &bytes); at != 0)
    return {at, bytes};
  const workload::DevicePtr at = device().symbol(name, &bytes);  // says best what there is
  return {static_cast<std::uint64_t>(at), bytes};
}

std::uint64_t Device::allocate(std::uint64_t bytes, const std::string& label) {
  const Use use(*this);
  return static_cast<std::uint64_t>(device().allocate(bytes, label));
}

void Device::release(std::uint64_t address) noexcept {
  const std::lock_guard lock(mutex_);
  released_.push_back(address);  // by who uses it next
}

void Device::copy_in(std::uint64_t to, std::span<const std::byte> from) {
  const Use use(*this);
  device().copy_in(workload::DevicePtr{to}, from.data(), from.size());
}

void Device::copy_out(std::span<std::byte> to, std::uint64_t from) {
  const Use use(*this);
  device().copy_out(to.data(), workload::DevicePtr{from}, to.size());
}

void Device::launch(std::uint32_t number, const std::string& kernel, const workload::Dim3& grid,
                    const workload::Dim3& block, std::span<const Argument> arguments, std::uint32_t shared,
                    std::uint32_t stream, std::uint32_t registers) {
  const Use use(*this);
  if (!broken_.empty()) throw Error(broken_, "make another Gpu");
  Queued q;
  q.launch.kernel = kernel;
  q.launch.grid = grid;
  q.launch.block = block;
  q.launch.dynamic_shared = shared;
  q.launch.module = number;
  q.launch.registers = registers;
  q.launch.args = pack(function(number, kernel), arguments);
  q.stream = stream;
  if (timing_) timing_->enqueue(q.launch, stream);
  queue_.push_back(std::move(q));
}

void Device::run_timing() {
  try {
    timing_->run_queued();
  } catch (const gpu::Stopped&) {  // by Ctrl-C, which run_interruptibly tells
    broken_ = "this Gpu was interrupted in the middle of a launch";
  } catch (const Error&) {
    broken_ = "this Gpu has ended with an error in the middle of a launch";
    throw;
  }
}

std::vector<LaunchDone> Device::run() {
  const Use use(*this);
  if (!broken_.empty()) throw Error(broken_, "make another Gpu");
  const std::vector<Queued> queue = std::exchange(queue_, {});
  const std::size_t before = timing_ ? timing_->launches().size() : functional_->launches().size();
  interrupt_ = false;
  const auto work = [&] {
    if (timing_) {
      run_timing();
      return;
    }
    for (const Queued& q : queue) {
      if (interrupt_) return;
      functional_->launch(q.launch);
    }
  };
  if (!queue.empty()) run_interruptibly(work, interrupt_);
  return done(before, queue);
}

std::vector<LaunchDone> Device::done(std::size_t before, std::span<const Queued> queue) {
  std::vector<LaunchDone> all;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    LaunchDone d;
    d.kernel = base_name(queue[i].launch.kernel);
    d.grid = queue[i].launch.grid;
    d.block = queue[i].launch.block;
    if (functional_) {
      exec::FunctionalStats stats;
      exec::add_launch(stats, functional_->launches().at(before + i));
      d.statistics = statistics_json(stats);
    } else {
      const gpu::LaunchResult& r = timing_->launches().at(before + i);
      d.start = r.start;
      d.cycles = r.cycles;
      d.statistics = statistics_json(r.stats);
      d.occupancy = occupancy_json(r.occupancy);
    }
    all.push_back(std::move(d));
  }
  return all;
}

DeviceRecord Device::record() {
  const Use use(*this);
  if (!timing_)
    throw Error("a functional Gpu has no notion of time: there is no result of it",
                "its launches have counts");
  study::TimingRecord r;
  r.gpu = config_.chosen;
  r.spec = config_.spec.gpu;
  r.threads = options_.threads;
  r.configuration = config_.config.dump(false);
  r.workload.name = "python";
  r.workload.suite = "user";
  r.workload.summary = "kernels launched from Python";
  r.contents = timing_->input_hash();
  r.verified = false;
  r.take(*timing_);
  DeviceRecord out;
  out.record = study::to_text(r);
  if (options_.detail) out.detail = study::to_text(*timing_->machine().detail());
  return out;
}

}  // namespace heddle::python
