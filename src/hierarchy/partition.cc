#include "hierarchy/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "mem/routing.h"

namespace heddle::hierarchy {

using mem::SectorMask;
using sim::Cycle;
using sim::kNever;

namespace {

// What comes back from DRAM with a read, and with a write that is awaited: slice, MSHR or acknowledgement,
// and sectors.
constexpr std::uint32_t kNobody = ~0u;  // waits for the end of this access
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
      dram_clock_(spec.dram.clock, around.core),
      delays_(spec.dram.delay != 0),
      in_flits_(around.reply_format.buffers == mem::BufferUnit::Flits) {
  const mem::AddressMapSpec& map = around.map->spec();
  if (map.banks != spec.channels * spec.dram.banks)
    throw Error(fmt::format("the address map has {} banks in a partition, its DRAM channels have {} x {}",
                            map.banks, spec.channels, spec.dram.banks));
  if (map.slices > 255) throw Error("a partition has at most 255 slices");
  assert(around.in.size() == map.slices && around.out.size() == map.slices);
  const cache::L2Side side{2 * index / map.partitions, (around.clusters + 1) / 2};
  for (std::uint32_t i = 0; i < map.slices; ++i)
    slices_.emplace_back(spec.l2, around.atomics, side, around.in[i], around.out[i]);
  for (std::uint32_t i = 0; i < spec.channels; ++i) drams_.emplace_back(spec.dram);
}

void Partition::measure(Cycle window) {
  const Tick l2_window = window * l2_clock_.ticks() / l2_clock_.cycles();
  meters_ = std::make_unique<Meters>(Meters{{}, {}, mem::PotentialMeter(window)});
  meters_->packets.assign(slices_.size(), mem::PotentialMeter(window));
  meters_->l2_misses.assign(slices_.size(), mem::PotentialMeter(l2_window));
  for (std::size_t i = 0; i < slices_.size(); ++i) slices_[i].l2.measure(&meters_->l2_misses[i]);
}

Cycle Partition::run(Cycle from, Cycle until) {
  Tick t = std::max(next_tick_, l2_clock_.tick_from(from));
  for (;;) {
    const Cycle now = t == kNever ? kNever : l2_clock_.cycle_of(t);
    if (now >= until) return now;
    next_tick_ = t + 1;
    t = tick(t, now);
  }
}

// Returns the next L2 cycle in which something can happen.
Partition::Tick Partition::tick(Tick t, Cycle now) {
  if (now >= dram_due_) advance_dram(t, now);
  for (std::uint32_t i = 0; i < slices(); ++i)
    if (slices_[i].in->ready(now)) take_packets(i, t, now);
  bool wants = false, replies = false;
  for (Slice& s : slices_) {
    if (s.due <= t) step(s, t, now);
    wants |= s.l2.wants_memory();
    replies |= s.l2.next_reply() <= t;
  }
  if (wants) send_to_dram(t, now);
  if (replies)
    for (std::uint32_t i = 0; i < slices(); ++i)
      if (slices_[i].l2.next_reply() <= t) send_reply(i, t, now);
  return next(t);
}

// What it looked up leaves its queue.
void Partition::step(Slice& s, Tick t, Cycle now) {
  const std::uint32_t before = s.l2.queued();
  s.l2.step(t);
  for (std::uint32_t n = s.l2.queued(); n < before; ++n) s.in->give_back(now);
  s.due = s.l2.next(t);
}

// Issues commands before `to`, the first tick from `now` on.
void Partition::run_dram(Dram& d, dram::Tick to, Cycle now) {
  if (d.next <= to) d.next = d.channel.run(to, to, d.finished);
  if (delays_) [[unlikely]]
    enter_queue(d, to, now);
}

// What has been on its way long enough; as with what is finished, its tick must have begun.
void Partition::enter_queue(Dram& d, dram::Tick to, Cycle now) {
  while (!d.delayed.empty() && dram_clock_.cycle_of(d.delayed.front().ready) <= now &&
         d.channel.can_accept(d.delayed.front().transfer.bank)) {
    push(d, to, d.delayed.front().transfer);
    d.delayed.pop();
  }
}

void Partition::push(Dram& d, dram::Tick tick, const dram::Transfer& transfer) {
  d.channel.push(tick, transfer);
  d.next = std::min(d.next, tick);
}

void Partition::advance_dram(Tick t, Cycle now) {
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) {
    run_dram(d, to, now);
    hand_over(d, t, now);
  }
  dram_due_ = dram_wakes();
}

// Data finished by now reach their slices.
void Partition::hand_over(Dram& d, Tick t, Cycle now) {
  // A tick that is not before `now` may begin later.
  for (; d.handed < d.finished.size(); ++d.handed) {
    const dram::Finished& f = d.finished[d.handed];
    if (dram_clock_.cycle_of(f.at) > now) break;
    if (f.write) last_write_ = std::max(last_write_, f.at);
    if (f.id == kNobody) continue;
    Slice& s = slices_[f.id >> 24];
    const std::uint32_t entry = f.id >> 8 & 0xffff;
    if (f.write)
      s.l2.written(entry, static_cast<SectorMask>(f.id));
    else
      s.l2.filled(entry, static_cast<SectorMask>(f.id));
    s.due = t;
  }
  if (d.handed != d.finished.size()) return;
  d.finished.clear();
  d.handed = 0;
}

void Partition::take_packets(std::uint32_t slice, Tick t, Cycle now) {
  Slice& s = slices_[slice];
  do {
    const mem::Request& r = s.in->front().request;
    assert(r.slice == around_.map->slice_of(index_, slice));
    if (meters_ != nullptr && mem::is_global_read(r)) meters_->packets[slice].request(now, r.line, true);
    s.l2.push(r, around_.map->local(r.line));
    ++stats_.packets_in;
    if (r.op == mem::Op::Read) count_read(t, 1);
    stats_.posted += r.posted ? 1 : 0;
    s.in->take();
  } while (s.in->ready(now));
  s.due = t;
}

void Partition::send_to_dram(Tick t, Cycle now) {
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) {
    d.refused = false;
    if (d.next < to || (delays_ && !d.delayed.empty())) run_dram(d, to, now);
  }
  bool any = false;
  std::uint32_t slice = memory_turn_;
  for (std::size_t i = 0; i < slices_.size(); ++i, slice = after(slice)) {
    Slice& s = slices_[slice];
    if (!s.l2.wants_memory()) continue;
    const bool sent = send_one(slice, to, now);
    s.refused = !sent;
    if (sent) s.due = s.l2.next(t);
    any |= sent;
  }
  // Turns change with what is sent, not with time: skipped cycles must not matter.
  if (any) memory_turn_ = after(memory_turn_);
  dram_due_ = dram_wakes();
}

// Adjacent sectors of a line are one transfer.
bool Partition::send_one(std::uint32_t slice, dram::Tick tick, Cycle now) {
  cache::L2Slice& s = slices_[slice].l2;
  const cache::MemoryAccess& a = s.memory();
  const SectorMask run = first_run(a.sectors);
  const std::uint32_t first = static_cast<std::uint32_t>(std::countr_zero(run)) * mem::kSectorBytes;
  const mem::AddressMap& map = *around_.map;
  const mem::Location at = map.locate(map.global(map.slice_of(index_, slice), a.line + first));
  Dram& d = drams_[at.bank / spec_.dram.banks];
  const std::uint32_t bank = at.bank % spec_.dram.banks;
  if (!has_room(d, bank)) return false;
  const std::uint32_t id = a.write && !a.awaited ? kNobody : id_of(slice, a.entry, run);
  const std::uint32_t bytes = mem::sector_count(run) * mem::kSectorBytes;
  if (a.global_read) {
    ++stats_.global_transfers;
    if (meters_ != nullptr)
      meters_->rows.request(now, std::uint64_t{at.bank} << 32 | at.row, false,
                            spec_.dram.bursts_of(at.column, bytes));
  }
  const dram::Transfer transfer{id, bank, at.row, at.column, bytes, a.write, a.global_read};
  if (delays_) [[unlikely]] {
    d.delayed.reserve(d.delayed.size() + 1);
    d.delayed.push({tick + spec_.dram.delay, transfer});
  } else {
    push(d, tick, transfer);
  }
  s.sent(run);
  return true;
}

// For one more. What waits for a place in the queue is looked at when there may be one, what waits for a
// credit when an answer comes.
bool Partition::has_room(Dram& d, std::uint32_t bank) const {
  if (!d.channel.can_accept(bank)) {
    d.refused = true;
    return false;
  }
  return spec_.dram.credits == 0 || d.under_way() < spec_.dram.credits;
}

std::uint32_t Partition::flits_of(const mem::Request& reply) const {
  return mem::flits(around_.reply_format, reply);
}

void Partition::send_reply(std::uint32_t slice, Tick t, Cycle now) {
  Slice& s = slices_[slice];
  const mem::Request& r = s.l2.reply();
  const std::uint16_t vc = mem::reply_channel(r, s.out->virtual_channels());
  const std::uint32_t places = places_of(r);
  const bool blocked = !s.out->can_send(now, vc, places);
  if (s.blocked) stats_.output_blocked += t - s.blocked_since;
  s.blocked = blocked;
  s.blocked_since = t;
  if (blocked) return;
  s.out->send(now, mem::reply_packet(r, around_.reply_format, s.out->virtual_channels()), vc, places);
  ++stats_.packets_out;
  if (r.op == mem::Op::Read) {
    ++stats_.reads;
    count_read(t, ~std::uint64_t{0});
  }
  if (meters_ != nullptr && mem::is_global_read(r)) meters_->packets[slice].answer(r.line);
  s.l2.pop_reply();
  s.due = s.l2.next(t);
}

Partition::Tick Partition::next(Tick t) const {
  Tick n = kNever;
  Cycle by = dram_due_;
  for (const Slice& s : slices_) {
    n = std::min(n, s.due);
    if (s.l2.wants_memory() && !s.refused) return t + 1;
    if (s.blocked)  // a reply that stands at a closed exit waits for the network
      by = std::min(by, s.out->room_at(mem::reply_channel(s.l2.reply(), s.out->virtual_channels()),
                                       places_of(s.l2.reply())));
    else
      n = std::min(n, std::max(s.l2.next_reply(), t + 1));
    by = std::min(by, s.in->next_arrival());
  }
  return by == kNever ? n : std::min(n, std::max(l2_clock_.tick_from(by), t + 1));
}

// When DRAM must be looked at again.
Cycle Partition::dram_wakes() const {
  Cycle wake = kNever;
  for (const Dram& d : drams_) {
    // Room appears when a command has been issued: seen from the cycle after.
    if (d.refused) wake = std::min(wake, dram_clock_.cycle_of(d.next) + 1);
    if (delays_) [[unlikely]]
      wake = std::min(wake, enters_queue(d));
    const dram::Tick answer =
        d.handed < d.finished.size() ? d.finished[d.handed].at : d.channel.next_answer();
    if (answer != dram::kNever) wake = std::min(wake, dram_clock_.cycle_of(answer));
  }
  return wake;
}

// When what is first on its way to DRAM's queue may enter it.
Cycle Partition::enters_queue(const Dram& d) const {
  if (d.delayed.empty()) return kNever;
  if (!d.channel.can_accept(d.delayed.front().transfer.bank)) return dram_clock_.cycle_of(d.next) + 1;
  return dram_clock_.cycle_of(d.delayed.front().ready);
}

bool Partition::idle() const {
  return std::all_of(slices_.begin(), slices_.end(), [](const Slice& s) { return s.l2.idle(); }) &&
         std::all_of(drams_.begin(), drams_.end(), [](const Dram& d) { return d.under_way() == 0; });
}

Cycle Partition::stored_until() const {
  Cycle at = 0;
  for (const Slice& s : slices_)
    if (s.l2.last_posted() != 0) at = std::max(at, l2_clock_.cycle_of(s.l2.last_posted()));
  return at == 0 ? 0 : std::max(at, dram_clock_.cycle_of(last_write_)) + 1;
}

void Partition::preload(std::uint64_t line) {
  const std::uint32_t slice = around_.map->slice(line);
  assert(around_.map->partition_of(slice) == index_);
  slices_[around_.map->in_partition(slice)].l2.preload(around_.map->local(line));
}

bool Partition::launch_reads(std::uint64_t line, Cycle now) {
  cache::L2Slice& l2 = slices_[around_.map->in_partition(around_.map->slice(line))].l2;
  if (l2.holds(around_.map->local(line))) return true;
  const mem::Location at = around_.map->locate(line);
  Dram& d = drams_[at.bank / spec_.dram.banks];
  const std::uint32_t bank = at.bank % spec_.dram.banks;
  if (!d.channel.can_accept(bank)) return false;
  const dram::Tick tick = dram_clock_.tick_from(now);
  if (d.next < tick) d.next = d.channel.run(tick, tick, d.finished);
  const auto bytes = static_cast<std::uint32_t>(spec_.l2.tags.line.count());
  push(d, tick, {kNobody, bank, at.row, at.column, bytes, false, false});
  dram_due_ = std::min(dram_due_, now);
  l2.preload(around_.map->local(line));
  return true;
}

void Partition::kernel_end() {
  if (spec_.kernel_end == KernelEnd::Flush)
    for (Slice& s : slices_) s.l2.flush();
}

void Partition::settle(Cycle now) {
  assert(idle());
  const dram::Tick to = dram_clock_.tick_from(now);
  for (Dram& d : drams_) d.next = d.channel.run(to, to, d.finished);
}

void Partition::clear_statistics() {
  stats_ = {};
  for (Slice& s : slices_) s.l2.clear_statistics();
  for (Dram& d : drams_) d.channel.clear_statistics();
  if (meters_ == nullptr) return;
  for (mem::PotentialMeter& m : meters_->packets) m.clear_statistics();
  for (mem::PotentialMeter& m : meters_->l2_misses) m.clear_statistics();
  meters_->rows.clear_statistics();
}

std::string Partition::waits() const {
  std::string out;
  const auto line = [&](std::string text) {
    if (!text.empty()) out += (out.empty() ? "" : "\n") + std::move(text);
  };
  for (std::size_t i = 0; i < slices_.size(); ++i)
    if (!slices_[i].l2.idle()) line(fmt::format("L2 slice {}: {}", i, slices_[i].l2.waits()));
  for (std::size_t i = 0; i < drams_.size(); ++i)
    if (drams_[i].under_way() != 0) {
      const std::uint32_t delayed = drams_[i].delayed.size();
      line(fmt::format("DRAM {}: {}{}", i, drams_[i].channel.waits(),
                       delayed == 0 ? "" : fmt::format("; {} transfers before its queue", delayed)));
    }
  for (std::size_t i = 0; i < slices_.size(); ++i)
    if (slices_[i].blocked) line(fmt::format("L2 slice {}: replies wait for room in the reply network", i));
  return out;
}

}  // namespace heddle::hierarchy
