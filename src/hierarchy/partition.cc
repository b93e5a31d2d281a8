#include "hierarchy/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"

namespace heddle::hierarchy {

using mem::SectorMask;
using sim::Cycle;
using sim::kNever;

namespace {

// What comes back from DRAM with a read: slice, MSHR and sectors; all ones for a write.
constexpr std::uint32_t kWrite = ~0u;
constexpr std::uint32_t id_of(std::uint32_t slice, std::uint32_t entry, SectorMask sectors) {
  return slice << 24 | entry << 8 | sectors;
}

// The lowest run of adjacent sectors.
SectorMask first_run(SectorMask m) {
  const std::uint32_t low = m & (~std::uint32_t{m} + 1);
  return static_cast<SectorMask>(m & ~(m + low));
}

}  // namespace

Partition::Partition(const PartitionSpec& spec, std::uint32_t index, const Surroundings& around)
    : spec_(spec),
      index_(index),
      around_(around),
      name_(fmt::format("partition {}", index)),
      l2_clock_(spec.l2_clock.count() == 0 ? sim::Clock() : sim::Clock(spec.l2_clock, around.core)),
      dram_clock_(spec.dram.clock, around.core) {
  const mem::AddressMapSpec& map = around.map->spec();
  if (map.banks != spec.channels * spec.dram.banks)
    throw Error(fmt::format("the address map has {} banks in a partition, its DRAM channels have {} x {}",
                            map.banks, spec.channels, spec.dram.banks));
  if (map.slices > 64) throw Error("a partition has at most 64 slices");
  for (std::uint32_t i = 0; i < map.slices; ++i) slices_.emplace_back(spec.l2, around.atomics);
  for (std::uint32_t i = 0; i < spec.channels; ++i) drams_.emplace_back(spec.dram);
  const std::size_t ports = around.in.size();
  if (around.out.size() != ports || (ports != 1 && ports != map.slices))
    throw Error("a partition has one network port, or one per slice, in each direction");
  input_.resize(ports);
  output_.resize(ports);
  for (std::uint32_t p = 0; p < ports; ++p) reply_turn_.push_back(p);
}

Cycle Partition::run(Cycle from, Cycle until) {
  Tick t = std::max(next_tick_, l2_clock_.tick_from(from));
  for (;;) {
    const Cycle now = t == kNever ? kNever : l2_clock_.cycle_of(t);
    if (now >= until) return now;
    tick(t);
    next_tick_ = t + 1;
    t = next(t);
  }
}

void Partition::tick(Tick t) {
  const Cycle now = l2_clock_.cycle_of(t);
  advance_dram(now);
  take_packets(t, now);
  for (cache::L2Slice& s : slices_) s.step(t);
  send_to_dram(now);
  send_reply(t, now);
}

// Data finished by now reach their slices.
void Partition::advance_dram(Cycle now) {
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) {
    if (d.next <= to) d.next = d.channel.run(to, to, d.finished);
    // A tick that is not before `now` may begin later.
    for (; d.handed < d.finished.size(); ++d.handed) {
      const dram::Finished& f = d.finished[d.handed];
      if (dram_clock_.cycle_of(f.at) > now) break;
      if (f.id == kWrite) continue;
      slices_[f.id >> 24].filled(f.id >> 8 & 0xffff, static_cast<SectorMask>(f.id));
    }
    if (d.handed != d.finished.size()) continue;
    d.finished.clear();
    d.handed = 0;
  }
}

// In order: a packet whose slice has no room holds up those behind it.
void Partition::take_packets(Tick t, Cycle now) {
  for (std::size_t p = 0; p < around_.in.size(); ++p) {
    PacketChannel& in = *around_.in[p];
    bool blocked = false;
    while (in.ready(now)) {
      const mem::Request& r = in.front().request;
      cache::L2Slice& slice = slices_[r.slice % slices_.size()];
      blocked = !slice.can_accept();
      if (blocked) break;
      slice.push(r, around_.map->local(r.line));
      ++stats_.packets_in;
      in.pop();
    }
    input_[p].count(t, blocked, stats_.input_blocked);
  }
}

void Partition::send_to_dram(Cycle now) {
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) d.refused = false;
  refused_slices_ = 0;
  const auto n = static_cast<std::uint32_t>(slices_.size());
  bool any = false;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t slice = memory_turn_ + i < n ? memory_turn_ + i : memory_turn_ + i - n;
    if (slices_[slice].wants_memory()) any |= send_one(slice, to);
  }
  // Turns change with what is sent, not with time: skipped cycles must not matter.
  if (any) memory_turn_ = memory_turn_ + 1 < n ? memory_turn_ + 1 : 0;
}

// Adjacent sectors of a line are one transfer.
bool Partition::send_one(std::uint32_t slice, dram::Tick now) {
  cache::L2Slice& s = slices_[slice];
  const cache::MemoryAccess& a = s.memory();
  const SectorMask run = first_run(a.sectors);
  const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(run)) * mem::kSectorBytes;
  const auto gpu_slice = static_cast<std::uint32_t>(index_ * slices_.size() + slice);
  const mem::Location at = around_.map->locate(around_.map->global(gpu_slice, a.line + first));
  Dram& d = drams_[at.bank / spec_.dram.banks];
  if (!d.channel.can_accept()) {
    d.refused = true;
    refused_slices_ |= std::uint64_t{1} << slice;
    return false;
  }
  const std::uint32_t id = a.write ? kWrite : id_of(slice, a.entry, run);
  d.channel.push(now, {id, at.bank % spec_.dram.banks, at.row, at.column,
                       mem::sector_count(run) * mem::kSectorBytes, a.write});
  d.next = std::min(d.next, now);
  s.sent(run);
  return true;
}

// Slices that share a port take turns.
void Partition::send_reply(Tick t, Cycle now) {
  const auto n = static_cast<std::uint32_t>(slices_.size());
  const auto ports = static_cast<std::uint32_t>(around_.out.size());
  for (std::uint32_t p = 0; p < ports; ++p) {
    bool blocked = false;
    std::uint32_t slice = reply_turn_[p];
    for (std::uint32_t i = 0; i < n; i += ports, slice = slice + ports < n ? slice + ports : p) {
      cache::L2Slice& s = slices_[slice];
      if (s.next_reply() > t) continue;
      blocked = !around_.out[p]->can_send();
      if (blocked) break;
      const mem::Request& r = s.reply();
      const auto port = static_cast<std::uint16_t>(index_ * ports + p);
      around_.out[p]->send(now, {r, port, r.cluster, mem::flits(around_.reply_format, r), 0});
      ++stats_.packets_out;
      s.pop_reply();
      reply_turn_[p] = slice + ports < n ? slice + ports : p;
      break;
    }
    output_[p].count(t, blocked, stats_.output_blocked);
  }
}

// The next L2 cycle after `t` in which something can happen.
Partition::Tick Partition::next(Tick t) const {
  Tick n = kNever;
  const auto by = [&](Cycle c) {
    if (c != kNever) n = std::min(n, std::max(l2_clock_.tick_from(c), t + 1));
  };
  const std::size_t ports = around_.in.size();
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const cache::L2Slice& s = slices_[i];
    n = std::min(n, s.next(t));
    if (s.wants_memory() && (refused_slices_ >> i & 1) == 0) n = t + 1;
    // A reply that stands at a closed exit waits for the network.
    if (s.next_reply() > t || !output_[i % ports].now) n = std::min(n, std::max(s.next_reply(), t + 1));
  }
  for (std::size_t p = 0; p < ports; ++p) {
    if (!input_[p].now)
      by(around_.in[p]->next_arrival());
    else if (slices_[around_.in[p]->front().request.slice % slices_.size()].can_accept())
      n = t + 1;
  }
  if (n == t + 1) return n;
  for (const Dram& d : drams_) by(dram_wakes(d));
  return n;
}

// When the partition must look at the channel again.
Cycle Partition::dram_wakes(const Dram& d) const {
  // Room appears when a command has been issued: seen from the cycle after.
  const Cycle room = d.refused ? dram_clock_.cycle_of(d.next) + 1 : kNever;
  const dram::Tick answer = d.handed < d.finished.size() ? d.finished[d.handed].at : d.channel.next_answer();
  return answer == dram::kNever ? room : std::min(room, dram_clock_.cycle_of(answer));
}

bool Partition::idle() const {
  return std::all_of(slices_.begin(), slices_.end(), [](const auto& s) { return s.idle(); }) &&
         std::all_of(drams_.begin(), drams_.end(),
                     [](const Dram& d) { return d.channel.waiting() == 0 && d.handed == d.finished.size(); });
}

void Partition::preload(std::uint64_t line) {
  assert(around_.map->slice(line) / slices_.size() == index_);
  slices_[around_.map->slice(line) % slices_.size()].preload(around_.map->local(line));
}

void Partition::kernel_end() {
  if (spec_.kernel_end == KernelEnd::Flush)
    for (cache::L2Slice& s : slices_) s.flush();
}

void Partition::settle(Cycle now) {
  assert(idle());
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) d.next = d.channel.run(to, to, d.finished);
}

void Partition::clear_statistics() {
  stats_ = {};
  for (cache::L2Slice& s : slices_) s.clear_statistics();
  for (Dram& d : drams_) d.channel.clear_statistics();
}

std::string Partition::waits() const {
  std::string out;
  const auto line = [&](std::string text) {
    if (!text.empty()) out += (out.empty() ? "" : "\n") + std::move(text);
  };
  for (std::size_t i = 0; i < slices_.size(); ++i)
    if (!slices_[i].idle()) line(fmt::format("L2 slice {}: {}", i, slices_[i].waits()));
  for (std::size_t i = 0; i < drams_.size(); ++i)
    if (drams_[i].channel.waiting() != 0) line(fmt::format("DRAM {}: {}", i, drams_[i].channel.waits()));
  for (std::size_t p = 0; p < input_.size(); ++p) {
    if (input_[p].now) line(fmt::format("port {}: the next packet waits for room in its slice", p));
    if (output_[p].now) line(fmt::format("port {}: replies wait for room in the reply network", p));
  }
  return out;
}

}  // namespace heddle::hierarchy
