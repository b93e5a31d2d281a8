#include "techniques/intra_cluster/coalesced_cache.h"

namespace heddle::intra_cluster {
namespace {

// Fully associative: one set. Masks are kept as they come, also where L1s ask for whole lines.
cache::TagSpec one_set(std::uint32_t lines, const std::string& replacement) {
  cache::TagSpec s;
  s.sets = 1;
  s.ways = lines;
  s.sectored = true;
  s.replacement = replacement;
  return s;
}

}  // namespace

CoalescedCache::CoalescedCache(std::uint32_t lines, const std::string& replacement)
    : tags_(one_set(lines, replacement)) {}

CoalescedCache::Inserted CoalescedCache::insert(std::uint64_t line, mem::SectorMask sectors) {
  if (const Way w = tags_.find(line); w != cache::TagStore::kNone) {
    tags_.touch(w);
    tags_.set_valid(w, sectors);
    return Inserted::Added;
  }
  const Way w = tags_.victim(line);
  const bool evicted = tags_.line(w) != cache::TagStore::kFree;
  tags_.allocate(w, line);
  tags_.set_valid(w, sectors);
  return evicted ? Inserted::Evicted : Inserted::InFreePlace;
}

bool CoalescedCache::invalidate(std::uint64_t line) {
  const Way w = tags_.find(line);
  if (w == cache::TagStore::kNone) return false;
  tags_.invalidate(w);
  return true;
}

}  // namespace heddle::intra_cluster
