#include "apps/cli/reports/exec_summary.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

ExecKernel& kernel_of(ExecSummary& s, const std::string& name) {
  auto at =
      std::find_if(s.kernels.begin(), s.kernels.end(), [&](const ExecKernel& k) { return k.kernel == name; });
  if (at == s.kernels.end()) {
    s.kernels.emplace_back().kernel = name;
    return s.kernels.back();
  }
  return *at;
}

void add_launch(ExecSummary& s, const Json& line) {
  ExecKernel& k = kernel_of(s, line.at("kernel").get<std::string>());
  const auto instructions = line.value("warp_instructions", std::uint64_t{0});
  ++k.launches;
  k.warp_instructions += instructions;
  s.host_seconds += line.value("host_seconds", 0.0);
  if (line.contains("cycles")) {
    const auto cycles = line["cycles"].get<std::uint64_t>();
    ++k.timed;
    k.cycles += cycles;
    if (instructions != 0) k.rates.push_back(static_cast<double>(cycles) / static_cast<double>(instructions));
  } else if (line.contains("estimated_cycles")) {
    k.estimated_cycles += line["estimated_cycles"].get<std::uint64_t>();
  } else {
    ++k.unknown;
  }
}

void add_problem(std::vector<ExecSummary::Problem>& all, const Json& line, const char* key) {
  const ExecSummary::Problem p{line.value(key, ""), line.value("kernel", ""), line.value("why", ""), 1};
  const auto same = std::find_if(all.begin(), all.end(), [&](const auto& x) {
    return x.what == p.what && x.kernel == p.kernel && x.why == p.why;
  });
  if (same != all.end())
    ++same->times;
  else
    all.push_back(p);
}

void add_line(ExecSummary& s, const Json& line) {
  if (line.contains("schema")) {
    s.timing = line.value("mode", "") == "timing";
    s.gpu = line.value("gpu", "");
    s.clock_hz = line.value("clock_hz", 0.0);
  } else if (line.contains("end")) {
    s.complete = false;
  } else if (line.contains("refused")) {
    add_problem(s.refused, line, "refused");
  } else if (line.contains("failed")) {
    add_problem(s.failed, line, "failed");
  } else if (line.contains("lost")) {
    add_problem(s.lost, line, "lost");
  } else {
    add_launch(s, line);
  }
}

// Its base name; that of its instance when another kernel has the same.
std::string shown_name(const ExecSummary& s, const ExecKernel& kernel) {
  const std::string base = base_name(kernel.kernel);
  const auto same = std::count_if(s.kernels.begin(), s.kernels.end(),
                                  [&](const ExecKernel& k) { return base_name(k.kernel) == base; });
  return same > 1 ? instance_name(kernel.kernel) : base;
}

std::string functional_text(const ExecSummary& s) {
  std::uint64_t launches = 0, instructions = 0;
  std::string rows;
  for (const ExecKernel& k : s.kernels) {
    launches += k.launches;
    instructions += k.warp_instructions;
    rows += fmt::format("  {:<40} {:>8} {:>16}\n", shown_name(s, k), k.launches, k.warp_instructions);
  }
  const double rate = s.host_seconds > 0 ? static_cast<double>(instructions) / s.host_seconds / 1e6 : 0;
  return fmt::format(
      "heddle: {}, executed for their results: {} warp instructions, {:.1f} million per "
      "second\n  {:<40} {:>8} {:>16}\n{}",
      counted(launches, "launch"), instructions, rate, "kernel", "launches", "instructions", rows);
}

std::string timing_text(const ExecSummary& s) {
  double total = 0, estimated = 0, error = 0;
  std::uint64_t launches = 0, timed = 0, unknown = 0;
  bool known = true;  // the error
  for (const ExecKernel& k : s.kernels) {
    total += static_cast<double>(k.cycles + k.estimated_cycles);
    estimated += static_cast<double>(k.estimated_cycles);
    error += k.error_cycles() * k.error_cycles();
    known = known && (k.estimated_cycles == 0 || k.rates.size() >= 2);
    launches += k.launches;
    timed += k.timed;
    unknown += k.unknown;
  }
  std::string out = fmt::format("heddle: {} on {}: {:.3f} ms", counted(launches, "launch"), s.gpu,
                                s.clock_hz > 0 ? total / s.clock_hz * 1e3 : 0);
  if (timed != launches) out += fmt::format("; {} timed", timed);
  if (estimated > 0)
    out += fmt::format(", {:.0f}% of the time estimated, {}", 100 * estimated / total,
                       known ? fmt::format("standard error {:.1f}%", 100 * std::sqrt(error) / total)
                             : "from too few launches to tell the error");
  if (unknown != 0) out += fmt::format("; {} launches without any time", unknown);
  if (!s.complete) out += "; stopped before the end";
  out +=
      fmt::format("\n  {:<40} {:>8} {:>6} {:>16} {:>7}\n", "kernel", "launches", "timed", "cycles", "time");
  for (const ExecKernel& k : s.kernels) {
    const double cycles = static_cast<double>(k.cycles + k.estimated_cycles);
    out += fmt::format("  {:<40} {:>8} {:>6} {:>16} {:>6.1f}%\n", shown_name(s, k), k.launches, k.timed,
                       k.cycles + k.estimated_cycles, total > 0 ? 100 * cycles / total : 0);
  }
  return out;
}

}  // namespace

double ExecKernel::error_cycles() const {
  if (estimated_cycles == 0 || rates.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (double r : rates) mean += r / static_cast<double>(rates.size());
  for (double r : rates) squares += (r - mean) * (r - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(rates.size() - 1));
  return static_cast<double>(estimated_cycles) * deviation / mean /
         std::sqrt(static_cast<double>(rates.size()));
}

ExecSummary read_summary(const std::string& results) {
  ExecSummary s;
  std::ifstream in(results);
  for (std::string text; std::getline(in, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (line.is_object()) add_line(s, line);
  }
  return s;
}

std::string to_text(const ExecSummary& s) {
  // Of those that fail there is no record.
  if (s.kernels.empty()) return "heddle: no kernel has run to its end\n";
  return s.timing ? timing_text(s) : functional_text(s);
}

static std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string problems_text(const ExecSummary& s) {
  constexpr std::size_t kMost = 20;
  std::string out;
  auto list = [&](const std::vector<ExecSummary::Problem>& all, const char* title) {
    if (all.empty()) return;
    std::uint64_t times = 0;
    for (const auto& p : all) times += p.times;
    out += fmt::format("heddle: {}: {}\n", title, times);
    for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
      const auto& p = all[i];
      const std::string kernel = p.kernel.empty() ? "" : " of " + base_name(p.kernel);
      out += fmt::format("  {:>8} x {}{}: {}\n", p.times, p.what, kernel, first_line(p.why));
    }
    if (all.size() > kMost) out += fmt::format("  ... and {} other reasons\n", all.size() - kMost);
  };
  list(s.failed, "launches that failed");
  list(s.refused, "requests of the program that were refused (its results may be wrong)");
  for (const auto& p : s.lost)
    out += fmt::format("heddle: '{}' is not complete: {}\n", p.what, first_line(p.why));
  return out;
}

}  // namespace heddle::cli
