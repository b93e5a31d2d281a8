#include "analysis/characterise.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "workload/forwarding_device.h"

namespace heddle::analysis {
namespace {

double ratio(double a, double b) {
  return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
}
double ratio(std::uint64_t a, std::uint64_t b) {
  return ratio(static_cast<double>(a), static_cast<double>(b));
}

// Between a host program and the machine: notes what each launch was and what it brought.
class CharacterDevice final : public workload::ForwardingDevice {
 public:
  CharacterDevice(gpu::TimingDevice& device, AccessMeters& meters)
      : ForwardingDevice(device), device_(device), meters_(meters) {
    meters.connect(device.machine());
  }

  void launch(const workload::Launch& launch) override {
    Kernel& k = kernel(launch);
    meters_.launch(k.reuse);
    const std::size_t launched = device_.launches().size();
    device_.launch(launch);
    KernelCharacter& c = k.character;
    c.accesses += meters_.counts();
    for (std::size_t i = launched; i < device_.launches().size(); ++i) add(c, device_.launches()[i]);
  }

  std::vector<KernelCharacter> take() {
    std::vector<KernelCharacter> all;
    for (auto& k : kernels_) {
      KernelCharacter& c = k->character;
      c.touches = k->reuse.touches();
      // Words of long lines cannot be told apart: their lines count whole.
      c.footprint_bytes = c.line_bytes > 128 ? k->reuse.lines() * c.line_bytes : k->reuse.words() * 4;
      all.push_back(std::move(c));
    }
    return all;
  }

 private:
  struct Kernel {
    KernelCharacter character;
    LineReuse reuse;
  };

  Kernel& kernel(const workload::Launch& launch) {
    const auto at = std::find_if(kernels_.begin(), kernels_.end(),
                                 [&](const auto& k) { return k->character.function == launch.kernel; });
    if (at != kernels_.end()) {
      KernelCharacter& c = (*at)->character;
      c.shapes_differ |= c.grid != launch.grid || c.block != launch.block;
      return **at;
    }
    kernels_.push_back(std::make_unique<Kernel>());
    KernelCharacter& c = kernels_.back()->character;
    c.function = launch.kernel;
    c.grid = launch.grid;
    c.block = launch.block;
    c.sms = device_.machine().spec().sms();
    c.line_bytes = static_cast<std::uint32_t>(device_.machine().spec().l1.tags.line.count());
    return *kernels_.back();
  }

  static void add(KernelCharacter& c, const gpu::LaunchResult& l) {
    if (c.launches++ == 0) c.occupancy = l.occupancy;
    c.ctas += l.stats.sm().ctas;
    c.cycles += l.stats.gpu.cycles;
    c.instructions += l.stats.sm().instructions;
    c.thread_instructions += l.stats.sm().thread_instructions;
    c.busy_cycles += l.stats.sm().active_cycles;
    c.wait_cycles += l.stats.pressure().wait_cycles;
    c.waiting += l.stats.pressure().waiting;
    c.l1_reads += l.stats.l1().reads.in;
    c.l1_misses += l.stats.l1().reads.in - l.stats.l1().reads.hits;
  }

  gpu::TimingDevice& device_;
  AccessMeters& meters_;
  std::vector<std::unique_ptr<Kernel>> kernels_;  // in the order of first launch
};

// A workload that is one kernel has a number already; a user's kernel has its function's name only.
void set_names(const workload::WorkloadInfo& info, std::vector<KernelCharacter>& kernels) {
  for (KernelCharacter& c : kernels) {
    c.name = info.name;
    const auto known = std::find_if(info.kernels.begin(), info.kernels.end(),
                                    [&](const workload::KernelInfo& k) { return k.function == c.function; });
    if (known == info.kernels.end()) continue;
    c.label = known->label;
    if (info.name.find('.') == std::string::npos)
      c.name = fmt::format("{}.{}", info.name, known - info.kernels.begin() + 1);
  }
}

}  // namespace

double KernelCharacter::waves() const {
  const double at_once = static_cast<double>(sms) * occupancy.ctas;
  return ratio(static_cast<double>(ctas), at_once * static_cast<double>(launches));
}
double KernelCharacter::memory_share() const {
  return ratio(accesses.instructions(), instructions);
}
double KernelCharacter::lines_per_access() const {
  return ratio(accesses.lines(), accesses.instructions());
}
double KernelCharacter::loads_per_store() const {
  return ratio(accesses.loads, accesses.stores);
}
double KernelCharacter::busy_share() const {
  return ratio(busy_cycles, cycles * sms);
}
double KernelCharacter::busy_wait_share() const {
  return ratio(wait_cycles, busy_cycles);
}
double KernelCharacter::wait_share() const {
  return ratio(wait_cycles, cycles * sms);
}
double KernelCharacter::mean_waiting() const {
  return ratio(waiting, cycles * sms);
}
double KernelCharacter::miss_rate() const {
  return ratio(l1_misses, l1_reads);
}
double KernelCharacter::misses_per_kilo() const {
  return ratio(1000.0 * static_cast<double>(l1_misses), static_cast<double>(thread_instructions));
}

Character characterise(const workload::Workload& workload, const workload::RunOptions& options,
                       const gpu::SimulationSpec& spec, std::uint32_t threads) {
  AccessMeters meters(spec.gpu.sms(), static_cast<std::uint32_t>(spec.gpu.l1.tags.line.count()));
  gpu::TimingOptions o;
  o.machine.threads = threads;
  o.functional = spec.functional;
  o.observer = &meters;
  gpu::GpuSpec measured = spec.gpu;
  measured.measure.pressure = true;
  gpu::TimingDevice device(measured, o);
  CharacterDevice host(device, meters);
  Character out;
  out.verification = workload.run(host, options);
  out.kernels = host.take();
  set_names(workload.info(), out.kernels);
  return out;
}

}  // namespace heddle::analysis
