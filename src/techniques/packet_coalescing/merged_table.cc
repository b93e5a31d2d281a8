#include "techniques/packet_coalescing/merged_table.h"

#include <algorithm>
#include <tuple>

namespace heddle::packet_coalescing {

MergedTable::Entry* MergedTable::find(std::uint64_t row, std::uint32_t requests, std::uint32_t most) {
  const auto it = std::find_if(held_.begin(), held_.end(),
                               [&](const Entry& e) { return e.row == row && e.requests + requests <= most; });
  return it == held_.end() ? nullptr : &*it;
}

void MergedTable::add(std::uint64_t row, Index packet, std::uint32_t requests, Tick since, Tick due) {
  held_.push_back({row, due, order_++, since * requests, packet, requests});
  find_first();
}

void MergedTable::join(Entry& e, std::uint32_t requests, Tick since, Tick due) {
  e.requests += requests;
  e.since_sum += since * requests;
  e.due = std::min(e.due, due);
}

void MergedTable::remove_first() {
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(first_));
  find_first();
}

void MergedTable::find_first() {
  const auto it = std::min_element(held_.begin(), held_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.due, a.order) < std::tie(b.due, b.order);
  });
  first_ = static_cast<std::size_t>(it - held_.begin());
}

}  // namespace heddle::packet_coalescing
