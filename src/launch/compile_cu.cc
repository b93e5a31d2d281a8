#include "launch/compile_cu.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/temporary.h"
#include "base/text.h"

namespace heddle::launch {
namespace {

namespace fs = std::filesystem;

// So that the command can be pasted.
std::string shown(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& a : command) out += (out.empty() ? "" : " ") + shell_word(a);
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
  c.push_back("-I" + (o.headers.empty() ? device_headers() : o.headers).string());
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
  // Others may make folders there, too: what they put into one must not be run as our code.
  const fs::path shared = fs::temp_directory_path() / fmt::format("heddle-cache-{}", ::getuid());
  return own_folder(shared) ? shared : fs::path();
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
  const fs::path cache = options.cache.empty() ? default_cache() : options.cache;
  if (!cache.empty()) {
    std::string key = compiler_identity(options.compiler) + '\0' + shown(command) + '\0';
    key += run_compiler(command, "-E", source).output;
    cached = cache / "cu" / (sha256_hex(key) + ".ptx");
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

}  // namespace heddle::launch
