#include "apps/cli/reports/machine_text.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/reports/machine_picture.h"
#include "base/numbers.h"
#include "gpu/catalog.h"
#include "gpu/peak_rates.h"
#include "gpu/unloaded.h"

namespace heddle::cli {
namespace {

void slots(const GpuConfig& gpu, std::string& out) {
  out += "\nimplementation per slot\n";
  for (const gpu::Chosen& c : gpu::implementations(gpu.spec.gpu)) {
    out += fmt::format("  {:<17} {:<18} {}\n", c.slot, c.name, c.description);
    if (!c.storage.empty()) out += fmt::format("  {:<17} {:<18} {}\n", "", "", c.storage);
  }
  out += "\npolicies\n";
  for (const Policy& p : policies(gpu.config))
    out += fmt::format("  {:<17} {:<18} {}\n", p.key, p.name, p.description);
}

void rates(const gpu::GpuSpec& spec, std::string& out) {
  const gpu::PeakRates r = gpu::peak_rates(spec);
  out += "\npeak rates of the machine\n";
  auto line = [&out](const char* what, const std::string& rate, const std::string& why) {
    out += fmt::format("  {:<17} {:<22} {}\n", what, rate, why);
  };
  line("issue", per_second(r.warp_instructions, "warp instr."),
       fmt::format("{} SMs x {} schedulers x {}", spec.sms(), spec.sm.schedulers, spec.sm.issue_width));
  line("FP32", per_second(r.fp32_instructions, "instr."), "multiply-adds, each two operations");
  if (r.l1_bytes > 0) line("L1", scaled(r.l1_bytes, "B/s"), "read hits");
  line("request network", scaled(r.request_bytes, "B/s"), "headers included, all inputs to all outputs");
  line("reply network", scaled(r.reply_bytes, "B/s"), "headers included, all inputs to all outputs");
  if (r.l2_port_bytes > 0)
    line("L2 data ports", scaled(r.l2_port_bytes, "B/s"),
         fmt::format("{} slices x {}", spec.slices(), to_string(spec.l2().port)));
  line("DRAM", scaled(r.dram_bytes, "B/s"),
       fmt::format("{} channels", spec.memory.partitions * spec.partition.channels));
}

void latencies(const gpu::GpuSpec& spec, std::string& out) {
  const gpu::UnloadedLatency u = gpu::unloaded_latency(spec);
  out += "\nlatency of a load in an idle machine, from issue to data\n";
  const double ns = 1e9 / static_cast<double>(spec.gpu.clock.count());
  auto line = [&](const char* what, double cycles) {
    if (cycles > 0) out += fmt::format("  {:<17} {:>5.0f} cycles {:>7.0f} ns\n", what, cycles, cycles * ns);
  };
  line("L1 hit", u.l1_hit);
  line("L2 hit", u.l2_hit);
  line("DRAM, row open", u.dram_row_hit);
  line("DRAM, bank closed", u.dram_closed);
  line("DRAM, other row", u.dram_conflict);
  if (spec.gpu.launch_overhead != 0)
    out += fmt::format("  {:<17} {:>5} cycles {:>7.0f} ns\n", "an empty launch", spec.gpu.launch_overhead,
                       spec.gpu.launch_overhead * ns);
}

void limits(const gpu::GpuSpec& spec, std::string& out) {
  const sm::SmSpec& s = spec.sm;
  out += fmt::format(
      "\nresident on an SM at once: {} CTAs, {} warps, {} threads, {} registers, {} of shared memory\n",
      s.ctas, s.warps, grouped(s.threads), grouped(s.registers), to_string(s.shared_memory));
}

// Words in lines of at most 100 characters, behind `indent` spaces.
std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  constexpr std::size_t kMostColumns = 100;
  std::string out, line;
  for (const std::string& w : words) {
    if (!line.empty() && indent + line.size() + w.size() + 2 > kMostColumns) {
      out += std::string(indent, ' ') + line + ",\n";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + w;
  }
  if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
  return out;
}

// What the machine's files say of their values.
void sources(const GpuConfig& gpu, std::string& out) {
  std::size_t stated = 0, silent = 0, defaults = 0;
  std::vector<std::string> assumed;
  for (const auto& [path, entry] : gpu.config.entries()) {
    if (entry.origin.kind != config::Origin::Kind::File) {
      ++defaults;
      continue;
    }
    const std::string remark = entry.origin.remark();
    if (remark.find("assumed") != std::string::npos)
      assumed.push_back(path);
    else
      ++(remark.empty() ? silent : stated);
  }
  out += "\nwhere its values come from (describe --all: each with its remark)\n";
  auto line = [&](const char* what, std::size_t n, const char* meaning) {
    out += fmt::format("  {:<17} {:>5}  {}\n", what, n, meaning);
  };
  line("stated", stated, "a public source, a measurement, or the paper's word stands beside it");
  line("assumed", assumed.size(), "guessed:");
  out += wrapped(assumed, 26);
  line("no remark", silent, "given without a source");
  line("default", defaults, "not given: as in heddle explain");
}

}  // namespace

std::string machine_text(const GpuConfig& gpu) {
  const gpu::GpuSpec& spec = gpu.spec.gpu;
  std::string out = fmt::format("{}: {}\n\n", gpu.chosen, spec.gpu.name) + machine_picture(spec);
  slots(gpu, out);
  rates(spec, out);
  latencies(spec, out);
  limits(spec, out);
  sources(gpu, out);
  return out;
}

}  // namespace heddle::cli
