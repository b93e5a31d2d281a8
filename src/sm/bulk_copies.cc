#include "sm/bulk_copies.h"

#include <bit>

namespace heddle::sm {

mem::Request BulkCopies::request(std::uint32_t line_bytes) const {
  const Range& range = ranges_.front();
  mem::Request r;
  r.line = range.at & ~std::uint64_t{line_bytes - 1};
  const auto first = static_cast<std::uint32_t>(range.at - r.line);
  const auto last = static_cast<std::uint32_t>(std::min(range.end, r.line + line_bytes) - 1 - r.line);
  const std::uint32_t words = last / 4 - first / 4 + 1;
  r.words = words >= 32 ? ~0u : std::rotl((1u << words) - 1, static_cast<int>(first / 4 & 31));
  r.sectors = static_cast<mem::SectorMask>(((2u << last / mem::kSectorBytes) - 1) &
                                           ~((1u << first / mem::kSectorBytes) - 1));
  r.partial_write = first % mem::kSectorBytes != 0 || (last + 1) % mem::kSectorBytes != 0;
  r.born = range.born;
  r.token = range.record;
  r.op = range.op;
  r.space = mem::Space::Global;
  r.no_l1 = true;
  return r;
}

bool BulkCopies::sent(std::uint32_t line_bytes) {
  Range& range = ranges_.front();
  range.at = std::min(range.end, (range.at & ~std::uint64_t{line_bytes - 1}) + line_bytes);
  if (range.at != range.end) return false;
  ranges_.pop_front();
  return true;
}

}  // namespace heddle::sm
