#include "techniques/intra_cluster/icc_merge_table.h"

namespace heddle::intra_cluster {

IccMergeTable::IccMergeTable(std::uint32_t entries, std::uint32_t sms, std::uint32_t sectors)
    : table_(entries, sms * sectors), listed_(entries) {}

IccMergeTable::Lookup IccMergeTable::read(const mem::Request& request) {
  const Requester requester{request, request.sectors};
  Entry e = table_.find(request.line);
  if (e != Table::kNone) {
    if (listed(e, request)) return {Result::Repeated, Table::kNone, request.sectors, false};
    const mem::SectorMask ask = table_.join(e, requester);
    Listed& l = listed_[e];
    l.sms |= bit(request);
    l.shared |= request.sm != l.first;
    return {ask == 0 ? Result::Merged : Result::Residual, e, ask, l.written && ask != request.sectors};
  }
  if (table_.full()) return {Result::Full, Table::kNone, request.sectors, false};
  e = table_.open(request.line, requester, request.sectors);
  listed_[e] = {bit(request), request.sm, 0, false, false};
  return {Result::Allocated, e, request.sectors, false};
}

// Whether its SM waits for one of these sectors already.
bool IccMergeTable::listed(Entry e, const mem::Request& r) const {
  if ((listed_[e].sms & bit(r)) == 0) return false;
  bool found = false;
  table_.for_each_waiter(e, [&](const Requester& other) {
    found |= other.request.sm == r.sm && (other.missing & r.sectors) != 0;
  });
  return found;
}

void IccMergeTable::wrote_all() {
  for (Listed& l : listed_) l.written = true;
}

}  // namespace heddle::intra_cluster
