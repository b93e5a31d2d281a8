#include "base/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "base/units.h"

namespace heddle {
namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::uint64_t kPiece = std::uint64_t{32} << 20;
// Left for everybody else; less where there is little.
constexpr std::uint64_t kReserve = std::uint64_t{256} << 20, kReservePart = 16;
constexpr std::chrono::milliseconds kLookEvery{20};

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? std::string(std::istreambuf_iterator<char>(in), {}) : std::string();
}

std::uint64_t number_in(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  if (at == std::string_view::npos) return kUnknown;
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), v);
  return error == std::errc() ? v : kUnknown;  // "max" is unknown, too
}

// The number behind `key` at the beginning of a line; `missing` where there is none.
std::uint64_t field(std::string_view text, std::string_view key, std::uint64_t missing) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key)) {
      line.remove_prefix(key.size());
      const std::uint64_t v = number_in(line);
      return v == kUnknown ? missing : v;
    }
    at = end + 1;
  }
  return missing;
}

HostMemory of_system(const std::string& root) {
  const std::string text = text_of(root + "/proc/meminfo");
  const std::uint64_t left = field(text, "MemAvailable:", kUnknown);
  if (left == kUnknown) return {};
  const std::uint64_t swap = field(text, "SwapFree:", 0);
  return {(left + swap) << 10, field(text, "MemTotal:", left) << 10};
}

void take_less(HostMemory& all, std::uint64_t limit, std::uint64_t used) {
  if (limit == kUnknown) return;
  all.available = std::min(all.available, limit - std::min(limit, used));
  all.total = std::min(all.total, limit);
}

// A control group and all above it. What is cached of files counts as used there, but goes when asked for.
void groups(HostMemory& all, const std::string& mount, std::string path, const char* limit,
            const char* usage) {
  for (;;) {
    const std::string folder = mount + path + "/";
    const std::string stat = text_of(folder + "memory.stat");
    const std::uint64_t cached = field(stat, "inactive_file ", 0) + field(stat, "active_file ", 0);
    const std::uint64_t used = number_in(text_of(folder + usage));
    if (used != kUnknown) take_less(all, number_in(text_of(folder + limit)), used - std::min(used, cached));
    if (path.empty()) return;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

void of_control_groups(HostMemory& all, const std::string& root) {
  std::istringstream lines(text_of(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {  // number:controllers:/path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers.empty())
      groups(all, root + "/sys/fs/cgroup", path, "memory.max", "memory.current");
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      groups(all, root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes");
  }
}

void of_environment(HostMemory& all, const std::string& root) {
  const char* const given = std::getenv("HEDDLE_HOST_MEMORY");
  if (given == nullptr || *given == '\0') return;
  const std::string statm = text_of(root + "/proc/self/statm");  // pages: size, resident, ...
  const std::size_t at = statm.find(' ');
  const std::uint64_t resident = at == std::string::npos ? kUnknown : number_in(statm.substr(at));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const Parsed<Bytes> limit = parse_bytes(given);
  if (!limit)
    throw Error(fmt::format("the environment variable HEDDLE_HOST_MEMORY is '{}': {}", given, limit.why));
  take_less(all, limit.value->count(), resident == kUnknown ? 0 : resident * page);
}

std::uint64_t reserve_of(const HostMemory& host) {
  return std::min(kReserve, host.total / kReservePart);
}

constexpr char kAdvice[] =
    "Use a smaller input, or a host with more memory. HEDDLE_HOST_MEMORY, where it is set, limits this "
    "process.";

}  // namespace

HostMemory host_memory(const std::string& root) {
  HostMemory all = of_system(root);
  of_control_groups(all, root);
  of_environment(all, root);
  return all;
}

void require_host_memory(std::uint64_t bytes, std::string_view what) {
  const HostMemory host = host_memory();
  if (host.available == kUnknown) return;
  const std::uint64_t reserve = reserve_of(host);
  if (host.available >= reserve && bytes <= host.available - reserve) return;
  throw HostMemoryError(
      fmt::format("{}: {} bytes do not fit in the host's memory, which has {} of {} bytes left", what, bytes,
                  host.available, host.total),
      kAdvice);
}

void count_host_memory(std::uint64_t bytes, std::string_view what) {
  static std::atomic<std::uint64_t> counted{kPiece};  // the first one is looked at
  if (counted.fetch_add(bytes, std::memory_order_relaxed) + bytes < kPiece) return;
  counted.store(0, std::memory_order_relaxed);
  require_host_memory(bytes, what);
}

void watch_host_memory() {
  static std::atomic<std::int64_t> next{0};
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (now < next.load(std::memory_order_relaxed)) return;
  next.store(now + std::chrono::nanoseconds(kLookEvery).count(), std::memory_order_relaxed);
  const HostMemory host = host_memory();
  if (host.available == kUnknown || host.available >= reserve_of(host)) return;
  throw HostMemoryError(
      fmt::format("the host's memory is used up: {} of {} bytes are left", host.available, host.total),
      kAdvice);
}

}  // namespace heddle
