#include "sm/load_store_unit.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <fmt/format.h>

namespace heddle::sm {
namespace {

using sim::Cycle;
using workload::WarpAccess;

// A store's answer needs no record: its token is the warp and which of those in its slot.
constexpr std::uint32_t kStoreToken = 0x8000'0000u;
constexpr std::uint32_t store_token(unsigned warp, std::uint32_t launch) {
  return kStoreToken | launch << 8 | warp;
}

// Local memory as the memory system sees it: each warp slot of each SM has its own region.
constexpr std::uint64_t kLocalBase = 0x0060'0000'0000;
constexpr std::uint64_t kLocalPerWarp = std::uint64_t{1} << 24;

mem::Space memory_space(WarpAccess::Space s) {
  return s == WarpAccess::Space::Local     ? mem::Space::Local
         : s == WarpAccess::Space::Texture ? mem::Space::Texture
                                           : mem::Space::Global;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const SmSpec& spec, std::uint32_t sm, std::uint32_t line_bytes,
                             LsuClient& client, SmStats& stats)
    : spec_(spec),
      sm_(sm),
      line_bytes_(line_bytes),
      client_(client),
      stats_(stats),
      constants_(spec.constant_cache.count()),
      // A generic access may have several parts, so there is room for more than the queue's limit. Most touch
      // few lines: room for the worst of them would never be used.
      queue_(spec.lsu_queue + 8),
      requests_(queue_.capacity() * 32) {
  records_.resize(spec.in_flight);
  next_free_.resize(spec.in_flight);
  for (std::uint32_t i = spec.in_flight; i-- > 0;) {
    next_free_[i] = free_records_;
    free_records_ = i;
  }
}

void LoadStoreUnit::connect(mem::L1Port& port, std::uint32_t line_bytes) {
  port_ = &port;
  line_bytes_ = line_bytes;
}

std::uint32_t LoadStoreUnit::take_record() {
  const std::uint32_t r = free_records_;
  free_records_ = next_free_[r];
  ++in_flight_;
  return r;
}

std::uint32_t LoadStoreUnit::issue(Cycle now, unsigned warp, std::uint32_t launch,
                                   const workload::StaticInstr& instr, std::span<const WarpAccess> accesses,
                                   std::uint32_t& acknowledgements) {
  const bool bulk = accesses[0].sizes != nullptr;
  std::uint32_t loads = 0;
  for (const WarpAccess& a : accesses) loads += a.kind != WarpAccess::Kind::Store;
  std::uint32_t record = kNone;
  if (loads != 0 || bulk) {
    record = take_record();
    InFlight& r = records_[record];
    r.kind = WarpAccess::Kind::Load;
    r.warp = static_cast<std::uint8_t>(warp);
    r.n_dst = instr.n_dst;
    r.parts = static_cast<std::uint8_t>(accesses.size());
    // An asynchronous copy loads from one space and stores to another: its record is that of a load.
    r.copy = loads != accesses.size() ? Copy::Lanes : Copy::None;
    r.payload = 0;
    r.outstanding = 0;
    r.memory = false;
    r.issued = now;
    r.ready = 0;
    std::copy(instr.dst.begin(), instr.dst.end(), r.dst.begin());
    for (const WarpAccess& a : accesses) {
      if (a.kind == WarpAccess::Kind::Store) continue;
      r.kind = a.kind;
      if (a.space == WarpAccess::Space::Global) r.payload = a.payload;
    }
    if (bulk) {
      add_bulk(now, record, accesses[0]);
      return record;
    }
  }
  for (const WarpAccess& a : accesses) add_part(now, warp, launch, record, a, acknowledgements);
  // Parts of a texture's filter are one instruction; those of a generic access are counted by space.
  if (accesses.size() > 1 && accesses[0].space == WarpAccess::Space::Texture)
    stats_.texture.instructions -= accesses.size() - 1;
  return record;
}

bool LoadStoreUnit::add_target(std::uint32_t record, workload::RegisterId reg) {
  InFlight& r = records_[record];
  if (r.n_dst == InFlight::kMaxTargets || r.kind != WarpAccess::Kind::Load) return false;
  r.dst[r.n_dst++] = reg;
  return true;
}

AccessStats& LoadStoreUnit::stats_of(const WarpAccess& a) {
  if (a.kind == WarpAccess::Kind::Atomic || a.kind == WarpAccess::Kind::Reduce) return stats_.atomic;
  if (a.space == WarpAccess::Space::Texture) return stats_.texture;
  const bool load = a.kind == WarpAccess::Kind::Load;
  if (a.space == WarpAccess::Space::Local) return load ? stats_.local_load : stats_.local_store;
  return load ? stats_.global_load : stats_.global_store;
}

void LoadStoreUnit::add_part(Cycle now, unsigned warp, std::uint32_t launch, std::uint32_t record,
                             const WarpAccess& access, std::uint32_t& acknowledgements) {
  Entry& e = queue_.push();
  e = {};
  e.warp = static_cast<std::uint8_t>(warp);
  e.record = record;
  e.launch = launch;
  switch (access.space) {
    case WarpAccess::Space::Shared:
      e.part = Part::Shared;
      e.passes = static_cast<std::uint16_t>(shared_passes(access, spec_.shared_banks));
      e.latency = spec_.shared_latency;
      ++stats_.shared_instructions;
      stats_.shared_passes += e.passes;
      break;
    case WarpAccess::Space::Constant:
    case WarpAccess::Space::Param:
      add_constant(e, access);
      break;
    default:
      add_requests(now, e, access, record != kNone ? record : store_token(warp, launch));
      if (record == kNone) acknowledgements += e.requests;
      if (record != kNone) records_[record].memory = true;
  }
}

// Counted as if lanes had copied 16 bytes each. The other side is shared memory, which takes what comes.
void LoadStoreUnit::add_bulk(Cycle now, std::uint32_t record, const WarpAccess& access) {
  InFlight& r = records_[record];
  const bool load = access.kind == WarpAccess::Kind::Load;
  const bool shared = access.space == WarpAccess::Space::Shared;
  r.kind = access.kind;
  r.copy = load ? Copy::Bulk : Copy::BulkStore;
  r.payload = access.payload;
  r.parts = 0;  // ranges: a lane each
  AccessStats& stats = stats_of(access);
  if (!shared) ++stats.instructions;
  ++stats_.shared_instructions;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint64_t at = access.address[lane], bytes = access.sizes[lane];
    if (bytes == 0) continue;
    if (!shared) stats.lanes += bytes / 16;
    stats_.shared_passes += (bytes + 127) / 128;
    bulk_.add({at, at + bytes, record, now, load ? mem::Op::Read : mem::Op::Write, shared});
    ++r.parts;
  }
  if (r.parts == 0) bulk_.land(now + 1, record);
}

// Lanes that read different lines of the constant cache are served one after another.
void LoadStoreUnit::add_constant(Entry& e, const WarpAccess& access) {
  e.part = Part::Constant;
  e.latency = spec_.constant_latency;
  ++stats_.constant_accesses;
  if (access.space == WarpAccess::Space::Param) return;  // uniform by nature
  std::uint64_t last = ~std::uint64_t{0};
  std::uint32_t passes = 0;
  bool miss = false;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const std::uint64_t address = access.address[std::countr_zero(m)];
    if (address == last) continue;
    last = address;
    ++passes;
    if (constants_.access(address)) continue;
    ++stats_.constant_misses;
    miss = true;
  }
  e.passes = static_cast<std::uint16_t>(std::max(1u, passes));
  if (miss) e.latency += spec_.constant_miss_latency;
}

void LoadStoreUnit::add_requests(Cycle now, Entry& e, const WarpAccess& access, std::uint32_t token) {
  if (access.space == WarpAccess::Space::Local)
    coalesce_local(access, kLocalBase + (std::uint64_t{sm_} * 64 + e.warp) * kLocalPerWarp, line_bytes_,
                   lines_, spec_.segments);
  else
    coalesce(access, line_bytes_, lines_, spec_.segments);
  const bool atomic = access.kind == WarpAccess::Kind::Atomic || access.kind == WarpAccess::Kind::Reduce;
  AccessStats& stats = stats_of(access);
  ++stats.instructions;
  stats.lanes += static_cast<std::uint64_t>(std::popcount(access.mask));
  stats.lines += lines_.count;
  e.requests = lines_.count;
  requests_.reserve(requests_.size() + lines_.count);
  for (std::uint32_t i = 0; i < lines_.count; ++i) {
    const LineAccess& l = lines_.line[i];
    stats.sectors += mem::sector_count(l.sectors);
    mem::Request& r = requests_.push();
    r = {};
    r.line = l.line;
    r.born = now;
    r.token = token;
    r.words = atomic ? l.lanes : l.words;
    r.sm = static_cast<std::uint16_t>(sm_);
    r.payload = access.payload;
    r.op = atomic ? mem::Op::Atomic : access.kind == WarpAccess::Kind::Store ? mem::Op::Write : mem::Op::Read;
    r.space = memory_space(access.space);
    r.sectors = l.sectors;
    r.partial_write = l.partial;
    r.no_l1 = access.cache == WarpAccess::Cache::L2Only;
  }
}

void LoadStoreUnit::step(Cycle now) {
  if (bulk_.idle()) [[likely]]
    step_queue(now, spec_.lines_per_cycle);
  else
    step_both(now);
}

// Where both have something to send, bulk copies and other instructions take turns.
void LoadStoreUnit::step_both(Cycle now) {
  bulk_.landed(now, [&](std::uint32_t record) { finish(record); });
  for (std::uint32_t n = 0; n < spec_.lines_per_cycle; ++n) {
    const bool others = !queue_.empty() && busy_until_ <= now && blocked_until_ <= now;
    const bool bulk = bulk_.can_send(now) && (bulk_turn_ || !others);
    bulk_turn_ = !bulk;
    if (bulk)
      send_bulk(now);
    else
      step_queue(now, 1);
  }
}

void LoadStoreUnit::send_bulk(Cycle now) {
  const BulkCopies::Range& head = bulk_.head();
  const std::uint32_t record = head.record;
  Cycle ready = 0;
  if (head.shared) {
    ready = now + spec_.shared_latency;
  } else {
    mem::Request r = bulk_.request(line_bytes_);
    r.sm = static_cast<std::uint16_t>(sm_);
    const mem::L1Port::Answer answer = port_->access(now, r);
    if (answer.outcome == mem::L1Port::Outcome::Blocked) {
      bulk_.block(port_->retry_at(now));
      return;
    }
    if (meter_ != nullptr && mem::is_global_read(r))
      meter_->request(now, r.line, answer.outcome == mem::L1Port::Outcome::Pending);
    AccessStats& stats = r.op == mem::Op::Read ? stats_.global_load : stats_.global_store;
    ++stats.lines;
    stats.sectors += mem::sector_count(r.sectors);
    ++stats_.requests_sent;
    if (answer.outcome == mem::L1Port::Outcome::Hit) {
      ++stats_.hits_at_once;
      ready = answer.ready;
    } else {
      ++records_[record].outstanding;
    }
  }
  InFlight& r = records_[record];
  r.ready = std::max(r.ready, ready);
  if (bulk_.sent(line_bytes_)) part_sent(now, record, ready);
}

void LoadStoreUnit::step_queue(Cycle now, std::uint32_t lines) {
  for (std::uint32_t n = 0; n < lines; ++n) {
    if (queue_.empty() || busy_until_ > now || blocked_until_ > now) return;
    Entry& head = queue_.front();
    if (head.part != Part::Requests) {
      busy_until_ = now + head.passes;
      if (head.record != kNone) part_sent(now, head.record, now + head.latency + head.passes - 1);
      queue_.pop();
      return;
    }
    if (!send_head(now, head)) return;
  }
}

// One line request to the L1; false when it is blocked.
bool LoadStoreUnit::send_head(Cycle now, Entry& head) {
  const mem::Request& r = requests_.front();
  const mem::L1Port::Answer answer = port_->access(now, r);
  if (answer.outcome == mem::L1Port::Outcome::Blocked) {
    ++stats_.lsu_blocked_cycles;
    blocked_until_ = port_->retry_at(now);
    return false;
  }
  if (meter_ != nullptr && mem::is_global_read(r))
    meter_->request(now, r.line, answer.outcome == mem::L1Port::Outcome::Pending);
  ++stats_.requests_sent;
  requests_.pop();
  if (answer.outcome == mem::L1Port::Outcome::Hit) {
    ++stats_.hits_at_once;
    if (head.record != kNone)
      records_[head.record].ready = std::max(records_[head.record].ready, answer.ready);
    else
      client_.acknowledged(head.warp, head.launch, now);  // a store that the L1 keeps
  } else if (head.record != kNone) {
    ++records_[head.record].outstanding;
  }
  if (--head.requests == 0) {
    const std::uint32_t record = head.record;
    queue_.pop();
    if (record != kNone) part_sent(now, record, 0);
  }
  return true;
}

void LoadStoreUnit::part_sent(Cycle now, std::uint32_t record, Cycle ready) {
  InFlight& r = records_[record];
  r.ready = std::max(r.ready, ready);
  --r.parts;
  arrived(now, record);
}

// Copies are complete when the last byte is there: others may look for it. Registers have a time.
void LoadStoreUnit::arrived(Cycle now, std::uint32_t record) {
  const InFlight& r = records_[record];
  if (r.parts != 0 || r.outstanding != 0) return;
  if (r.copy != Copy::None && r.ready > now)
    bulk_.land(r.ready, record);
  else
    finish(record);
}

void LoadStoreUnit::finish(std::uint32_t record) {
  const InFlight& r = records_[record];
  if (r.memory && r.kind == WarpAccess::Kind::Load) {  // bulk copies would hide what a load takes
    stats_.load_latency_sum += r.ready - r.issued;
    ++stats_.loads_completed;
  }
  client_.completed(r, record, r.ready);
  next_free_[record] = free_records_;
  free_records_ = record;
  --in_flight_;
}

void LoadStoreUnit::reply(Cycle now, const mem::Request& request) {
  ++stats_.replies_received;
  if (meter_ != nullptr && mem::is_global_read(request)) meter_->answer(request.line);
  if ((request.token & kStoreToken) != 0) {
    client_.acknowledged(request.token & 0xff, (request.token & ~kStoreToken) >> 8, now);
    return;
  }
  InFlight& r = records_[request.token];
  r.ready = std::max(r.ready, now);
  --r.outstanding;
  arrived(now, request.token);
}

Cycle LoadStoreUnit::next(Cycle now) const {
  const Cycle bulk = bulk_.idle() ? sim::kNever : bulk_.next(now);
  if (queue_.empty()) return bulk;
  return std::min(bulk, std::max({now + 1, busy_until_, blocked_until_}));
}

Cycle LoadStoreUnit::oldest_atomic() const {
  Cycle oldest = sim::kNever;
  for (const InFlight& r : records_)
    if (r.atomic() && r.parts + r.outstanding != 0) oldest = std::min(oldest, r.issued);
  return oldest;
}

std::string LoadStoreUnit::waits() const {
  if (idle()) return {};
  std::string out =
      fmt::format("load/store unit: {} instructions queued, {} under way", queue_.size(), in_flight_);
  if (!queue_.empty() && queue_.front().part == Part::Requests) {
    const mem::Request& r = requests_.front();
    out += fmt::format("; the first, of warp {}, wants line {:#x}{}", queue_.front().warp, r.line,
                       blocked_until_ != 0 ? " and the L1 is blocked" : "");
  }
  return out;
}

}  // namespace heddle::sm
