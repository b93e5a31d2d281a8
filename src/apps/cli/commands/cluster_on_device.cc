// heddle cluster --on-device: a program on the machine's own GPU, as it is and with its kernels rewritten.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/program_file.h"
#include "apps/cli/reports/cluster_report.h"
#include "base/error.h"
#include "base/process.h"
#include "base/temporary.h"
#include "base/text.h"
#include "fatbin/fatbin.h"
#include "interpose/record/options.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using interpose::Mode;

// A variable of the environment, for the programs that are started while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.empty())
      unsetenv(name_);
    else
      setenv(name_, before_.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

enum class DeviceState : int { There, NoDriver, NoInit, NoDevice };

// In the process that asks, which ends then: a driver that was opened stays.
DeviceState ask_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return DeviceState::NoDriver;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  int devices = 0;
  if (init == nullptr || count == nullptr || init(0) != 0) return DeviceState::NoInit;
  return count(&devices) == 0 && devices > 0 ? DeviceState::There : DeviceState::NoDevice;
}

void require_device() {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start another process");
  if (child == 0) _exit(static_cast<int>(ask_driver()));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const auto state = WIFEXITED(status) ? static_cast<DeviceState>(WEXITSTATUS(status)) : DeviceState::NoInit;
  const char* const otherwise = "heddle exec runs CUDA programs on a simulated card, without a GPU.";
  if (state == DeviceState::NoDriver)
    throw Error("this machine has no CUDA driver (libcuda.so.1)", otherwise);
  if (state == DeviceState::NoInit)
    throw Error("the CUDA driver of this machine (libcuda.so.1) cannot be used: cuInit fails",
                fmt::format("Does nvidia-smi show a GPU? {}", otherwise));
  if (state == DeviceState::NoDevice) throw Error("this machine has no CUDA device", otherwise);
}

fs::path checked_program(const std::string& name) {
  fs::path file = find_program(name);
  if (!is_program(file))
    throw Error(fmt::format("cannot run '{}': it is not there, or no executable file", file.string()),
                "A bundled workload is meant? heddle list names them.");
  if (is_script(file)) return file;
  const fatbin::Program p = fatbin::read_program(file);
  if (!p.this_machine)
    throw Error(fmt::format("'{}' was compiled for {}, and this is {}", file.string(), p.machine,
                            fatbin::this_machine()));
  return file;
}

interpose::Options library_options(const ClusterCommandOptions& o) {
  interpose::Options r;
  r.agents = o.way == "agents";
  r.partition = o.partition;
  r.active_agents = o.active;
  r.bypass = o.bypass;
  const char* const end = o.tile.data() + o.tile.size();
  const auto [x, wrong] = std::from_chars(o.tile.data(), end, r.tile_width);
  const bool good = wrong == std::errc{} && x != end && *x == 'x' &&
                    std::from_chars(x + 1, end, r.tile_height).ptr == end && r.tile_width != 0 &&
                    r.tile_height != 0;
  if (!good) throw Error(fmt::format("--tile {}: expected two numbers, as in 4x2", o.tile));
  if (!r.agents && o.active != 0)
    throw Error("--active: redirection has no agents", "Use --way agents, or leave --active out.");
  return r;
}

std::string description(const ClusterCommandOptions& o) {
  std::string text =
      fmt::format("{}, {}", o.way, o.partition == "tile" ? "tiles of " + o.tile : o.partition + "s");
  if (o.active != 0) text += fmt::format(", {} active", o.active);
  return o.bypass ? text + ", loads past the L1" : text;
}

class Runner {
 public:
  explicit Runner(const ClusterCommandOptions& o)
      : command_(o.program),
        library_(library_folder(interpose::Options::kLibrary) / interpose::Options::kLibrary) {
    command_.front() = checked_program(o.program.front()).string();
  }

  ProgramRun run(interpose::Options options) const {
    const UnnamedFile results(UnnamedFile::Where::Memory);
    options.results = results.path();
    const char* const before = std::getenv("LD_PRELOAD");
    const Variable preload("LD_PRELOAD", before != nullptr && *before != 0
                                             ? fmt::format("{}:{}", library_.string(), before)
                                             : library_.string());
    const Variable own(interpose::Options::kVariable, options.to_json());
    const ProcessResult r = run_process(command_);
    if (r.start_error != 0) throw Error(fmt::format("cannot run '{}'", command_.front()));
    if (std::getenv(interpose::Options::kLogVariable) != nullptr) std::cerr << visible(r.messages, true);
    if (r.status != 0) tell_failure(r);
    return {r.status, r.output, interpose::read_results(options.results)};
  }

 private:
  void tell_failure(const ProcessResult& r) const {
    constexpr std::size_t kMost = 2000;
    std::cerr << fmt::format("heddle: '{}' ended with status {}\n", command_.front(), r.status)
              << visible(
                     r.messages.size() > kMost ? r.messages.substr(r.messages.size() - kMost) : r.messages,
                     true);
  }

  std::vector<std::string> command_;
  fs::path library_;
};

void require_kernels(const ProgramRun& run, const std::string& program) {
  if (!run.uses_driver() && run.status != 0)
    throw Error(
        fmt::format("'{}' ended with status {}, and nothing is known of its kernels", program, run.status),
        "Does it run without heddle?");
  if (!run.uses_driver())
    throw Error(fmt::format("'{}' makes no CUDA calls", program),
                "Programs that are linked statically with the C library cannot be looked into.");
  if (run.kernels().empty())
    throw Error(fmt::format("'{}' launches no kernels", program),
                run.status != 0 ? "It failed, see above." : "Do its arguments make it do something?");
}

// Only kernels that are launched need to be rewritten and compiled.
std::vector<std::string> launched(const ProgramRun& run) {
  constexpr std::size_t kMostBytes = 64 << 10;  // of a variable of the environment
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (const auto& k : run.kernels()) {
    names.push_back(k.name);
    bytes += k.name.size() + 3;
  }
  return bytes <= kMostBytes ? names : std::vector<std::string>{};
}

}  // namespace

int cluster_on_device(const ClusterCommandOptions& o) {
  interpose::Options options = library_options(o);
  const Runner runner(o);
  require_device();
  OnDeviceRuns runs;
  runs.description = description(o);
  for (std::uint32_t i = 0; i < o.runs; ++i) {
    options.mode = Mode::Plain;
    runs.plain.push_back(runner.run(options));
    if (i == 0) {
      require_kernels(runs.plain.front(), o.program.front());
      options.kernels = launched(runs.plain.front());
    }
    options.mode = Mode::Rewritten;
    runs.rewritten.push_back(runner.run(options));
  }
  const Comparison comparison = compare_runs(runs.plain, runs.rewritten);
  if (!comparison.same()) {
    options.mode = Mode::Recompiled;
    runs.recompiled.push_back(runner.run(options));
  }
  std::cout << visible(to_text(runs, comparison), true);
  return comparison.same() ? 0 : 1;
}

}  // namespace heddle::cli
