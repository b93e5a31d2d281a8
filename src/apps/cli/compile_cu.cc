#include "apps/cli/compile_cu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

extern char** environ;

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOutput = 256u << 20;   // more is no PTX that Heddle would read
constexpr std::size_t kMostMessages = 64u << 10;  // of a compiler that does not stop complaining

struct ProcessResult {
  int start_error = 0;   // errno, when it could not be started
  int status = 0;        // exit status; 128 + signal when it was killed
  std::string output;    // standard output
  std::string messages;  // standard error
};

// Reads both ends until the process closes them; either alone could fill up and stop it.
void drain(int output, int messages, ProcessResult& result) {
  pollfd ends[2] = {{output, POLLIN, 0}, {messages, POLLIN, 0}};
  std::vector<char> buffer(1 << 16);
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) return;
    for (pollfd& end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t n = ::read(end.fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      std::string& to = &end == &ends[0] ? result.output : result.messages;
      if (n <= 0)
        end.fd = -1;
      else if (to.size() < (&end == &ends[0] ? kMostOutput : kMostMessages))
        to.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
}

// Without a shell: names of files are arguments, whatever they contain.
ProcessResult run_process(const std::vector<std::string>& command) {
  ProcessResult result;
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  if (::pipe2(err, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(out[0]), ::close(out[1]);
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(error)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  result.start_error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]), ::close(err[1]);
  if (result.start_error == 0) {
    drain(out[0], err[0], result);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(out[0]), ::close(err[0]);
  return result;
}

// Quoted where a shell would need it, so that the command can be pasted.
std::string shown(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& a : command) {
    const bool plain = !a.empty() && a.find_first_not_of(
                                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-+=/.,:@%") == std::string::npos;
    std::string quoted = a;
    if (!plain) {
      quoted = "'";
      for (const char c : a) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      quoted += "'";
    }
    out += (out.empty() ? "" : " ") + quoted;
  }
  return out;
}

// A program that was moved after installation still finds its headers beside itself; one in the build folder
// uses the source tree.
fs::path device_headers() {
  std::vector<fs::path> candidates;
  std::error_code ignored;
  if (const fs::path self = fs::read_symlink("/proc/self/exe", ignored); !ignored)
    candidates.push_back(self.parent_path().parent_path() / HEDDLE_SHARE_RELATIVE / "device");
  candidates.emplace_back(HEDDLE_SHARE_INSTALLED "/device");
  candidates.emplace_back(HEDDLE_SOURCE_HEADERS);
  for (const fs::path& c : candidates)
    if (fs::is_regular_file(c / "cuda_runtime.h", ignored)) return c;
  std::string list;
  for (const fs::path& c : candidates) list += "\n    " + c.string();
  throw Error("the device headers (cuda_runtime.h) were not found", "looked in:" + list);
}

void check(const fs::path& source, const CompileOptions& o) {
  // Both end up in one argument each, but a wrong one would make the compiler complain about something else.
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (!o.arch.starts_with("sm_") || !std::all_of(o.arch.begin(), o.arch.end(), plain))
    throw Error(fmt::format("--cuda-arch {}: expected an architecture such as sm_75", printable(o.arch)));
  for (const std::string& d : o.defines)
    if (d.empty() || d[0] == '=' || d[0] == '-')
      throw Error(fmt::format("-D {}: expected NAME or NAME=VALUE", printable(d)));
  read_file(source, 64u << 20);  // says best why a file cannot be read
}

// What tools/make_ptx uses, less its strictness about warnings, plus the header that nvcc includes on its
// own.
std::vector<std::string> command_for(const fs::path& source, const CompileOptions& o) {
  std::vector<std::string> c = {o.compiler,
                                "-x",
                                "cuda",
                                "--cuda-device-only",
                                "--cuda-gpu-arch=" + o.arch,
                                "--cuda-path=/nonexistent",
                                "-nocudainc",
                                "-nocudalib",
                                "-fdeclspec",
                                "-fsigned-char",
                                "-std=c++17",
                                "-O3",
                                "-ffp-contract=fast"};
  const fs::path own = source.has_parent_path() ? source.parent_path() : fs::path(".");
  c.push_back("-I" + own.string());
  for (const fs::path& i : o.includes) c.push_back("-I" + i.string());
  c.push_back("-I" + device_headers().string());
  for (const std::string& d : o.defines) c.push_back("-D" + d);
  c.insert(c.end(), {"-include", "cuda_runtime.h"});
  return c;
}

// The result comes through a pipe: no temporary file that a killed run would leave behind.
ProcessResult run_compiler(std::vector<std::string> command, const std::string& mode,
                           const fs::path& source) {
  const std::string compiler = command[0];
  // A name that starts with '-' must not be taken for an option.
  const std::string name = source.is_absolute() ? source.string() : (fs::path(".") / source).string();
  command.insert(command.end(), {mode, name, "-o", "-"});
  ProcessResult r = run_process(command);
  if (r.start_error == ENOENT || (r.start_error == 0 && r.status == 127))
    throw Error(fmt::format("{} is not installed; it compiles .cu files for Heddle", compiler),
                "install Debian's package: apt install clang-19\n"
                "  or compile with nvcc elsewhere (nvcc -ptx) and give Heddle the .ptx");
  if (r.start_error != 0)
    throw Error(fmt::format("cannot start {}: {}", compiler, std::strerror(r.start_error)));
  if (r.status != 0) {
    std::string what =
        r.status > 128 ? fmt::format("was killed by signal {}", r.status - 128) : "found errors";
    throw Error(SourcePlace{source.string(), 0, 0, {}},
                fmt::format("{} {}:\n{}", compiler, what, trim(r.messages)),
                "the command was: " + shown(command));
  }
  return r;
}

// The compiler itself is part of the key: another version makes other code.
std::string compiler_identity(const std::string& compiler) {
  return run_process({compiler, "--version"}).output;
}

}  // namespace

fs::path default_cache() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && xdg[0] == '/')
    return fs::path(xdg) / "heddle";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return fs::path(home) / ".cache" / "heddle";
  return fs::temp_directory_path() / fmt::format("heddle-cache-{}", ::getuid());
}

CompiledCu compile_cu(const fs::path& source, const CompileOptions& options) {
  check(source, options);
  const std::vector<std::string> command = command_for(source, options);
  CompiledCu result;
  std::vector<std::string> typed = command;
  typed.insert(typed.end(), {"-S", source.string(), "-o", source.stem().string() + ".ptx"});
  result.command = shown(typed);

  // The key is the preprocessed text, which contains every header as it is now.
  fs::path cached;
  if (options.use_cache) {
    std::string key = compiler_identity(options.compiler) + '\0' + shown(command) + '\0';
    key += run_compiler(command, "-E", source).output;
    const fs::path folder = (options.cache.empty() ? default_cache() : options.cache) / "cu";
    cached = folder / (sha256_hex(key) + ".ptx");
    std::error_code ignored;
    if (fs::is_regular_file(cached, ignored)) {
      try {
        result.ptx = read_file(cached);
        result.from_cache = !result.ptx.empty();
      } catch (const Error&) {  // unreadable: compile again
      }
      if (result.from_cache) return result;
    }
  }
  ProcessResult compiled = run_compiler(command, "-S", source);
  result.messages = std::move(compiled.messages);
  result.ptx = std::move(compiled.output);
  if (!cached.empty()) {
    try {
      fs::create_directories(cached.parent_path());
      write_file(cached, result.ptx);
    } catch (const std::exception&) {  // a read-only home must not keep anyone from running a kernel
    }
  }
  return result;
}

}  // namespace heddle::cli
