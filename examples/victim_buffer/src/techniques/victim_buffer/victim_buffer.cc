#include "techniques/victim_buffer/victim_buffer.h"

#include <bit>
#include <memory>

#include <fmt/format.h>

namespace heddle::victim_buffer {
namespace {

constexpr std::uint64_t kAddressBits = 48;

// Fully associative: one set, least recently used. A sector is kept as it came.
cache::TagSpec one_set(std::uint32_t lines, Bytes line) {
  cache::TagSpec s;
  s.sets = 1;
  s.ways = lines;
  s.line = line;
  s.sectored = true;
  return s;
}

}  // namespace

// ---- parameters and statistics --------------------------------------------------------------------

void VictimBufferSpec::fields(config::Reader& r) {
  r.field("lines", lines, config::range(1, 4096), "Lines of a cluster's victim buffer");
}

void VictimBufferStats::statistics(stats::Visitor& v) {
  v.counter("arrived", arrived, {"replies", "Replies to reads that the victim buffer may keep"});
  v.counter("kept", kept, {"replies", "Of these, kept"});
  v.counter("outdated", outdated,
            {"replies", "Of these, not kept: the cluster wrote to the line while its read was under way"});
  v.counter("bypassing", bypassing, {"requests", "Loads that pass the L1 by, and the victim buffer as well"});
}

// ---- requests -------------------------------------------------------------------------------------

VictimBuffer::VictimBuffer(const VictimBufferSpec& spec, const cluster::MergerPlace& place)
    : spec_(spec), place_(place), store_(one_set(spec.lines, place.line)) {}

VictimBuffer::Verdict VictimBuffer::offer(sim::Cycle, mem::Request& request,
                                          std::vector<mem::Request>& answers) {
  ++stats_.offered;
  if (!cluster::mergeable(request) || request.no_l1) {
    ++stats_.bypassed;
    ++stats_.forwarded;
    ++waiting_;
    if (cluster::mergeable(request))
      ++own_.bypassing;
    else if (request.op != mem::Op::Read && request.space == mem::Space::Global)
      wrote(request.line);
    return Verdict::Forward;
  }
  const std::uint32_t sectors = mem::sector_count(request.sectors);
  stats_.offered_sectors += sectors;
  if (held(request)) {
    stats_.held_sectors += sectors;
    ++stats_.held;
    ++stats_.answers;
    answers.emplace_back(request).reply = true;
    return Verdict::Answered;
  }
  stats_.forwarded_sectors += sectors;
  ++stats_.forwarded;
  ++waiting_;
  ++under_way_[request.line].reads;
  return Verdict::Forward;
}

// Whether all sectors that are asked for are stored; that is a use of the line.
bool VictimBuffer::held(const mem::Request& request) {
  ++stats_.store_lookups;
  const cache::TagStore::Way w = store_.find(request.line);
  if (w == cache::TagStore::kNone || (request.sectors & ~store_.valid(w)) != 0) return false;
  store_.touch(w);
  return true;
}

// The line that is stored is out of date, and so is what comes back for reads that were sent before.
void VictimBuffer::wrote(std::uint64_t line) {
  if (const cache::TagStore::Way w = store_.find(line); w != cache::TagStore::kNone) {
    store_.invalidate(w);
    ++stats_.store_invalidations;
  }
  if (const auto found = under_way_.find(line); found != under_way_.end()) found->second.written = true;
}

// ---- replies --------------------------------------------------------------------------------------

void VictimBuffer::reply(sim::Cycle, const mem::Request& reply, std::vector<mem::Request>& answers) {
  ++stats_.replies;
  ++stats_.answers;
  --waiting_;
  if (cluster::mergeable(reply) && !reply.no_l1) arrived(reply);
  answers.push_back(reply);
}

// A read that was sent after the write counts as outdated, too, while an older one of the line is under way:
// the two cannot be told apart.
void VictimBuffer::arrived(const mem::Request& reply) {
  ++own_.arrived;
  const auto found = under_way_.find(reply.line);
  const bool written = found->second.written;
  if (--found->second.reads == 0) under_way_.erase(found);
  if (written) {
    ++own_.outdated;
    return;
  }
  ++own_.kept;
  keep(reply.line, reply.sectors);
}

void VictimBuffer::keep(std::uint64_t line, mem::SectorMask sectors) {
  cache::TagStore::Way w = store_.find(line);
  if (w == cache::TagStore::kNone) {
    w = store_.victim(line);
    if (store_.line(w) != cache::TagStore::kFree) ++stats_.store_evictions;
    store_.allocate(w, line);
    ++stats_.store_insertions;
  } else {
    store_.touch(w);
  }
  store_.set_valid(w, sectors);
}

// Nothing is under way then; the next kernel may read what others wrote.
void VictimBuffer::kernel_end() {
  store_.flush();
}

// ---- what is told about it ------------------------------------------------------------------------

void VictimBuffer::clear_statistics() {
  stats_ = {};
  own_ = {};
}

std::vector<mem::Identity> VictimBuffer::identities(const stats::Groups& s) const {
  const auto& m = s.get<cluster::MergerStats>("merger");
  const auto& own = s.get<VictimBufferStats>("victim_buffer");
  return {{"reads that missed the victim buffer and their replies", m.store_lookups - m.held, own.arrived},
          {"replies at the victim buffer and their outcomes", own.arrived, own.kept + own.outdated}};
}

std::vector<mem::Storage> VictimBuffer::storage() const {
  const std::uint64_t line = place_.line.count();
  const std::uint64_t tag = kAddressBits - static_cast<std::uint64_t>(std::countr_zero(line));
  const std::uint64_t valid = place_.sectored ? line / mem::kSectorBytes : 1;
  return {{"victim buffer", fmt::format("{} x ({} + {} + {}) bits", spec_.lines, tag, 8 * line, valid),
           spec_.lines * (tag + 8 * line + valid)}};
}

cluster::MergerFactory read(config::Reader& section) {
  VictimBufferSpec spec;
  spec.fields(section);
  return [spec](const cluster::MergerPlace& place) { return std::make_unique<VictimBuffer>(spec, place); };
}

}  // namespace heddle::victim_buffer
