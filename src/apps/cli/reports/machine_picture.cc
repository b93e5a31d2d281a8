#include "apps/cli/reports/machine_picture.h"

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::cli {
namespace {

constexpr int kWidth = 86;

std::string edge() {
  return "  +" + std::string(kWidth, '-') + "+\n";
}
std::string row(const std::string& text) {
  return fmt::format("  | {:<{}}|\n", text, kWidth - 1);
}
// Down go requests, up come replies.
std::string channels(std::uint32_t down, std::uint32_t up) {
  return fmt::format("       | requests, {:<24} ^ replies, {}\n       v {:<34} |\n", counted(down, "cycle"),
                     counted(up, "cycle"), "");
}

std::string cache(const cache::TagSpec& t, std::uint32_t ways) {
  const Bytes size{std::uint64_t{t.sets} * ways * t.line.count()};
  return fmt::format("{}: {} sets x {} ways x {}{}, {}", to_string(size), t.sets, ways, to_string(t.line),
                     t.sectored ? " in 32B sectors" : "", t.replacement);
}

std::string sm_box(const gpu::GpuSpec& s) {
  std::string out = edge();
  out += row(fmt::format("{} clusters of {} SMs{}, {}", s.gpu.clusters, s.gpu.sms_per_cluster,
                         s.sms() == s.gpu.clusters * s.gpu.sms_per_cluster
                             ? fmt::format(": {} SMs", s.sms())
                             : fmt::format(", {} SMs present", s.sms()),
                         to_string(s.gpu.clock)));
  out += row(fmt::format("SM  {} schedulers ({}), {} warps, {} CTAs, {} registers, {} shared memory",
                         s.sm.schedulers, s.sm.scheduler, s.sm.warps, s.sm.ctas, s.sm.registers,
                         to_string(s.sm.shared_memory)));
  if (!s.l1.enabled) {
    out += row("L1  none");
  } else if (s.sm.unified_l1.count() != 0) {
    out += row(fmt::format("L1  {} together with shared memory; without any:", to_string(s.sm.unified_l1)));
    out += row("    " + cache(s.l1.tags, gpu::l1_for(s, 0).tags.ways));
  } else {
    out += row("L1  " + cache(s.l1.tags, s.l1.tags.ways));
  }
  if (s.l1.enabled)
    out += row(fmt::format("    {} MSHRs of {} requests, a hit takes {}{}", s.l1.mshr_entries,
                           s.l1.mshr_merges, counted(s.l1.latency, "cycle"),
                           s.l1.bypass_global ? "; global loads pass it by" : ""));
  return out + edge();
}

std::string port_box(const gpu::GpuSpec& s) {
  const cluster::ClusterSpec& p = s.cluster.port;
  return edge() +
         row(fmt::format(
             "{} cluster ports: {} per cycle, merger '{}', injection buffer of {}", s.gpu.clusters,
             p.requests_per_cycle == 0 ? "any number of requests" : counted(p.requests_per_cycle, "request"),
             s.cluster.merger, p.injection_buffer)) +
         row(fmt::format(
             "  back: response FIFO of {}, {} per cycle", p.response_fifo,
             p.responses_per_cycle == 1 ? "1 reply" : fmt::format("{} replies", p.responses_per_cycle))) +
         edge();
}

std::string network(const char* name, const noc::NetworkSpec& n, std::uint32_t in, std::uint32_t out,
                    Frequency core) {
  return row(fmt::format("{} network: {} {} x {}, {} per port and cycle at {}", name, n.topology, in, out,
                         to_string(n.packet.flit), to_string(n.clock == Frequency{0} ? core : n.clock)));
}

std::string partition_box(const gpu::GpuSpec& s) {
  const dram::DramSpec& d = s.partition.dram;
  const Frequency l2_clock = s.partition.l2_clock == Frequency{0} ? s.gpu.clock : s.partition.l2_clock;
  std::string out = edge();
  const Bytes all{std::uint64_t{s.slices()} * s.l2().tags.sets * s.l2().tags.ways * s.l2().tags.line.count()};
  out += row(fmt::format("{} memory partitions, every {} in another", s.memory.partitions,
                         to_string(s.memory.interleave)));
  if (s.l2().enabled) {
    out += row(fmt::format("L2  {} per partition, {} in all, {}", counted(s.memory.slices, "slice"),
                           to_string(all), to_string(l2_clock)));
    out += row(fmt::format("    slice {}", cache(s.l2().tags, s.l2().tags.ways)));
    out += row(fmt::format("    data port {} per cycle, {} MSHRs of {} requests", to_string(s.l2().port),
                           s.l2().mshrs, s.l2().merges));
  } else {
    out += row("L2  none");
  }
  out += row(fmt::format("DRAM  {} per partition ({}), {} x {} per tick at {}",
                         counted(s.partition.channels, "channel"), d.scheduler, to_string(d.bus),
                         d.transfers_per_tick, to_string(d.clock)));
  out += row(fmt::format(
      "      {} banks{}, {} of {}, rows of {}", d.banks,
      d.pseudo_channels > 1 ? fmt::format(" in {} pseudo channels", d.pseudo_channels) : "",
      counted(d.bank_groups, "group"), d.banks / d.pseudo_channels / d.bank_groups, to_string(s.memory.row)));
  return out + edge();
}

}  // namespace

std::string machine_picture(const gpu::GpuSpec& s) {
  const gpu::LatencySpec& l = s.latency;
  return sm_box(s) + channels(l.sm_to_cluster, l.cluster_to_sm) + port_box(s) +
         channels(l.cluster_to_network, l.network_to_cluster) + edge() +
         network("request", s.noc.request, s.gpu.clusters, s.slices(), s.gpu.clock) +
         network("reply", s.noc.reply, s.slices(), s.gpu.clusters, s.gpu.clock) + edge() +
         channels(l.network_to_partition, l.partition_to_network) + partition_box(s);
}

}  // namespace heddle::cli
