#include "cluster/request_coalescer.h"

#include <algorithm>

namespace heddle::cluster {

void CoalescerSpec::fields(config::Reader& r) {
  using config::range;
  r.field("entries", entries, range(1, 65536), "Requests under way that later ones may join");
  r.field("requesters", requesters, range(1, 64), "Requests that share one fetch, the first one included");
}

RequestCoalescer::RequestCoalescer(const CoalescerSpec& spec) : table_(spec.entries, spec.requesters) {}

MissMerger::Verdict RequestCoalescer::offer(sim::Cycle, mem::Request& request, std::vector<mem::Request>&) {
  ++stats_.offered;
  ++waiting_;
  request.recorded = false;
  if (!mergeable(request)) {
    ++stats_.bypassed;
    ++stats_.forwarded;
    return Verdict::Forward;
  }
  const std::uint32_t sectors = mem::sector_count(request.sectors);
  stats_.offered_sectors += sectors;
  const Table::Entry found = table_.find(request.line);
  const bool other_sectors = found != Table::kNone && table_.requested(found) != request.sectors;
  if (found != Table::kNone && !other_sectors) {
    table_.join(found, {request, request.sectors});
    if (!table_.can_join(found)) table_.detach(found);
    ++stats_.merged;
    stats_.merged_sectors += sectors;
    return Verdict::Merged;
  }
  ++stats_.forwarded;
  stats_.forwarded_sectors += sectors;
  if (other_sectors) table_.detach(found);
  if (other_sectors || table_.full()) {
    ++stats_.unrecorded;
    return Verdict::Forward;
  }
  const Table::Entry e = table_.open(request.line, {request, request.sectors}, request.sectors);
  if (!table_.can_join(e)) table_.detach(e);
  stats_.entries_peak = std::max<std::uint64_t>(stats_.entries_peak, table_.used());
  request.token = e;
  request.recorded = true;
  return Verdict::Forward;
}

void RequestCoalescer::reply(sim::Cycle, const mem::Request& reply, std::vector<mem::Request>& answers) {
  ++stats_.replies;
  const std::size_t before = answers.size();
  if (!reply.recorded) {
    answers.push_back(reply);
  } else {
    table_.arrive(reply.token, reply.sectors, [&](const Requester& r) {
      mem::Request& answer = answers.emplace_back(r.request);
      answer.reply = true;
    });
  }
  const auto n = static_cast<std::uint32_t>(answers.size() - before);
  if (reply.recorded) stats_.requesters.add(n);
  stats_.answers += n;
  waiting_ -= n;
}

}  // namespace heddle::cluster
