// heddle exec: runs an unmodified CUDA program with libraries that simulate its card.
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "apps/cli/commands/point_place.h"
#include "apps/cli/commands/program_file.h"
#include "apps/cli/reports/exec_summary.h"
#include "base/error.h"
#include "base/temporary.h"
#include "base/text.h"
#include "fatbin/fatbin.h"
#include "runtime/device/options.h"
#include "runtime/recording/recording.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExecGpu = "v100";  // large enough for most programs of today, and quick to build

// What would fail in the middle is told before the program starts.
void check_program(const fs::path& file) {
  if (!is_program(file))
    throw Error(fmt::format("cannot run '{}': it is not there, or no executable file", file.string()));
  if (is_script(file)) return;
  const fatbin::Program p = fatbin::read_program(file);
  if (p.modules.empty()) return;  // its kernels may be in libraries
  for (const fatbin::Obstacle& o : fatbin::obstacles(p))
    throw Error(fmt::format("'{}': {}", file.string(), o.what), o.advice);
}

// "3..7", "3..", "3".
void parse_range(const std::string& text, runtime::ExecOptions& o) {
  auto number = [&](std::string_view part, std::uint64_t otherwise) {
    if (part.empty()) return otherwise;
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (error != std::errc{} || end != part.data() + part.size() || n == 0)
      throw Error(fmt::format("--kernels {}: expected launch numbers, from 1", text),
                  "For example --kernels 3..7, --kernels 10.. or --kernels 1");
    return n;
  };
  const std::size_t dots = text.find("..");
  const std::string_view first = std::string_view(text).substr(0, dots);
  o.first_timed = number(first, 1);
  o.last_timed =
      dots == std::string::npos ? o.first_timed : number(std::string_view(text).substr(dots + 2), ~0ull);
  if (o.first_timed > o.last_timed)
    throw Error(fmt::format("--kernels {}: the first is behind the last", text));
}

std::uint32_t parse_capability(const std::string& text) {
  if (text.empty()) return 0;
  const char* const end = text.data() + text.size();
  std::uint32_t major = 0, minor = 0;
  const auto [dot, error] = std::from_chars(text.data(), end, major);
  if (error == std::errc{} && dot != end && *dot == '.' && std::from_chars(dot + 1, end, minor).ptr == end &&
      minor < 10 && major < 100)
    return major * 10 + minor;
  throw Error(fmt::format("--compute-capability {}: expected two numbers, as in 7.5", text));
}

runtime::ExecOptions runtime_options(const ExecCommandOptions& o) {
  ConfigOptions config = o.config;
  if (config.gpu.empty()) config.gpu = kExecGpu;
  const GpuConfig gpu = o.designs.empty() ? load_used_gpu(config) : load_gpu(config);
  if (gpu.spec.gpu.limit.kernel_cycles != 0)
    throw Error("limit.kernel_cycles is for workloads", "exec has --sample N and --kernels K..L.");
  // A program launches kernels with the arguments that they had.
  if (gpu.spec.gpu.software.rewriter == "agents" && o.designs.empty())
    throw Error("software.rewriter = agents gives kernels further parameters: a program cannot launch them",
                "Give it as a design (heddle exec --designs \"baseline,CTA agents\"), which replays a "
                "recording, or take "
                "redirection.");
  if (o.functional && o.record.empty() && (o.sample != 0 || !o.kernels.empty()))
    throw Error("--functional times no launch: there are none to choose with --sample or --kernels",
                "With --record they choose the launches of the recording.");
  runtime::ExecOptions r;
  r.mode = o.functional ? runtime::Mode::Functional : runtime::Mode::Timing;
  r.gpu = gpu.chosen;
  r.configuration = gpu.config.dump(false);
  r.threads = o.threads;
  r.max_cycles = o.max_cycles;
  r.sample = o.sample;
  r.capability = parse_capability(o.capability);
  if (!o.kernels.empty()) parse_range(o.kernels, r);
  return r;
}

[[noreturn]] void become(const std::vector<std::string>& program, const fs::path& file,
                         const fs::path& libraries, const runtime::ExecOptions& options) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path =
      libraries.string() + (before != nullptr && *before != 0 ? fmt::format(":{}", before) : "");
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  setenv(runtime::ExecOptions::kVariable, options.to_json().c_str(), 1);
  // Addresses of the host that kernels see are then the same in every run.
  personality(ADDR_NO_RANDOMIZE);
  std::vector<char*> argv;
  for (const std::string& a : program) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  std::fprintf(stderr, "heddle: cannot run '%s'\n", file.c_str());
  _exit(2);
}

int run_child(const std::vector<std::string>& program, const fs::path& file, const fs::path& libraries,
              const runtime::ExecOptions& options) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw Error("cannot start another process");
  if (child == 0) become(program, file, libraries, options);
  // Ctrl-C is for the program; what it has measured is reported all the same.
  auto* const before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "heddle: the program ended with signal %d (%s)\n", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}

// What would fail in the middle is told before the program starts, and what is there from before goes.
void check_writable(const std::string& file) {
  if (file.empty()) return;
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0)
    throw Error(fmt::format("cannot write '{}': {}", file, std::strerror(errno)), "Is its folder there?");
  ::close(opened);
}

// The program's own status, unless it is 0 and something else is wrong.
int status_of(int program, const ExecSummary& s, bool strict) {
  if (program != 0) return program;
  if (!s.lost.empty()) return 2;
  return strict && (!s.refused.empty() || !s.failed.empty()) ? 1 : 0;
}

int compare_designs(const ExecCommandOptions& o, const std::string& recording) {
  CompareOptions c;
  c.workloads = {o.record};
  if (o.record.empty()) {
    c.workloads = {fs::path(o.program.front()).filename().string() + runtime::kRecordingSuffix};
    c.workload.recording = recording;
    // The recording is gone afterwards: what to do next starts with keeping it.
    c.next = "heddle exec --functional --record NAME.hdl -- " + o.program.front() + " ...";
  }
  c.designs = o.designs;
  c.config = o.config;
  c.place = o.place;
  return compare_command(c);
}

}  // namespace

int exec_command(const ExecCommandOptions& o) {
  const fs::path file = find_program(o.program.front());
  check_program(file);
  const fs::path libraries = library_folder("libheddle_cuda.so");
  runtime::ExecOptions options = runtime_options(o);
  const UnnamedFile tally(UnnamedFile::Where::Memory);
  options.tally = tally.path();
  if (!o.results.empty()) options.results = fs::absolute(o.results).string();
  if (!o.record.empty()) options.recording = fs::absolute(o.record).string();
  check_writable(options.results);
  check_writable(options.recording);
  const bool compare = !o.designs.empty();
  std::optional<UnnamedFile> recording;
  std::optional<SharedRecording> shared;
  if (compare) {
    // The program runs once, for its results; its launches are then simulated on every design.
    options.mode = runtime::Mode::Functional;
    if (o.record.empty())
      options.recording = o.place.elsewhere() ? shared.emplace(o.place).file()
                                              : recording.emplace(UnnamedFile::Where::Disk).path();
  }
  const int program = run_child(o.program, file, libraries, options);
  const ExecSummary summary = read_summary(options.tally);
  if (!o.quiet && !compare) std::cerr << visible(to_text(summary), true);
  std::cerr << visible(problems_text(summary), true) << std::flush;
  const int status = status_of(program, summary, o.strict);
  if (status != 0 || !compare) return status;
  if (shared) {
    shared->name_by_contents();
    options.recording = shared->file();
  }
  return compare_designs(o, options.recording);
}

}  // namespace heddle::cli
