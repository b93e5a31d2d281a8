#include "techniques/intra_cluster/icc_merger.h"

#include <algorithm>

namespace heddle::intra_cluster {

using mem::Request;

IccMerger::IccMerger(const MergeTableSpec& table, const std::optional<CoalescedCacheSpec>& cache,
                     const cluster::MergerPlace& place)
    : table_spec_(table),
      cache_spec_(cache),
      place_(place),
      table_(table.entries, place.sms, static_cast<std::uint32_t>(place.line.count() / mem::kSectorBytes)) {
  if (cache) cache_.emplace(cache->lines, cache->replacement);
}

// ---- requests -------------------------------------------------------------------------------------

IccMerger::Verdict IccMerger::offer(sim::Cycle, Request& request, std::vector<Request>& answers) {
  ++stats_.offered;
  request.recorded = false;
  if (!uses_table(request)) return pass(request);
  stats_.offered_sectors += mem::sector_count(request.sectors);
  if (cache_ && held(request, answers)) return Verdict::Answered;
  ++waiting_;
  return look_up(request);
}

IccMerger::Verdict IccMerger::pass(const Request& request) {
  ++stats_.bypassed;
  ++stats_.forwarded;
  ++waiting_;
  if (request.op != mem::Op::Read && request.space == mem::Space::Global) {
    table_.wrote(request.line);
    // Rule 18.
    if (cache_ && cache_spec_->invalidate_on_write && cache_->invalidate(request.line))
      ++stats_.store_invalidations;
  }
  return Verdict::Forward;
}

// Rule 16. A load that passes the L1 by must not find what other clusters may have written since.
bool IccMerger::held(const Request& request, std::vector<Request>& answers) {
  if (request.no_l1) return false;
  ++stats_.store_lookups;
  if (!cache_->read(request.line, request.sectors)) return false;
  ++stats_.held;
  stats_.held_sectors += mem::sector_count(request.sectors);
  ++stats_.answers;
  answers.emplace_back(request).reply = true;
  return true;
}

// Rule 9.
IccMerger::Verdict IccMerger::look_up(Request& request) {
  using Result = IccMergeTable::Result;
  const IccMergeTable::Lookup l = table_.read(request);
  stats_.stale_merges += l.stale;
  const std::uint32_t asked = mem::sector_count(l.ask);
  stats_.forwarded_sectors += asked;
  stats_.merged_sectors += mem::sector_count(request.sectors) - asked;
  if (l.result == Result::Merged) {
    ++stats_.merged;
    return Verdict::Merged;
  }
  ++stats_.forwarded;
  if (l.result == Result::Full || l.result == Result::Repeated) {
    // Rule 13: `recorded` is the bypass bit; the reply goes to this SM and leaves the table alone.
    ++(l.result == Result::Full ? stats_.unrecorded : stats_.repeated);
    return Verdict::Forward;
  }
  stats_.entries_peak = std::max<std::uint64_t>(stats_.entries_peak, table_.used());
  request.sectors = l.ask;
  request.token = l.entry;
  request.recorded = true;
  return Verdict::Forward;
}

// ---- replies --------------------------------------------------------------------------------------

void IccMerger::reply(sim::Cycle, const Request& reply, std::vector<Request>& answers) {
  ++stats_.replies;
  if (!reply.recorded) {  // rules 10b and 13
    ++stats_.answers;
    --waiting_;
    answers.push_back(reply);
    return;
  }
  std::uint32_t served = 0;
  const IccMergeTable::Closed entry = table_.reply(reply.token, reply.sectors, [&](const Request& r) {
    Request& answer = answers.emplace_back(r);
    answer.reply = true;
    ++served;
  });
  stats_.requesters.add(served);
  stats_.answers += served;
  waiting_ -= served;
  if (cache_ && entry.closed) keep(entry);
}

// Rule 17. Data that were on their way when the cluster wrote to the line are out of date (rule 18).
void IccMerger::keep(const IccMergeTable::Closed& entry) {
  if (!entry.shared && cache_spec_->insert == Insert::Shared) return;
  if (entry.written && cache_spec_->invalidate_on_write) return;
  switch (cache_->insert(entry.line, entry.arrived)) {
    case CoalescedCache::Inserted::Evicted:
      ++stats_.store_evictions;
      [[fallthrough]];
    case CoalescedCache::Inserted::InFreePlace:
      ++stats_.store_insertions;
      break;
    case CoalescedCache::Inserted::Added:
      break;
  }
}

void IccMerger::kernel_end() {
  if (!cache_ || !cache_spec_->flush_at_kernel_end) return;
  cache_->flush();
  table_.wrote_all();
}

// ---- what it costs --------------------------------------------------------------------------------

cluster::LookupDelay IccMerger::delay() const {
  cluster::LookupDelay d;
  std::uint32_t before_network = table_spec_.latency;
  if (cache_spec_) {
    const std::uint32_t both = table_spec_.latency + cache_spec_->latency;
    before_network =
        cache_spec_->lookup == Lookup::Serial ? both : std::max(table_spec_.latency, cache_spec_->latency);
    d.answer = cache_spec_->latency;
  }
  d.request = before_network;
  d.reply = table_spec_.latency;
  return d;
}

}  // namespace heddle::intra_cluster
