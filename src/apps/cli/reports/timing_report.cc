// The summary of a simulated run: what the machine was, where the time went, kernel by kernel.
#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/inputs/gpu_config.h"
#include "apps/cli/reports/run_report.h"
#include "base/demangle.h"
#include "base/numbers.h"
#include "base/text.h"
#include "gpu/catalog.h"
#include "gpu/peak_rates.h"

namespace heddle::cli {
namespace {

using gpu::MachineStats;
using study::KernelTiming;
using study::TimingRecord;

std::string bandwidth(const MachineStats& s) {
  const double seconds = static_cast<double>(s.gpu.picoseconds) * 1e-12;
  return seconds == 0
             ? "-"
             : scaled(static_cast<double>(s.dram().read_bytes + s.dram().write_bytes) / seconds, "B/s");
}

std::uint64_t dram_accesses(const MachineStats& s) {
  return s.dram().row_hits + s.dram().row_misses + s.dram().row_conflicts;
}

void print_machine(const TimingRecord& r, std::ostream& out) {
  out << fmt::format("machine     {}: {}, {} SMs in {} clusters at {}\n", r.gpu, r.spec.gpu.name,
                     r.spec.sms(), r.spec.gpu.clusters, to_string(r.spec.gpu.clock));
  for (const gpu::Chosen& c : gpu::implementations(r.spec))
    out << fmt::format("  {:<17} {:<18} {}\n", c.slot, c.name, c.description);
  const config::Config settled = config::Config::parse(r.configuration, "configuration of the record");
  for (const Policy& p : policies(settled))
    out << fmt::format("  {:<17} {:<18} {}\n", p.key, p.name, p.description);
}

void print_end(const TimingRecord& r, std::ostream& out) {
  if (r.complete()) return;
  out << fmt::format("\nresult      not checked: {}. All figures are of the part that was simulated.\n",
                     r.end == sim::EndReason::Interrupted ? "interrupted" : "the cycle limit was reached");
}

void print_totals(const TimingRecord& r, std::ostream& out) {
  const MachineStats& s = r.total;
  const double peak = gpu::peak_rates(r.spec).dram_bytes;
  const double seconds_simulated = static_cast<double>(s.gpu.picoseconds) * 1e-12;
  const double used = static_cast<double>(s.dram().read_bytes + s.dram().write_bytes);
  out << fmt::format("time        {} cycles, {} at {}; {}\n", grouped(s.gpu.cycles),
                     seconds(s.gpu.picoseconds), to_string(r.spec.gpu.clock),
                     s.gpu.launches == 1 ? "1 launch" : grouped(s.gpu.launches) + " launches");
  out << fmt::format("executed    {} CTAs, {} warp instructions, IPC {:.2f} ({:.3f} per SM)\n",
                     grouped(s.sm().ctas), millions(s.sm().instructions),
                     ratio(s.sm().instructions, s.gpu.cycles),
                     ratio(s.sm().instructions, s.gpu.cycles * r.spec.sms()));
  if (r.spec.software.make_rewriter) {
    const auto& software = s.groups.get<gpu::SoftwareStats>(gpu::SoftwareStats::kGroup);
    out << fmt::format("software    {} of {} launches rewritten (software.rewriter = {})\n",
                       grouped(software.rewritten), grouped(software.launches), r.spec.software.rewriter);
  }
  if (s.gpu.ctas_only_executed != 0)
    out << fmt::format("left out    {} CTAs: executed, not simulated (limit.kernel_cycles)\n",
                       grouped(s.gpu.ctas_only_executed));
  if (s.gpu.ctas_cut != 0)
    out << fmt::format("cut off     {} CTAs: simulated in part, then executed (limit.running)\n",
                       grouped(s.gpu.ctas_cut));
  out << fmt::format("caches      L1 read hits {}, L2 read hits {}, mean load latency {:.0f} cycles\n",
                     percent(s.l1().reads.hits, s.l1().reads.in),
                     percent(s.l2().reads.hits, s.l2().reads.requests),
                     ratio(s.sm().load_latency_sum, s.sm().loads_completed));
  out << fmt::format("DRAM        {} read, {} written, {} ({:.1f} % of {}), row hits {}\n",
                     scaled(static_cast<double>(s.dram().read_bytes), "B"),
                     scaled(static_cast<double>(s.dram().write_bytes), "B"), bandwidth(s),
                     seconds_simulated > 0 ? 100 * used / seconds_simulated / peak : 0.0, scaled(peak, "B/s"),
                     percent(s.dram().row_hits, dram_accesses(s)));
  auto rate = [&](std::uint64_t n) {
    return r.host.execution_seconds > 0 ? static_cast<double>(n) / r.host.execution_seconds : 0.0;
  };
  out << fmt::format(
      "host time   {:.3f} s in kernels on {} ({}, {}), {:.3f} s in all, {:.3f} s of CPU time\n",
      r.host.execution_seconds, counted(r.threads, "thread"), per_second(rate(s.gpu.cycles), "cycles"),
      per_second(rate(s.sm().instructions), "warp instructions"), r.host.wall_seconds, r.host.cpu_seconds);
}

// Every SM and cycle of the run, by what the SM did in it.
void print_cycles(const TimingRecord& r, std::ostream& out) {
  const sm::SmStats& s = r.total.sm();
  const std::uint64_t all = r.total.gpu.cycles * r.spec.sms();
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"issue", s.issuing_cycles}, {"memory", s.stall_memory}, {"dependency", s.stall_dependency},
      {"unit busy", s.stall_unit}, {"LSU full", s.stall_lsu},  {"barrier", s.stall_barrier},
      {"stores", s.stall_drain}};
  std::uint64_t known = 0;
  for (const auto& row : rows) known += row.second;
  out << "\nwhere the cycles of SMs went\n";
  auto line = [&](const char* name, std::uint64_t n) {
    const double share = 100 * ratio(n, all);
    out << fmt::format("  {:<11} {:>6.1f} %  {}\n", name, share,
                       std::string(static_cast<std::size_t>(share / 2 + 0.5), '#'));
  };
  for (const auto& [name, n] : rows)
    if (n != 0) line(name, n);
  line("no warp", all > known ? all - known : 0);
}

void print_kernels(const TimingRecord& r, std::ostream& out) {
  std::size_t width = 12;
  for (const KernelTiming& k : r.kernels)
    width = std::max(width, std::min<std::size_t>(base_name(k.kernel).size(), 32));
  out << fmt::format("\n{:<{}} {:>8} {:>11} {:>9} {:>7} {:>8} {:>8} {:>10} {:>8} {:>8}  {}\n", "kernel",
                     width + 2, "launches", "cycles", "time", "IPC", "L1 hits", "L2 hits", "DRAM", "row hits",
                     "latency", "warps per SM: had / fit, limit");
  for (const KernelTiming& k : r.kernels) {
    const MachineStats& s = k.stats;
    out << fmt::format(
        "  {:<{}} {:>8} {:>11} {:>9} {:>7.2f} {:>8} {:>8} {:>10} {:>8} {:>8.0f}  {:.1f} / {}, {}\n",
        base_name(k.kernel).substr(0, 32), width, grouped(s.gpu.launches), grouped(s.gpu.cycles),
        seconds(s.gpu.picoseconds), ratio(s.sm().instructions, s.gpu.cycles),
        percent(s.l1().reads.hits, s.l1().reads.in), percent(s.l2().reads.hits, s.l2().reads.requests),
        bandwidth(s), percent(s.dram().row_hits, dram_accesses(s)),
        ratio(s.sm().load_latency_sum, s.sm().loads_completed),
        ratio(s.sm().warp_cycles, s.sm().active_cycles), k.occupancy.ctas * k.occupancy.warps_per_cta,
        k.occupancy.limited_by);
  }
}

}  // namespace

void print_summary(const TimingRecord& r, std::ostream& out) {
  if (r.complete() && !r.contents.empty()) out << "\n";  // after what the launch file printed
  print_end(r, out);
  print_totals(r, out);
  print_cycles(r, out);
  print_kernels(r, out);
  out << "\n";
  print_machine(r, out);
}

}  // namespace heddle::cli
