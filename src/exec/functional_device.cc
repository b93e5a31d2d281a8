#include "exec/functional_device.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::exec {
namespace {

using workload::DevicePtr;
using workload::Launch;

mem::Address address(DevicePtr p) {
  return static_cast<mem::Address>(p);
}

constexpr std::uint64_t kLargestShared = 233'472;       // of an SM of the H200
constexpr std::uint64_t kSliceInstructions = 1u << 20;  // before the next warp gets its turn

// What a pass over the warps of a CTA found.
struct Pass {
  std::uint64_t executed = 0;
  bool advanced = false;  // a warp ended or a barrier opened
  bool working = false;   // a warp ran without seeming to spin
  bool runnable = false;  // some warp could run at all
};

Pass run_cta(Cta& cta) {
  Pass pass;
  for (Warp& w : cta.warps) {
    if (w.done() || w.mask() == 0) continue;
    pass.runnable = true;
    const std::uint64_t before = w.executed();
    const Warp::Stop stop = w.run(kSliceInstructions);
    pass.executed += w.executed() - before;
    pass.working |= stop != Warp::Stop::Yield;
    pass.advanced |= stop == Warp::Stop::Exited;
  }
  pass.advanced |= cta.release_barriers();
  return pass;
}

}  // namespace

void FunctionalOptions::fields(config::Reader& r) {
  r.field("recursive_stack", recursive_stack, config::range(1_KiB, 1_MiB),
          "Local memory per thread for kernels that recurse");
  r.field("max_resident_ctas", max_resident_ctas, config::range(1, 1 << 16),
          "CTAs that run side by side when they wait for each other");
  r.field("spin_limit", spin_limit, config::range(std::uint64_t{1000}, std::uint64_t{1} << 40),
          "Warp instructions without progress after which a kernel is taken to hang");
  r.field("count_accesses", count_accesses, "Count lines, sectors and bank passes of memory accesses");
}

FunctionalDevice::FunctionalDevice(const FunctionalOptions& options) : options_(options) {}

DevicePtr FunctionalDevice::allocate(std::uint64_t bytes, std::string_view label) {
  return DevicePtr{memory_.allocate(bytes, label)};
}
void FunctionalDevice::release(DevicePtr p) {
  memory_.release(address(p));
}
void FunctionalDevice::copy_in(DevicePtr to, const void* from, std::uint64_t bytes) {
  memory_.write(address(to), from, bytes);
  input_.add(address(to));
  input_.add(from, bytes);
}
void FunctionalDevice::copy_out(void* to, DevicePtr from, std::uint64_t bytes) {
  memory_.read(to, address(from), bytes);
}
void FunctionalDevice::fill(DevicePtr to, std::uint8_t value, std::uint64_t bytes) {
  memory_.fill(address(to), value, bytes);
}

void FunctionalDevice::load_module(std::string_view ptx_text, std::string_view file) {
  input_.add(ptx_text);
  modules_.push_back(
      std::make_unique<LoadedModule>(std::string(ptx_text), std::string(file), memory_, modules_));
}

DevicePtr FunctionalDevice::symbol(std::string_view name, std::uint64_t* bytes) {
  for (const auto& m : modules_)
    if (const mem::Address a = m->find_variable(name, bytes); a != 0) return DevicePtr{a};
  throw Error(fmt::format("no loaded module has a .global or .const variable '{}'", name));
}

std::string FunctionalDevice::input_hash() const {
  return fmt::format("{:016x}", input_.value());
}

const KernelImage& FunctionalDevice::find_kernel(const std::string& name) const {
  std::string known;
  for (const auto& m : modules_) {
    if (const KernelImage* k = m->find_kernel(name)) return *k;
    for (const auto& k : m->kernels()) known += (known.empty() ? "" : ", ") + k->name;
  }
  throw Error(fmt::format("no loaded module has a kernel '{}'", name),
              known.empty() ? "No kernel is loaded." : "Kernels: " + known);
}

void FunctionalDevice::check(const Launch& launch, const KernelImage& image) const {
  auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("cannot launch '{}': {}", launch.kernel, what));
  };
  const std::uint64_t threads = launch.block.count();
  if (threads == 0 || threads > 1024)
    refuse(fmt::format("{} threads per CTA; the block must have 1 to 1024", threads));
  if (launch.grid.count() == 0) refuse("the grid is empty");
  if (launch.block.z > 64) refuse(fmt::format("the block is {} deep; z is at most 64", launch.block.z));
  if (launch.grid.x > 0x7fffffffu || launch.grid.y > 0xffff || launch.grid.z > 0xffff)
    refuse(fmt::format("the grid is {} x {} x {}; at most 2147483647 x 65535 x 65535", launch.grid.x,
                       launch.grid.y, launch.grid.z));
  const std::uint64_t shared = std::uint64_t{image.static_shared} + launch.dynamic_shared;
  if (shared > kLargestShared)
    refuse(fmt::format("{} bytes of shared memory; no card has more than {}", shared, kLargestShared));
  const ptx::Function& f = *image.functions[0].source;
  if (f.max_threads && threads > *f.max_threads)
    refuse(fmt::format("{} threads per CTA, but .maxntid allows {}", threads, *f.max_threads));
  if (f.required_threads && threads != *f.required_threads)
    refuse(fmt::format("{} threads per CTA, but .reqntid requires {}", threads, *f.required_threads));
  const std::size_t given = launch.args.block().size();
  if (given != image.param_bytes) {
    std::string list;
    for (const ptx::Variable& p : f.params)
      list += fmt::format("{}{} bytes at {}", list.empty() ? "" : ", ", p.size, p.offset);
    throw Error(fmt::format("cannot launch '{}': {} bytes of arguments given, the kernel takes {}",
                            launch.kernel, given, image.param_bytes),
                "Its parameters: " + list);
  }
}

void FunctionalDevice::launch(const Launch& launch) {
  const KernelImage& image = find_kernel(launch.kernel);
  check(launch, image);
  input_.add(launch.kernel);
  for (std::uint32_t n : {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                          launch.block.z, launch.dynamic_shared})
    input_.add(std::uint64_t{n});
  input_.add(launch.args.block().data(), launch.args.block().size());
  if (grid_workspace_ == 0) grid_workspace_ = memory_.allocate(4096, "grid synchronisation");
  memory_.fill(grid_workspace_, 0, 4096);
  ExecContext context(memory_);
  context.textures = &textures_;
  context.output = options_.output;
  context.serial = ++launch_serial_;
  context.grid = launch.grid;
  context.block = launch.block;
  context.params = launch.args.block();
  context.dynamic_shared = launch.dynamic_shared;
  context.shared_bytes = image.static_shared + launch.dynamic_shared;
  context.grid_workspace = grid_workspace_;
  context.stack_bytes =
      (image.local_bytes +
       (image.recursive ? static_cast<std::uint32_t>(options_.recursive_stack.count()) : 0) + 15) /
      16 * 16;
  context.counts.resize(image.code.size());
  context.bounds.resize(image.code.size());
  context.accesses.resize(image.code.size());
  context.count_accesses = options_.count_accesses;
  const auto before = std::chrono::steady_clock::now();
  run_grid(image, context);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  launches_.push_back({&image, launch.grid, launch.block, context.shared_bytes, wall.count(),
                       std::move(context.counts), std::move(context.accesses)});
}

// CTAs run one after another. Only when all that run spin does the next one start beside them, so that
// CTAs which wait for each other meet.
void FunctionalDevice::run_grid(const KernelImage& image, ExecContext& context) {
  const std::uint64_t total = context.grid.count();
  std::uint64_t next = 0, idle_instructions = 0;
  std::vector<std::unique_ptr<Cta>> running;
  auto start_one = [&] {
    if (idle_ctas_.empty()) idle_ctas_.push_back(std::make_unique<Cta>());
    running.push_back(std::move(idle_ctas_.back()));
    idle_ctas_.pop_back();
    running.back()->start(image, context, next++);
  };
  auto report = [&] {
    std::string who;
    for (std::size_t i = 0; i < std::min<std::size_t>(running.size(), 4); ++i)
      who += "\n  " + running[i]->describe();
    return who;
  };
  while (next < total || !running.empty()) {
    if (running.empty()) start_one();
    bool working = false, runnable = false;
    for (std::size_t i = 0; i < running.size();) {
      const Pass pass = run_cta(*running[i]);
      working |= pass.working || pass.advanced;
      runnable |= pass.runnable;
      idle_instructions = pass.advanced ? 0 : idle_instructions + pass.executed;
      if (running[i]->done()) {
        idle_ctas_.push_back(std::move(running[i]));
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (working) continue;
    if (running.empty()) continue;
    if (next < total && running.size() < options_.max_resident_ctas) {
      start_one();
      continue;
    }
    if (!runnable)
      throw Error(fmt::format("kernel '{}' is deadlocked: no warp can proceed", image.name),
                  "Who waits where:" + report());
    if (idle_instructions > options_.spin_limit)
      throw Error(fmt::format("kernel '{}' makes no progress: for {} warp instructions no warp has ended, no "
                              "barrier has opened, and every warp only loops",
                              image.name, idle_instructions),
                  "Who waits where:" + report());
  }
}

}  // namespace heddle::exec
