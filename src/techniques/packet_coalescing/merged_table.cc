#include "techniques/packet_coalescing/merged_table.h"

#include <algorithm>

namespace heddle::packet_coalescing {

MergedTable::Entry* MergedTable::find(std::uint64_t row, std::uint32_t requests, std::uint32_t most,
                                      Tick from) {
  const auto it = std::find_if(held_.begin(), held_.end(), [&](const Entry& e) {
    return e.row == row && e.requests + requests <= most && e.due >= from;
  });
  return it == held_.end() ? nullptr : &*it;
}

void MergedTable::add(std::uint64_t row, Index packet, std::uint32_t requests, Tick since, Tick due) {
  held_.push_back({row, due, since * requests, packet, requests});
}

void MergedTable::join(Entry& e, std::uint32_t requests, Tick since, Tick due) {
  e.requests += requests;
  e.since_sum += since * requests;
  e.due = std::min(e.due, due);
}

std::optional<MergedTable::Entry> MergedTable::release(Tick now, const noc::PacketMerger::Exits& exits) {
  auto first = held_.end();
  for (auto e = held_.begin(); e != held_.end(); ++e)
    if (e->due <= now && (first == held_.end() || e->due < first->due) && exits.room_for(e->packet))
      first = e;
  if (first == held_.end()) return {};
  const Entry e = *first;
  held_.erase(first);
  return e;
}

MergedTable::Tick MergedTable::due(Tick from) const {
  Tick next = sim::kNever;
  for (const Entry& e : held_)
    if (e.due >= from) next = std::min(next, e.due);
  return next;
}

}  // namespace heddle::packet_coalescing
