#include "runtime/device/simulator.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/presets.h"

namespace heddle::runtime {
namespace {

gpu::SimulationSpec read_spec(const ExecOptions& options) {
  config::Config config =
      options.configuration.empty()
          ? gpu::load_config(options.gpu)
          : config::Config::parse(options.configuration, options.gpu, gpu::preset_library());
  return gpu::read_simulation_spec(config);
}

std::uint64_t warp_instructions(const exec::LaunchProfile& profile) {
  std::uint64_t sum = 0;
  for (const exec::PcCount& c : profile.counts) sum += c.issued;
  return sum;
}

}  // namespace

Simulator::Simulator(const ExecOptions& options, exec::OutputSink& output, History& history)
    : options_(options), spec_(read_spec(options)), history_(history) {
  const exec::HostSharing sharing{mem::Placement::SameAddress, exec::Linking::AtLaunch, kMemoryBytes};
  exec::FunctionalOptions functional = spec_.functional;
  functional.output = &output;
  if (options.mode == Mode::Functional) {
    functional.count_accesses = false;
    functional.threads = options.threads;
    auto device = std::make_unique<exec::FunctionalDevice>(functional, sharing);
    functional_ = device.get();
    device_ = std::move(device);
  } else {
    runner_.emplace(functional);
    gpu::TimingOptions timing;
    timing.machine.threads = options.threads;
    if (options.max_cycles != 0) timing.machine.max_cycles = options.max_cycles;
    timing.functional = functional;
    timing.output = &output;
    timing.sharing = sharing;
    auto device = std::make_unique<gpu::TimingDevice>(spec_.gpu, timing);
    timing_ = device.get();
    device_ = std::move(device);
  }
  if ((!options.results.empty() || !options.tally.empty()) && history.results == nullptr)
    history.results = std::make_unique<LaunchResults>(options, spec_.gpu);
  if (!options.recording.empty() && history.recorder == nullptr && !history.recording_lost) open_recording();
}

void Simulator::open_recording() {
  try {
    history_.recorder = std::make_unique<Recorder>(
        options_.recording, options_.every_launch() ? RecordedLaunches::All : RecordedLaunches::Chosen);
  } catch (const LostFile& e) {
    lose_recording(e.message());
  }
}

void Simulator::lose_recording(const std::string& why) {
  if (std::exchange(history_.recording_lost, true)) return;
  if (history_.results) history_.results->lost(options_.recording, why);
}

// A recording that cannot be written is given up, and the program goes on; one that could not be repeated
// fails the call.
template <class F>
void Simulator::record(F&& f) {
  if (!history_.recorder) return;
  try {
    f(*history_.recorder);
  } catch (const LostFile& e) {
    history_.recorder.reset();
    lose_recording(e.message());
  } catch (const Error& e) {
    lose_recording(e.message());
    throw;
  }
}

void Simulator::refuse_recording(const char* what) {
  record([&](Recorder& r) { r.refuse(what); });
}

Address Simulator::allocate(std::uint64_t bytes, const std::string& label, bool host_writes) {
  mem::DeviceMemory& memory = device_->memory();
  if (bytes > kMemoryBytes || memory.used() + bytes > kMemoryBytes || !memory.has_room(bytes)) return 0;
  const Address a = memory.allocate(bytes, label);
  record([&](Recorder& r) { r.allocate(a, bytes, label, host_writes); });
  return a;
}

void Simulator::release(Address a) {
  if (file_) file_->clear(*device_->memory().find(a));
  device_->memory().release(a);
  record([&](Recorder& r) { r.release(a); });
}

void Simulator::adopt(void* begin, std::uint64_t bytes, const char* what) {
  refuse_recording(what);
  device_->memory().adopt(begin, bytes, what);
}

void Simulator::disown(void* begin) {
  device_->memory().disown(begin);
}

int Simulator::shared_file() {
  refuse_recording("memory that the program shares with other processes (IPC)");
  if (!file_) file_.emplace(device_->memory());
  return file_->descriptor();
}

void Simulator::write(Address to, const void* from, std::uint64_t bytes) {
  device_->copy_in(workload::DevicePtr{to}, from, bytes);
  record([&](Recorder& r) { r.write(to, from, bytes); });
}

void Simulator::fill(Address to, std::uint8_t value, std::uint64_t bytes) {
  device_->fill(workload::DevicePtr{to}, value, bytes);
  record([&](Recorder& r) { r.fill(to, value, bytes); });
}

void Simulator::copy(Address to, Address from, std::uint64_t bytes) {
  device_->memory().require_pages(to, bytes);
  std::memmove(device_->memory().host(to), device_->memory().host(from), bytes);
  record([&](Recorder& r) { r.copy(to, from, bytes); });
}

std::uint32_t Simulator::load(const std::string& ptx, const std::string& name) {
  device_->load_module(ptx, name);
  record([&](Recorder& r) { r.load(ptx, name); });
  if (!options_.every_launch()) share_variables();
  return static_cast<std::uint32_t>(device_->modules().size() - 1);
}

// Launches that are left out of a recording may write them.
void Simulator::share_variables() {
  const exec::LoadedModule& module = *device_->modules().back();
  for (const ptx::Variable& v : module.module().variables) {
    std::uint64_t bytes = 0;
    if (const Address a = module.find_variable(v.name, &bytes); a != 0) share(a, bytes);
  }
}

void Simulator::share(Address a, std::uint64_t bytes) {
  record([&](Recorder& r) { r.share(a, bytes); });
}

std::uint64_t Simulator::create_texture(const exec::Texture& texture) {
  const std::uint64_t handle = device_->textures().create(texture);
  record([&](Recorder& r) { r.create_texture(texture, handle); });
  return handle;
}

void Simulator::destroy_texture(std::uint64_t handle) {
  device_->textures().destroy(handle);
  record([&](Recorder& r) { r.destroy_texture(handle); });
}

double Simulator::seconds(std::uint64_t cycles) const {
  return static_cast<double>(cycles) / static_cast<double>(spec_.gpu.gpu.clock.count());
}

// As if every SM issued one warp instruction per cycle: not a prediction, but an order of magnitude that is
// the same in every run.
std::uint64_t Simulator::nominal_cycles(std::uint64_t warp_instructions) const {
  return warp_instructions / spec_.gpu.sms() + spec_.gpu.gpu.launch_overhead + 1;
}

bool Simulator::is_chosen(const std::string& kernel) const {
  return history_.launches >= options_.first_timed && history_.launches <= options_.last_timed &&
         history_.sampling.wants(kernel);
}

void Simulator::launch(const workload::Launch& launch) {
  ++history_.launches;
  if (is_chosen(launch.kernel)) {
    record([&](Recorder& r) { r.launch(launch, device_->memory()); });
    const std::uint64_t instructions = timing_ != nullptr ? launch_timed(launch) : launch_untimed(launch);
    if (timing_ == nullptr) history_.sampling.chosen(launch.kernel);
    record([&](Recorder& r) { r.launched(device_->memory(), instructions); });
  } else {
    if (device_->kernel(launch.kernel, launch.module).uses_heap)
      refuse_recording("what kernels do that call malloc and are left out by --sample or --kernels");
    const std::uint64_t instructions = launch_untimed(launch);
    history_.sampling.untimed(launch.kernel);
    record([&](Recorder& r) { r.pass(launch, instructions); });
  }
  launch_children(launch.module);
}

// A kernel has ended when all that it launched has. They run behind it, one after another: every order that a
// card promises is kept.
void Simulator::launch_children(std::uint32_t module) {
  constexpr unsigned kDeepest = 1000;
  for (const exec::ChildLaunch& child : device_->take_children()) {
    if (++depth_ > kDeepest)
      throw Error(fmt::format("kernels have launched kernels {} deep", kDeepest),
                  "Does the recursion of launches end?");
    if (child.transfer) {
      transfer(*child.transfer);
    } else {
      launch(device_->launch_of(child, module));
      device_->release(child);
    }
    --depth_;
  }
}

void Simulator::transfer(const exec::ChildTransfer& t) {
  if (t.width == 0) return;
  auto check = [&](Address row) {
    const mem::Allocation* a = device_->memory().find(row);
    if (a == nullptr || a->end - row < t.width)
      throw Error(fmt::format("a kernel {} {} bytes at {:#x}, which are not all in memory of the device",
                              t.value ? "fills" : "copies", t.width, row));
  };
  for (std::uint64_t y = 0; y < t.height; ++y) {
    const Address to = t.to + y * t.to_pitch, from = t.from + y * t.from_pitch;
    check(to);
    if (t.value) {
      fill(to, *t.value, t.width);
    } else {
      check(from);
      copy(to, from, t.width);
    }
  }
}

std::uint64_t Simulator::launch_timed(const workload::Launch& launch) {
  try {
    timing_->launch(launch);
  } catch (const gpu::Stopped&) {
    if (history_.results) history_.results->stopped(history_.launches, "cycle_limit");
    throw Error("stopped by --max-cycles");
  }
  std::uint64_t instructions = 0;
  for (const gpu::LaunchResult& r : timing_->take_launches()) {
    history_.sampling.timed(launch.kernel, r.cycles, r.stats.sm().instructions);
    if (history_.results) history_.results->timed(history_.launches, launch, r, history_.now);
    history_.now += r.cycles;
    instructions += r.stats.sm().instructions;
  }
  return instructions;
}

std::uint64_t Simulator::launch_untimed(const workload::Launch& launch) {
  exec::LaunchProfile profile;
  if (timing_ != nullptr) {
    profile = timing_->execute(launch, *runner_);
  } else {
    functional_->launch(launch);
    profile = std::move(functional_->take_launches().back());
  }
  const std::uint64_t instructions = warp_instructions(profile);
  const std::uint64_t estimate = history_.sampling.estimate(launch.kernel, instructions);
  if (history_.results) history_.results->untimed(history_.launches, launch, instructions, estimate, profile);
  history_.now += estimate != 0 ? estimate : nominal_cycles(instructions);
  return instructions;
}

}  // namespace heddle::runtime
