// An L2 of two sides: what goes from one to the other, and when its answer is there.
#include "cache/l2_slice.h"

namespace heddle::cache {

using mem::Op;
using mem::sector_count;
using mem::SectorMask;
using Way = TagStore::Way;

// The other side keeps what it has read. Returns what it did not have.
SectorMask L2Slice::copy(const mem::Request& request, Way way) {
  const SectorMask sectors = in_tags(request.sectors);
  const SectorMask missing = without(sectors, copied_[way]);
  copied_[way] = static_cast<SectorMask>(copied_[way] | sectors);
  return missing;
}

void L2Slice::reply_read(Tick t, const mem::Request& request, Way way) {
  if (request.op != Op::Read || !is_far(request)) return reply(t, request);
  if (const SectorMask missing = copy(request, way); missing != 0)
    return reply_across(t, request, sector_count(missing));
  reply_here(t, request);
}

// What has just come to this side is not on the other yet; those who wait for the same there wait together.
void L2Slice::reply_fetched(Tick t, const mem::Request& request, Way way) {
  if (request.op != Op::Read || !is_far(request)) return reply(t, request);
  reply_across(t, request, sector_count(copy(request, way)));
}

// Sectors that a write or an atomic takes on the link: a write's header has one of its own, and writes to one
// line that follow each other go together.
std::uint32_t L2Slice::crossing_sectors(const mem::Request& request) {
  if (request.op != Op::Write) return sector_count(request.sectors);
  const bool goes_along = request.line == last_crossed_;
  last_crossed_ = request.line;
  return goes_along ? 0 : 1 + sector_count(request.sectors);
}

// In the order in which they are served.
void L2Slice::reply_across(Tick t, const mem::Request& request, std::uint32_t sectors) {
  side_free_ = std::max(side_free_, t);
  if (const auto link = static_cast<std::uint32_t>(spec_.side_link.count()); link != 0)
    side_free_ += (sectors * mem::kSectorBytes + link - 1) / link;
  last_cross_ = std::max(last_cross_, side_free_ + spec_.latency + spec_.side_latency);
  Reply r{last_cross_, request};
  r.request.reply = true;
  crossing_.push(r);
}

}  // namespace heddle::cache
