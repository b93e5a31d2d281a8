// The tags of a set-associative cache: which lines it holds, sector by sector, and which one makes room.
// No data, no time, no queues: L1 and L2 controllers are built on it.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cache/index.h"
#include "cache/replacement.h"
#include "config/reader.h"
#include "mem/home_map.h"
#include "mem/probe_index.h"
#include "mem/request.h"

namespace heddle::cache {

struct TagSpec {
  std::uint32_t sets = 64;  // any number; Linear is line modulo sets
  std::uint32_t ways = 6;
  Bytes line = Bytes{128};
  bool sectored = false;  // else a line is one unit: masks are all or nothing
  IndexHash index = IndexHash::Linear;
  std::string replacement = "lru";  // slot: cache/replacement.h
  // Equal shares of the sets, each for lines of its own: the part stands above the address (in_part).
  std::uint32_t parts = 1;
  // Of several caches that lines are spread over: sets are chosen by the address within the home.
  std::shared_ptr<const mem::HomeMap> homes = nullptr;
  void fields(config::Reader& r);  // refuses zero sets, lines that are no power of two, ...
};

// A line as a part of a cache knows it. Caches of several parts take lines below 2^56.
inline constexpr unsigned kPartShift = 56;
constexpr std::uint64_t in_part(std::uint64_t line, std::uint32_t part) {
  return line | std::uint64_t{part} << kPartShift;
}

class TagStore {
 public:
  explicit TagStore(const TagSpec& spec);

  using Way = std::uint32_t;  // set * ways + way
  static constexpr Way kNone = ~0u;

  // Constant time also for hundreds of ways: a few tags of a set are compared one by one, many through an
  // index from line to way.
  Way find(std::uint64_t line_address) const {
    if (indexed_) {
      return index_.find(hash_(line_address), [&](Way w) { return lines_[w] == line_address; });
    }
    // No branch on a match: where it lies in the set cannot be predicted.
    const Way first = set_of(line_address) * ways_;
    Way found = kNone;
    for (Way w = first; w < first + ways_; ++w) found = lines_[w] == line_address ? w : found;
    return found;
  }
  // A use, for the replacement.
  void touch(Way w) {
    const std::uint32_t set = set_of_way(w);
    if (lru_ != nullptr) {
      lru_->touched(set, w - set * ways_);
    } else {
      replacement_->touched(set, w - set * ways_);
    }
  }
  // The way that would make room for `line_address`: a free one if there is any, else what the replacement
  // chooses; kNone when every way of its set waits for a fill.
  Way victim(std::uint64_t line_address);
  // Whether there is one; does not ask the replacement.
  bool has_victim(std::uint64_t line_address) const { return counts_[set_of(line_address)].pending != ways_; }
  // Takes over `w` for a new line with no valid sector. The caller has dealt with dirty sectors.
  void allocate(Way w, std::uint64_t line_address);
  void invalidate(Way w);  // not while pending

  std::uint64_t line(Way w) const { return lines_[w]; }  // kFree when the way holds none
  mem::SectorMask valid(Way w) const { return masks_[w].valid; }
  // Asked for, not yet there: the way cannot be a victim.
  mem::SectorMask pending(Way w) const { return masks_[w].pending; }
  mem::SectorMask dirty(Way w) const { return masks_[w].dirty; }

  void set_pending(Way w, mem::SectorMask m) {  // adds
    if (masks_[w].pending == 0 && m != 0) note_pending(w, true);
    masks_[w].pending |= m;
  }
  void fill(Way w, mem::SectorMask m) {  // pending -> valid
    masks_[w].valid |= m;
    end_pending(w, m);
  }
  // pending -> not there: what arrived is already out of date.
  void end_pending(Way w, mem::SectorMask m) {
    Masks& k = masks_[w];
    if (k.pending != 0 && (k.pending & ~m) == 0) note_pending(w, false);
    k.pending = static_cast<mem::SectorMask>(k.pending & ~m);
  }
  void set_valid(Way w, mem::SectorMask m) { masks_[w].valid |= m; }  // adds
  void set_dirty(Way w, mem::SectorMask m) { masks_[w].dirty |= m; }  // adds
  void clean(Way w) { masks_[w].dirty = 0; }
  void drop_sectors(Way w, mem::SectorMask m) {  // valid and dirty bits away
    masks_[w].valid = static_cast<mem::SectorMask>(masks_[w].valid & ~m);
    masks_[w].dirty = static_cast<mem::SectorMask>(masks_[w].dirty & ~m);
  }

  template <class F>
  void for_each_dirty(F&& f) const {  // f(way), ascending
    for (Way w = 0; w < masks_.size(); ++w) {
      if (masks_[w].dirty != 0) f(w);
    }
  }
  // f(way) for every way that holds a line, ascending; f may invalidate it.
  template <class F>
  void for_each_line(F&& f) {
    for (std::uint32_t set = 0; set < spec_.sets; ++set) {
      if (counts_[set].free == ways_) continue;
      for (std::uint32_t i = 0; i < words_; ++i) {
        const std::uint32_t here = std::min(64u, ways_ - 64 * i);
        std::uint64_t used = ~free_ways_[std::size_t{set} * words_ + i] & (~std::uint64_t{0} >> (64 - here));
        for (; used != 0; used &= used - 1)
          f(set * ways_ + 64 * i + static_cast<std::uint32_t>(std::countr_zero(used)));
      }
    }
  }
  void flush();  // forgets all lines (none pending)
  mem::SectorMask all_sectors() const { return all_sectors_; }
  // A line as all others know it.
  std::uint64_t without_part(std::uint64_t line_address) const { return line_address & address_bits_; }
  std::uint32_t set_of(std::uint64_t line_address) const {
    const std::uint64_t address = without_part(line_address);
    const std::uint32_t set = set_index_(homes_ == nullptr ? address : homes_->local(address));
    return set + static_cast<std::uint32_t>((line_address ^ address) >> kPartShift) * sets_of_part_;
  }
  const TagSpec& spec() const { return spec_; }

  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

 private:
  struct Masks {
    mem::SectorMask valid = 0, pending = 0, dirty = 0;
  };
  struct SetCounts {
    std::uint16_t free = 0, pending = 0;  // ways
  };
  std::uint32_t set_of_way(Way w) const {
    return static_cast<std::uint32_t>((std::uint64_t{w} * ways_reciprocal_) >> 40);
  }
  void note_pending(Way w, bool now);
  std::uint64_t& word(std::vector<std::uint64_t>& masks, std::uint32_t set, std::uint32_t way) {
    return masks[std::size_t{set} * words_ + way / 64];
  }

  TagSpec spec_;
  std::uint32_t ways_, sets_of_part_;
  std::uint64_t address_bits_;     // all, where there is one part
  std::uint64_t ways_reciprocal_;  // of 2^40: exact for the 2^24 ways allowed
  std::uint32_t words_;            // of a mask of ways
  bool indexed_;
  mem::SectorMask all_sectors_;
  SetIndex set_index_;
  const mem::HomeMap* homes_;         // spec_.homes
  std::vector<std::uint64_t> lines_;  // by way; a set's are contiguous
  std::vector<Masks> masks_;
  std::vector<SetCounts> counts_;
  std::vector<std::uint64_t> free_ways_, pending_ways_;  // a bit per way, `words_` words per set
  mem::ProbeIndex index_;                                // line -> way, for many ways
  mem::MixHash hash_;
  std::unique_ptr<Replacement> replacement_;
  Lru* lru_ = nullptr;  // the same, when it is the usual one
};

}  // namespace heddle::cache
