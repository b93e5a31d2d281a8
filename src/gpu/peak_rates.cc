#include "gpu/peak_rates.h"

#include <algorithm>

namespace heddle::gpu {
namespace {

double hertz(Frequency own, Frequency core) {
  return static_cast<double>((own == Frequency{0} ? core : own).count());
}

double network_bytes(const GpuSpec& spec, noc::Direction direction) {
  const noc::NetworkSpec& n = direction == noc::Direction::Request ? spec.noc.request : spec.noc.reply;
  const mem::AddressMap map(spec.memory);
  return static_cast<double>(n.packet.flit.count()) *
         n.design->peak_flits(spec.network_place(direction, map)) * hertz(n.clock, spec.gpu.clock);
}

double fp32_per_sm_cycle(const sm::SmSpec& s) {
  const sm::ClassTiming& t = s.timing.of(workload::InstrClass::FloatMad);
  const double units = s.units.of(t.unit) * (s.sub_core ? s.schedulers : 1u);
  const double by_units = units / std::max(t.interval, 1u);
  const std::uint32_t slots = s.count == sm::Counting::AsPtx ? 1 : std::max(t.slots, 1u);
  const double by_issue = static_cast<double>(s.schedulers * s.issue_width) / slots;
  return 32 * std::min(by_units, by_issue);
}

}  // namespace

PeakRates peak_rates(const GpuSpec& spec) {
  const double core = static_cast<double>(spec.gpu.clock.count()), sms = spec.sms();
  const dram::DramSpec& d = spec.partition.dram;
  PeakRates r;
  r.warp_instructions = sms * spec.sm.schedulers * spec.sm.issue_width * core;
  r.fp32_instructions = sms * fp32_per_sm_cycle(spec.sm) * core;
  const std::uint64_t line = spec.l1.tags.line.count(), port = spec.l1.port_bytes.count();
  constexpr std::uint64_t kBankBytes = 4;
  const std::uint64_t per_cycle =
      spec.sm.banked_data ? spec.sm.shared.banks * kBankBytes : spec.sm.lines_per_cycle * line;
  if (spec.l1.enabled) {
    const mem::AddressMap map(spec.memory);
    const hierarchy::L1Setting setting = spec.l1_setting(map);
    const double networks = spec.organization.design->peak_hits(setting);
    r.l1_bytes = sms * static_cast<double>(port == 0 ? per_cycle : std::min(per_cycle, port)) * core;
    if (networks != 0) r.l1_bytes = std::min(r.l1_bytes, networks * core);
  }
  r.request_bytes = network_bytes(spec, noc::Direction::Request);
  r.reply_bytes = network_bytes(spec, noc::Direction::Reply);
  if (spec.l2().enabled)
    r.l2_port_bytes = static_cast<double>(spec.slices() * spec.l2().port.count()) *
                      hertz(spec.partition.l2_clock, spec.gpu.clock);
  r.dram_bytes = static_cast<double>(std::uint64_t{spec.memory.partitions} * spec.partition.channels *
                                     d.bus.count() * d.transfers_per_tick) *
                 static_cast<double>(d.clock.count());
  return r;
}

}  // namespace heddle::gpu
