// Runs the bundled workloads on a real NVIDIA GPU: the same PTX, host code and checks as in the simulator.
// Says whether a failure lies in a workload or in our execution of it.
//
//   workloads_on_gpu [--redirected|--agents|--energy SECONDS] [tiny|small|paper] [NAME...]
//
// --energy: each workload, when it has been verified, is repeated for so long, and a row of CSV tells time
// and energy of a run. Only its launches, and fills and copies within the card that give memory back what the
// host program put there; these alone are measured as well. Inputs that no kernel changes stay where they
// are.
//
// With an option their kernels are rewritten first (techniques/cta_clustering/rewrite). Agents are for more
// clusters than there are SMs, so that some are served by others only, and half of them retire.
//
// The CUDA driver is found at run time, so that this builds everywhere; without one it exits with 77
// (skipped).
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "techniques/cta_clustering/rewrite/clustered_device.h"
#include "tests/workloads/replay.h"
#include "tools/probes/energy/meter.h"
#include "workloads/registry.h"

namespace {

using heddle::workload::Device;
using heddle::workload::DevicePtr;
using heddle::workload::Launch;

constexpr int skipped = 77;

// The driver's functions that are needed, with their exported names (_v2 where the interface has changed
// since).
struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*primary_context)(void**, int);
  int (*set_context)(void*);
  int (*synchronize)();
  int (*allocate)(std::uint64_t*, std::size_t);
  int (*release)(std::uint64_t);
  int (*to_device)(std::uint64_t, const void*, std::size_t);
  int (*to_host)(void*, std::uint64_t, std::size_t);
  int (*fill)(std::uint64_t, unsigned char, std::size_t);
  int (*copy_later)(std::uint64_t, std::uint64_t, std::size_t, void*);
  int (*fill_later)(std::uint64_t, unsigned char, std::size_t, void*);
  int (*load)(void**, const void*);
  int (*symbol)(std::uint64_t*, std::size_t*, void*, const char*);
  int (*function)(void**, void*, const char*);
  int (*create_texture)(std::uint64_t*, const void*, const void*, const void*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**);
};

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (!function) throw heddle::Error(std::string("libcuda.so.1 has no ") + name);
}

Driver open_driver(void* library) {
  Driver d{};
  find(library, "cuInit", d.init);
  find(library, "cuDeviceGet", d.device_get);
  find(library, "cuDevicePrimaryCtxRetain", d.primary_context);
  find(library, "cuCtxSetCurrent", d.set_context);
  find(library, "cuCtxSynchronize", d.synchronize);
  find(library, "cuMemAlloc_v2", d.allocate);
  find(library, "cuMemFree_v2", d.release);
  find(library, "cuMemcpyHtoD_v2", d.to_device);
  find(library, "cuMemcpyDtoH_v2", d.to_host);
  find(library, "cuMemsetD8_v2", d.fill);
  find(library, "cuMemcpyDtoDAsync_v2", d.copy_later);
  find(library, "cuMemsetD8Async", d.fill_later);
  find(library, "cuModuleLoadData", d.load);
  find(library, "cuModuleGetGlobal_v2", d.symbol);
  find(library, "cuModuleGetFunction", d.function);
  find(library, "cuTexObjectCreate", d.create_texture);
  find(library, "cuLaunchKernel", d.launch);
  return d;
}

// As the driver lays them out.
struct ResourceDescription {
  std::int32_t kind = 2;  // 2: linear memory, 3: rows
  std::uint64_t address = 0;
  std::uint32_t format = 0;
  std::uint32_t channels = 1;
  std::uint64_t bytes_or_width = 0;       // bytes of linear memory, texels of a row
  std::uint64_t height = 0, pitch = 0;    // of rows
  std::uint8_t rest[128 - 24 - 16] = {};  // of a union
  std::uint32_t flags = 0;
};
static_assert(sizeof(ResourceDescription) == 144);
struct TextureDescription {
  std::int32_t address_mode[3] = {1, 1, 1};  // clamp
  std::int32_t filter = 0;                   // point
  std::uint32_t flags = 1;                   // integers stay integers
  std::uint8_t rest[104 - 20] = {};
};
static_assert(sizeof(TextureDescription) == 104);

// CU_AD_FORMAT_*: 1, 2, 3 for 8, 16, 32 bits without sign, 8 more with, 0x20 for floats.
std::uint32_t array_format(const heddle::workload::TextureView& view) {
  if (view.kind == heddle::workload::TexelKind::Float) return view.channel_bits == 16 ? 0x10 : 0x20;
  const std::uint32_t size = view.channel_bits == 8 ? 1 : view.channel_bits == 16 ? 2 : 3;
  return view.kind == heddle::workload::TexelKind::Signed ? size + 7 : size;
}

void check(int result, const std::string& what) {
  if (result != 0) throw heddle::Error(what + " failed with CUDA error " + std::to_string(result));
}

class Gpu : public Device {
 public:
  explicit Gpu(const Driver& driver) : driver_(driver) {}
  ~Gpu() override {
    for (const std::uint64_t p : allocations_) driver_.release(p);
  }

  DevicePtr allocate(std::uint64_t bytes, std::string_view label) override {
    std::uint64_t p = 0;
    check(driver_.allocate(&p, bytes), "allocating " + std::string(label));
    check(driver_.fill(p, 0, bytes), "clearing " + std::string(label));
    allocations_.push_back(p);
    return DevicePtr{p};
  }
  void release(DevicePtr) override {}  // all at the end
  void copy_in(DevicePtr to, const void* from, std::uint64_t bytes) override {
    check(driver_.to_device(address(to), from, bytes), "copy to the device");
  }
  void copy_out(void* to, DevicePtr from, std::uint64_t bytes) override {
    check(driver_.to_host(to, address(from), bytes), "copy from the device");
  }
  void fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) override {
    check(driver_.fill(address(to), value, bytes), "fill");
  }
  void load_module(std::string_view ptx_text, std::string_view file) override {
    void* module = nullptr;
    check(driver_.load(&module, std::string(ptx_text).c_str()), "loading " + std::string(file));
    modules_.push_back(module);
  }
  DevicePtr symbol(std::string_view name, std::uint64_t* bytes) override {
    std::uint64_t p = 0;
    std::size_t size = 0;
    for (void* module : modules_) {
      if (driver_.symbol(&p, &size, module, std::string(name).c_str()) != 0) continue;
      if (bytes) *bytes = size;
      return DevicePtr{p};
    }
    throw heddle::Error("no variable " + std::string(name));
  }
  std::uint64_t texture(const heddle::workload::TextureView& view) override {
    ResourceDescription resource;
    resource.kind = view.height == 0 ? 2 : 3;
    resource.address = address(view.texels);
    resource.format = array_format(view);
    resource.channels = view.channels;
    resource.bytes_or_width = view.height == 0 ? view.row_bytes() : view.width;
    resource.height = view.height;
    resource.pitch = view.row_bytes();
    TextureDescription sampler;
    if (view.normalized) sampler.flags = 0;
    std::uint64_t handle = 0;
    check(driver_.create_texture(&handle, &resource, &sampler, nullptr), "creating a texture");
    return handle;
  }
  void launch(const Launch& launch) override {
    start(launch, find_function(launch.kernel));
    synchronize(launch.kernel);
  }

  // Without waiting for the end.
  void* find_function(const std::string& kernel) const {
    void* function = nullptr;
    for (void* module : modules_)
      if (driver_.function(&function, module, kernel.c_str()) == 0) return function;
    throw heddle::Error("no kernel " + kernel);
  }
  void start(const Launch& launch, void* function) {
    std::size_t size = launch.args.block().size();
    void* data = const_cast<std::byte*>(launch.args.block().data());
    // Pairs of a tag and a value: 1 is the parameter block, 2 its size, 0 the end.
    void* extra[] = {reinterpret_cast<void*>(1), data, reinterpret_cast<void*>(2), &size, nullptr};
    check(driver_.launch(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                         launch.block.y, launch.block.z, launch.dynamic_shared, nullptr, nullptr, extra),
          "launching " + launch.kernel);
  }
  void copy_later(DevicePtr to, DevicePtr from, std::uint64_t bytes) {
    check(driver_.copy_later(address(to), address(from), bytes, nullptr), "copy");
  }
  void fill_later(DevicePtr to, std::uint8_t value, std::uint64_t bytes) {
    check(driver_.fill_later(address(to), value, bytes, nullptr), "fill");
  }
  void synchronize(const std::string& what) { check(driver_.synchronize(), what); }

 private:
  static std::uint64_t address(DevicePtr p) { return static_cast<std::uint64_t>(p); }

  const Driver& driver_;
  std::vector<void*> modules_;
  std::vector<std::uint64_t> allocations_;
};

// Repeats what a workload did, and measures it.
class Replay {
 public:
  Replay(Gpu& gpu, heddle::workload::Recorder& recorder, energy::Meter& meter)
      : gpu_(gpu), recorder_(recorder), steps_(recorder.steps()), meter_(meter) {
    for (const Step& s : steps_) {
      functions_.push_back(s.kind == Kind::Launch ? gpu_.find_function(s.launch.kernel) : nullptr);
      copies_.push_back(s.kind == Kind::Copy ? gpu_.upload(s.data, "copy") : DevicePtr::Null);
      launches_ += s.kind == Kind::Launch;
      if (s.kind != Kind::Launch) restored_ += s.bytes;
    }
  }
  void measure(const std::string& name, double seconds) {
    const std::uint64_t before = recorder_.fingerprint();
    once(true), gpu_.synchronize("repeating");
    const bool same = before == recorder_.fingerprint();
    const Measured all = repeat(seconds, true);
    const Measured restore = restored_ > 0 ? repeat(seconds / 2, false) : Measured{};
    std::printf("%s,%d,%llu,%.9g,%.9g,%.9g,%.9g,%.2f,%.2f,%.2f,%.1f,%.0f,%.1f,%llu,%d\n", name.c_str(),
                launches_, static_cast<unsigned long long>(restored_), all.seconds,
                all.seconds * all.power.watts, restore.seconds,
                restored_ > 0 ? restore.seconds * restore.power.watts : 0, all.power.watts,
                all.power.counter_watts, all.power.memory_watts, all.power.sm_mhz, all.power.sm_mhz_least,
                all.power.celsius, static_cast<unsigned long long>(all.power.reasons), same);
    std::fflush(stdout);
  }
  static void header() {
    std::puts(
        "name,launches,restored_bytes,seconds,joules,restore_seconds,restore_joules,watts,counter_watts,"
        "memory_watts,"
        "sm_mhz,sm_mhz_least,celsius,reasons,same_memory");
  }

 private:
  using Step = heddle::workload::Recorder::Step;
  using Kind = heddle::workload::Recorder::Kind;
  struct Measured {
    double seconds = 0;  // of a run
    energy::Reading power;
  };

  void once(bool launches) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& s = steps_[i];
      if (s.kind == Kind::Copy) gpu_.copy_later(s.to, copies_[i], s.bytes);
      if (s.kind == Kind::Fill) gpu_.fill_later(s.to, s.value, s.bytes);
      if (s.kind == Kind::Launch && launches) gpu_.start(s.launch, functions_[i]);
    }
  }
  // The first part, until power is steady, does not count; nor do the ends of runs at which the host waits.
  Measured repeat(double seconds, bool launches) {
    const double lead = seconds * 0.35;
    double begin = energy::now();
    once(launches), gpu_.synchronize("repeating");
    const int each = static_cast<int>(std::clamp(0.02 / (energy::now() - begin), 1.0, 10000.0));
    begin = energy::now();
    double from = 0;
    std::uint64_t runs = 0;
    while (energy::now() - begin < seconds) {
      for (int i = 0; i < each; ++i) once(launches);
      gpu_.synchronize("repeating");
      if (from == 0 && energy::now() - begin > lead)
        from = energy::now();
      else if (from != 0)
        runs += each;
    }
    if (runs == 0) from = begin, runs = each;  // one run is longer
    const double until = energy::now();
    return {(until - from) / static_cast<double>(runs), meter_.read(from, begin + seconds * 0.6, until)};
  }

  Gpu& gpu_;
  heddle::workload::Recorder& recorder_;
  const std::vector<Step>& steps_;
  energy::Meter& meter_;
  std::vector<void*> functions_;
  std::vector<DevicePtr> copies_;
  int launches_ = 0;
  std::uint64_t restored_ = 0;
};

using Rewriting = std::optional<heddle::cta_clustering::ClusteredDevice::Options>;

bool run_one(const Driver& driver, const heddle::workload::Workload& workload, heddle::workload::Scale scale,
             const Rewriting& rewriting, double seconds, energy::Meter& meter) {
  Gpu gpu(driver);
  heddle::workload::Recorder recorder(gpu);
  std::optional<heddle::cta_clustering::ClusteredDevice> rewritten;
  if (rewriting) rewritten.emplace(gpu, *rewriting);
  Device& device = seconds > 0 ? recorder : rewritten ? static_cast<Device&>(*rewritten) : gpu;
  const heddle::workload::Verification v = workload.run(device, {.scale = scale});
  std::fprintf(seconds > 0 ? stderr : stdout, "%-10s %s  %llu values, largest error %g (%s) %s\n",
               workload.info().name.c_str(), v.ok ? "ok    " : "FAILED",
               static_cast<unsigned long long>(v.compared), v.max_error, v.tolerance.c_str(),
               v.detail.c_str());
  if (seconds > 0 && v.ok) {
    recorder.forget_inputs();
    Replay(gpu, recorder, meter).measure(workload.info().name, seconds);
  }
  return v.ok;
}

// Takes the option away. 0: not asked for.
double parse_energy(std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[0] != "--energy") return 0;
  const double seconds = std::strtod(arguments[1].c_str(), nullptr);
  arguments.erase(arguments.begin(), arguments.begin() + 2);
  return std::max(seconds, 0.1);
}

// Takes the option away.
Rewriting parse_rewriting(std::vector<std::string>& arguments) {
  namespace cta = heddle::cta_clustering;
  if (arguments.empty() || !arguments[0].starts_with("--")) return {};
  const std::string option = arguments[0];
  arguments.erase(arguments.begin());
  if (option == "--redirected") return cta::Redirection{132, {cta::Order::Tile, 4, 3}};
  if (option == "--agents") return cta::AgentOptions{{{cta::Order::Column, 1, 1}}, {200, 4, 2}};
  throw heddle::Error("the options are --redirected, --agents and --energy SECONDS, not " + option);
}

int run_all(std::vector<std::string> arguments) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    std::puts("no CUDA driver here: skipped");
    return skipped;
  }
  const Driver driver = open_driver(library);
  int device = 0;
  void* context = nullptr;
  if (driver.init(0) != 0 || driver.device_get(&device, 0) != 0) {
    std::puts("no GPU here: skipped");
    return skipped;
  }
  check(driver.primary_context(&context, device), "creating a context");
  check(driver.set_context(context), "setting the context");

  const double seconds = parse_energy(arguments);
  const Rewriting rewriting = parse_rewriting(arguments);
  energy::Meter meter("");
  if (seconds > 0) {
    std::fprintf(stderr, "%s\n", meter.sources());
    Replay::header();
    meter.start();
  }
  const auto scale = heddle::workload::parse_scale(arguments.empty() ? "tiny" : arguments[0]);
  if (!scale) throw heddle::Error("the scale is tiny, small or paper");
  bool ok = true;
  for (const heddle::workload::Workload* w : heddle::workloads::all_workloads()) {
    bool named = arguments.size() < 2;
    for (std::size_t i = 1; i < arguments.size(); ++i) named |= arguments[i] == w->info().name;
    if (named) ok &= run_one(driver, *w, *scale, rewriting, seconds, meter);
  }
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
