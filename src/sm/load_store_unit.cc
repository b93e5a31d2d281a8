#include "sm/load_store_unit.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <fmt/format.h>

namespace heddle::sm {
namespace {

using sim::Cycle;
using workload::WarpAccess;

mem::Space memory_space(WarpAccess::Space s) {
  return s == WarpAccess::Space::Local     ? mem::Space::Local
         : s == WarpAccess::Space::Texture ? mem::Space::Texture
                                           : mem::Space::Global;
}

mem::Op operation(WarpAccess::Kind k) {
  return k == WarpAccess::Kind::Load    ? mem::Op::Read
         : k == WarpAccess::Kind::Store ? mem::Op::Write
                                        : mem::Op::Atomic;
}

// Cycles until all lines have been looked up: so many at once, of four in banks of the tags by two sums of
// address bits. The bits are those that give every figure of validation/data/h200_l1_bank.csv (lines; u32 of
// 32 groups); it tells of the first ten.
std::uint32_t tag_passes(const LineList& lines, std::uint32_t line_bytes, std::uint32_t at_once) {
  constexpr std::uint32_t kBanks = 4;
  constexpr std::array<std::uint64_t, 2> kSums = {0b1010110101, 0b0111011010};
  if (at_once != kBanks) return (lines.count + at_once - 1) / at_once;
  std::array<std::uint32_t, kBanks> of_bank{};
  for (std::uint32_t i = 0; i < lines.count; ++i) {
    const std::uint64_t line = lines.line[i].line / line_bytes;
    ++of_bank[static_cast<std::size_t>(std::popcount(line & kSums[0]) & 1) |
              static_cast<std::size_t>(std::popcount(line & kSums[1]) & 1) << 1];
  }
  return *std::max_element(of_bank.begin(), of_bank.end());
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const SmSpec& spec, std::uint32_t sm, LsuClient& client, SmStats& stats)
    : spec_(spec),
      sm_(sm),
      stats_(stats),
      records_(spec.in_flight, client, stats),
      l1_(records_, stats),
      pipe_(spec.lsu_queue, spec.banked_data, records_, l1_, stats),
      constants_(spec.constant_cache.count()),
      uniform_(spec.uniform_cache.count(), spec.uniform_miss_latency, spec.uniform_miss_interval),
      cold_constants_(spec.constant_cold_latency),
      cold_parameters_(spec.parameter_cold_latency) {
  for (unsigned w = 0; w < kMaxWarps; ++w) local_[w] = local_per_warp(sm, w);
  if (spec.textures.there()) {
    textures_.emplace(spec.textures);
    l1_.put_before(&*textures_);
  }
  if (spec.make_front) front_ = spec.make_front(spec.front_place(static_cast<std::uint16_t>(sm), &l1_));
}

void LoadStoreUnit::connect(mem::L1Port& port, const FrontL1& l1) {
  l1_.connect(port);
  line_bytes_ = l1.line_bytes;
  cta_parts_ = l1.cta_parts;
  if (front_ != nullptr) front_->connect(l1);
}

// ---- issue ----------------------------------------------------------------------------------------------

std::uint32_t LoadStoreUnit::issue(Cycle now, unsigned warp, std::uint32_t launch,
                                   const workload::StaticInstr& instr, std::span<const WarpAccess> accesses,
                                   std::uint32_t& acknowledgements) {
  const bool bulk = accesses[0].sizes != nullptr;
  std::uint32_t loads = 0;
  for (const WarpAccess& a : accesses) loads += a.kind != WarpAccess::Kind::Store;
  std::uint32_t record = kNone;
  if (loads != 0 || bulk || !spec_.warp_overlap) {
    record = records_.take();
    InFlight& r = records_[record];
    r.kind = loads != 0 ? WarpAccess::Kind::Load : WarpAccess::Kind::Store;
    r.warp = static_cast<std::uint8_t>(warp);
    r.n_dst = instr.n_dst;
    r.parts = 0;
    // An asynchronous copy loads from one space and stores to another: its record is that of a load.
    r.copy = loads != 0 && loads != accesses.size() ? Copy::Lanes : Copy::None;
    r.payload = 0;
    r.outstanding = 0;
    r.memory = false;
    r.texture = static_cast<std::uint16_t>(texture_latency(accesses));
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
  PartOf of{warp, loads != 0 ? record : Waiter::store(warp, launch), record};
  const bool texture = accesses[0].space == WarpAccess::Space::Texture;
  if (texture) of.texels = static_cast<std::uint32_t>(accesses.size());
  for (const WarpAccess& a : accesses) {
    add_part(now, of, a, acknowledgements);
    of.texel += texture;
  }
  // Those of a generic access are counted by space.
  if (texture) stats_.texture.instructions -= accesses.size() - 1;
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

void LoadStoreUnit::add_part(Cycle now, const PartOf& of, const WarpAccess& access,
                             std::uint32_t& acknowledgements) {
  const std::uint32_t record = of.record;
  switch (access.space) {
    case WarpAccess::Space::Shared:
      if (record != kNone) ++records_[record].parts;
      add_shared(of.warp, record, access);
      break;
    case WarpAccess::Space::Constant:
    case WarpAccess::Space::Param:
      if (record != kNone) ++records_[record].parts;
      if (spec_.constant_uniform_latency != 0 && record != kNone &&
          (access.space == WarpAccess::Space::Param || access.manner == WarpAccess::Manner::Uniform))
        add_uniform(now, of.warp, record, access);
      else
        add_constant(now, of.warp, record, access);
      break;
    default:
      add_lines(now, of, access);
      if (Waiter::is_store(of.token)) {
        acknowledgements += lines_.count;
      } else {
        records_[record].memory = true;
        records_[record].outstanding += lines_.count;
      }
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
    ++r.parts;  // ranges: a lane each
  }
  if (r.parts == 0) records_.land(now + 1, record);
}

// Lanes that read different words of the constant cache are served one after another, those that read the
// same one together.
void LoadStoreUnit::add_constant(Cycle now, unsigned warp, std::uint32_t record, const WarpAccess& access) {
  ++stats_.constant_accesses;
  std::uint32_t words = 0;
  Cycle line_there = 0;                            // the last one that was not
  if (access.space == WarpAccess::Space::Param) {  // uniform by nature
    line_there = parameters_there(now, warp);
  } else {
    std::array<std::uint64_t, 32> seen;
    for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
      const std::uint64_t address = access.address[std::countr_zero(m)];
      // The newest first: neighbours mostly ask for the same.
      std::uint32_t i = words;
      while (i != 0 && seen[i - 1] != address) --i;
      if (i != 0) continue;
      seen[words++] = address;
      if (constants_.access(address)) {
        line_there = std::max(line_there, cold_constants_.there(now, address));
        continue;
      }
      ++stats_.constant_misses;
      if (states_ != nullptr) [[unlikely]]
        states_->constant_missed(warp);
      constants_free_ = std::max(constants_free_, now) + spec_.constant_miss_interval;
      line_there = std::max(
          {line_there, constants_free_ + spec_.constant_miss_latency, cold_constants_.read(now, address)});
    }
  }
  words = std::max(1u, words);
  const auto late = static_cast<std::uint32_t>(line_there > now ? line_there - now : 0);
  const std::uint32_t each = std::max(1u, access.bytes / 8u);  // two words at most at once
  pipe_.add_passes(warp, record, words * each * spec_.constant_interval,
                   spec_.constant_latency + (words - 1) * spec_.constant_word_latency + late);
}

// Parameters come together, with the first one that a kernel reads on the SM.
Cycle LoadStoreUnit::parameters_there(Cycle now, unsigned warp) {
  const Cycle there = cold_parameters_.read(now, 0);
  if (there > now && states_ != nullptr) [[unlikely]]
    states_->constant_missed(warp);
  return std::max(now, there);
}

// Beside the load/store unit.
void LoadStoreUnit::add_uniform(Cycle now, unsigned warp, std::uint32_t record, const WarpAccess& access) {
  ++stats_.constant_accesses;
  Cycle there = now;
  if (access.space == WarpAccess::Space::Param) {
    there = parameters_there(now, warp);
  } else if (access.mask != 0) {
    bool missed = false;
    const std::uint64_t address = access.address[std::countr_zero(access.mask)];
    there = uniform_.read(now, address, missed);
    there =
        std::max(there, missed ? cold_constants_.read(now, address) : cold_constants_.there(now, address));
    stats_.constant_misses += missed;
    if (there > now && states_ != nullptr) [[unlikely]]
      states_->constant_missed(warp);
  }
  InFlight& r = records_[record];
  --r.parts;
  r.ready = there + spec_.constant_uniform_latency;
  records_.land(now + 1, record);
}

// Lanes that meet in a word or a bank one after another. Where there is only compare and swap, rounds of a
// loop: each reads all words that are left and changes one of each bank
// (validation/data/h200_shared_atomics.csv).
void LoadStoreUnit::add_shared(unsigned warp, std::uint32_t record, const WarpAccess& access) {
  std::uint32_t passes = shared_passes(access, spec_.shared), latency = spec_.shared_latency;
  if (access.manner == WarpAccess::Manner::Loop && spec_.shared_loop_latency != 0) {
    const std::uint32_t rounds = access.bytes == 8 ? (passes + 1) / 2 : passes;
    WarpAccess read = access;
    read.kind = WarpAccess::Kind::Load;
    const std::uint32_t words = std::min(rounds, shared_passes(read, spec_.shared));
    const std::uint32_t reads = words * (rounds - words) + words * (words + 1) / 2;
    passes = reads + rounds * spec_.shared_swap_passes;
    const std::uint32_t all =
        rounds * spec_.shared_loop_latency + (reads - rounds) * spec_.shared_pass_latency;
    latency = all > passes ? all - passes : 1;
  } else {
    if (access.manner == WarpAccess::Manner::Swap) {
      passes *= spec_.shared_swap_passes;
      latency += spec_.shared_swap_latency;
    }
    latency += (passes - 1) * (spec_.shared_pass_latency - 1);  // a pass takes a cycle anyway
  }
  ++stats_.shared_instructions;
  stats_.shared_passes += passes;
  pipe_.add_passes(warp, record, passes, latency);
}

std::uint32_t LoadStoreUnit::texture_latency(std::span<const WarpAccess> parts) const {
  if (parts[0].space != WarpAccess::Space::Texture) return 0;
  return spec_.texture_latency + (parts[0].manner == WarpAccess::Manner::Plane ? spec_.plane_latency : 0) +
         (parts.size() > 1 ? spec_.filter_latency : 0);
}

namespace {

// Four lanes at a time, whatever rows they are in; of a row they read 16 bytes from each of two banks in a
// cycle, and with them the neighbours that a filter needs (validation/data/h200_textures.csv). Addresses less
// than 256 bytes apart are taken for one row. The unit's interval has the cycles without conflicts.
std::uint32_t texel_passes(const WarpAccess& access) {
  constexpr std::uint64_t kRow = 256, kBank = 16;
  constexpr unsigned kQuad = 4;
  std::uint32_t total = 0, quads = 0;
  for (unsigned first = 0; first < 32; first += kQuad) {
    std::array<std::uint64_t, kQuad> place;
    unsigned n = 0;
    for (unsigned lane = first; lane < first + kQuad; ++lane)
      if ((access.mask >> lane & 1) != 0) place[n++] = access.address[lane] / kBank;
    if (n == 0) continue;
    std::sort(place.begin(), place.begin() + n);
    std::array<std::uint32_t, 2> of_row{};  // by bank
    std::uint32_t most = 1;
    for (unsigned i = 0; i < n; ++i) {
      if (i != 0 && place[i] == place[i - 1]) continue;
      if (i != 0 && place[i] - place[i - 1] >= kRow / kBank) of_row = {};
      most = std::max(most, ++of_row[place[i] % 2]);
    }
    total += most;
    ++quads;
  }
  return total > quads ? total : 1;
}

}  // namespace

// Over the banks of the L1's data, which are those of shared memory. Words of local memory lie side by side,
// a lane's always in the same bank. Stores leave line by line, in two cycles at least. Tags are looked up
// bank by bank where lanes have a word each, else so many lines at once (validation/data/h200_l1_bank.csv).
std::uint32_t LoadStoreUnit::data_passes(const PartOf& of, const WarpAccess& access) const {
  if (!spec_.banked_data || operation(access.kind) == mem::Op::Atomic) return 1;
  if (access.kind == WarpAccess::Kind::Store) return std::max(2u, lines_.count);
  if (access.manner == WarpAccess::Manner::Plane) {
    if (of.texel != 0) return 1;
    const std::uint32_t passes = texel_passes(access);
    return passes >= of.texels ? passes - of.texels + 1 : 1;
  }
  if (lines_.count == 1 && access.bytes <= 4) return 1;
  if (access.space == WarpAccess::Space::Local) return std::max(1u, access.bytes / 4u);
  const std::uint32_t lookups = access.bytes <= 4
                                    ? tag_passes(lines_, line_bytes_, spec_.lines_per_cycle)
                                    : (lines_.count + spec_.lines_per_cycle - 1) / spec_.lines_per_cycle;
  return std::max(lookups, shared_passes(access, spec_.shared));
}

void LoadStoreUnit::count_lines(const WarpAccess& access) {
  AccessStats& stats = stats_of(access);
  ++stats.instructions;
  stats.lanes += static_cast<std::uint64_t>(std::popcount(access.mask));
  stats.lines += lines_.count;
  const std::span<const LineAccess> lines(lines_.line.data(), lines_.count);
  for (const LineAccess& l : lines) stats.sectors += mem::sector_count(l.sectors);
  if (pressure_ != nullptr && access.space != WarpAccess::Space::Local) [[unlikely]]
    for (const LineAccess& l : lines) pressure_->request(l.line, operation(access.kind));
}

void LoadStoreUnit::add_lines(Cycle now, const PartOf& of, const WarpAccess& access) {
  const bool texture = access.space == WarpAccess::Space::Texture;
  const bool cached = texture && textures_;
  if (access.space == WarpAccess::Space::Local)
    coalesce_local(access, local_[of.warp], line_bytes_, lines_, spec_.coalescing);
  else
    coalesce(access, cached ? static_cast<std::uint32_t>(spec_.textures.line.count()) : line_bytes_, lines_,
             spec_.coalescing);
  count_lines(access);
  FrontAccess all{of.warp,
                  of.token,
                  operation(access.kind),
                  memory_space(access.space),
                  access,
                  {lines_.line.data(), lines_.count},
                  part_[of.warp]};
  if (front_ != nullptr && !texture) {
    front_->accept(now, all);
    return;
  }
  if (cached) [[unlikely]] {
    keep_texture_misses(now, all);
    if (lines_.count == 0) {
      ++records_[of.record].parts;
      pipe_.add_passes(of.warp, of.record, 1, spec_.textures.latency);
      return;
    }
  }
  const bool store = Waiter::is_store(of.token);
  pipe_.add_requests(of.warp, lines_.count, data_passes(of, access), store ? of.record : kNone);
  if (store && of.record != kNone) [[unlikely]]
    ++records_[of.record].parts;
  for (const LineAccess& l : std::span(lines_.line.data(), lines_.count))
    pipe_.add_request() = all.request(now, static_cast<std::uint16_t>(sm_), l);
}

// Lines of textures are looked for when their instruction comes, all in the same cycle; those that are not
// there then take their turns.
void LoadStoreUnit::keep_texture_misses(Cycle now, const FrontAccess& all) {
  blocks_in_lines(lines_, static_cast<std::uint32_t>(spec_.textures.line.count()), line_bytes_);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < lines_.count; ++i)
    if (!textures_->hit(all.request(now, static_cast<std::uint16_t>(sm_), lines_.line[i])))
      lines_.line[kept++] = lines_.line[i];
  lines_.count = kept;
}

// ---- a cycle --------------------------------------------------------------------------------------------

void LoadStoreUnit::step(Cycle now) {
  if (front_ == nullptr && bulk_.idle() && records_.nothing_lands()) [[likely]]
    pipe_.step(now, spec_.lines_per_cycle);
  else
    step_all(now);
}

void LoadStoreUnit::step_all(Cycle now) {
  records_.landed(now);
  if (front_ == nullptr) return step_both(now, spec_.lines_per_cycle);
  // The front and the others take turns where both have something to send.
  const bool others = pipe_.wants_port(now) || bulk_.can_send(now);
  const bool used = front_->step(now, front_turn_ || !others);
  if (!used)
    step_both(now, spec_.lines_per_cycle);
  else
    pipe_.step_without_port(now);
  front_turn_ = !used;
}

// Where both have something to send, bulk copies and other instructions take turns.
void LoadStoreUnit::step_both(Cycle now, std::uint32_t lines) {
  if (bulk_.idle()) {
    bulk_turn_ = true;
    return pipe_.step(now, lines);
  }
  for (std::uint32_t n = 0; n < lines; ++n) {
    const bool bulk = bulk_.can_send(now) && (bulk_turn_ || !pipe_.waiting(now));
    bulk_turn_ = !bulk;
    if (bulk)
      send_bulk(now);
    else
      pipe_.step(now, spec_.banked_data ? lines : 1);
    if (spec_.banked_data) return;
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
    r.sm = r.owner = static_cast<std::uint16_t>(sm_);
    r.part = part_[records_[record].warp];
    ++records_[record].outstanding;
    if (l1_.send(now, r).outcome == mem::L1Port::Outcome::Blocked) {
      --records_[record].outstanding;
      bulk_.block(l1_.retry_at(now));
      return;
    }
    AccessStats& stats = r.op == mem::Op::Read ? stats_.global_load : stats_.global_store;
    ++stats.lines;
    stats.sectors += mem::sector_count(r.sectors);
  }
  InFlight& r = records_[record];
  r.ready = std::max(r.ready, ready);
  if (bulk_.sent(line_bytes_)) records_.part_done(now, record, ready);
}

Cycle LoadStoreUnit::next(Cycle now) const {
  Cycle at = pipe_.next(now);
  if (!bulk_.idle()) at = std::min(at, bulk_.next(now));
  if (!records_.nothing_lands()) at = std::min(at, std::max(now + 1, records_.next_landing()));
  if (front_ != nullptr) at = std::min(at, front_->next(now));
  return at;
}

Cycle LoadStoreUnit::oldest_atomic() const {
  Cycle oldest = sim::kNever;
  for (const InFlight& r : records_.all())
    if (r.atomic() && r.parts + r.outstanding != 0) oldest = std::min(oldest, r.issued);
  return oldest;
}

std::string LoadStoreUnit::waits() const {
  if (idle()) return {};
  std::string out = fmt::format("load/store unit: {} instructions queued, {} under way", pipe_.size(),
                                records_.in_flight());
  out += pipe_.waits();
  if (front_ != nullptr)
    if (const std::string more = front_->waits(); !more.empty()) out += "\n    " + more;
  return out;
}

}  // namespace heddle::sm
