#include "cache/tag_store.h"

#include <fmt/format.h>

namespace heddle::cache {

using config::range;

namespace {

// Up to here comparing the tags of a set is quicker than a hashed lookup.
constexpr std::uint32_t kScannedWays = 16;

}  // namespace

void TagSpec::fields(config::Reader& r) {
  r.field("sets", sets, range(1, 65536), "Sets; any number with the linear index");
  r.field("ways", ways, range(1, 4096), "Lines per set");
  r.field("line", line, "Bytes of a line");
  r.field("sectored", sectored, "Lines are filled by 32-byte sectors; else always as a whole");
  r.choice("index", index,
           {{"linear", IndexHash::Linear, "line number modulo sets"},
            {"masked", IndexHash::Masked,
             "line number AND (sets - 1), as GPGPU-Sim 3.2.2: 96 sets have 64 in use"},
            {"fermi", IndexHash::Fermi, "bits 7-11 XOR bits {13,14,15,17,19}, bit 12 the sixth"},
            {"polynomial", IndexHash::Polynomial, "line number modulo an irreducible polynomial"},
            {"xor", IndexHash::Xor, "higher bits folded onto the lower ones"}},
           "How a line's address chooses its set");
  r.choice("replacement", replacement, replacement_names(), "Which line of a full set makes room");

  if (!std::has_single_bit(line.count()) || line.count() < mem::kSectorBytes) {
    r.fail(
        "line",
        fmt::format("a line of {} bytes is no power of two of at least {}", line.count(), mem::kSectorBytes),
        "give 32B, 64B, 128B or 256B");
  }
  if (line.count() > mem::kMaxSectors * mem::kSectorBytes) {
    r.fail("line", fmt::format("a line of {} bytes has more than {} sectors", line.count(), mem::kMaxSectors),
           "give at most 256B");
  }
  if (std::uint64_t{sets} * ways > (1u << 24)) {
    r.fail("ways", fmt::format("{} sets of {} ways are more than 2^24 lines", sets, ways), "give fewer");
  }
  if (index == IndexHash::Fermi && sets != 32 && sets != 64) {
    r.fail("index", fmt::format("the fermi hash makes 32 or 64 sets, not {}", sets),
           "set sets = 32 or 64, or choose another index");
  }
  if (index == IndexHash::Polynomial && !std::has_single_bit(sets)) {
    r.fail("index", fmt::format("the polynomial hash needs a power of two of sets, not {}", sets),
           "choose linear or xor");
  }
  if (replacement == "pseudo_lru" && !std::has_single_bit(ways)) {
    r.fail("replacement", fmt::format("pseudo_lru needs a power of two of ways, not {}", ways), "choose lru");
  }
}

TagStore::TagStore(const TagSpec& spec)
    : spec_(spec),
      ways_(spec.ways),
      sets_of_part_(spec.sets / spec.parts),
      address_bits_(spec.parts == 1 ? ~std::uint64_t{0} : (std::uint64_t{1} << kPartShift) - 1),
      ways_reciprocal_(((std::uint64_t{1} << 40) + spec.ways - 1) / spec.ways),
      words_((spec.ways + 63) / 64),
      indexed_(spec.ways > kScannedWays),
      all_sectors_(static_cast<mem::SectorMask>((1u << (spec.line.count() / mem::kSectorBytes)) - 1)),
      set_index_(spec.index, sets_of_part_, static_cast<std::uint32_t>(spec.line.count())),
      homes_(spec.homes.get()),
      lines_(std::size_t{spec.sets} * spec.ways, kFree),
      masks_(lines_.size()),
      counts_(spec.sets, {static_cast<std::uint16_t>(spec.ways), 0}),
      free_ways_(std::size_t{spec.sets} * words_, ~std::uint64_t{0}),
      pending_ways_(free_ways_.size(), 0),
      index_(indexed_ ? static_cast<std::uint32_t>(lines_.size()) : 1),
      replacement_(make_replacement(spec.replacement, spec.sets, spec.ways)),
      lru_(dynamic_cast<Lru*>(replacement_.get())) {
  if (ways_ % 64 != 0)
    for (std::size_t last = words_ - 1; last < free_ways_.size(); last += words_)
      free_ways_[last] >>= 64 - ways_ % 64;
}

void TagStore::flush() {
  for (std::uint32_t set = 0; set < spec_.sets; ++set) {
    assert(counts_[set].pending == 0);
    if (counts_[set].free == ways_) continue;
    counts_[set].free = static_cast<std::uint16_t>(ways_);
    for (std::uint32_t way = 0; way < ways_; ++way) {
      lines_[std::size_t{set} * ways_ + way] = kFree;
      masks_[std::size_t{set} * ways_ + way] = {};
      word(free_ways_, set, way) |= std::uint64_t{1} << (way % 64);
    }
  }
  if (indexed_) index_.clear();
}

TagStore::Way TagStore::victim(std::uint64_t line_address) {
  const std::uint32_t set = set_of(line_address);
  if (counts_[set].free != 0) {
    for (std::uint32_t i = 0;; ++i) {
      const std::uint64_t free = free_ways_[std::size_t{set} * words_ + i];
      if (free != 0) return set * ways_ + 64 * i + static_cast<std::uint32_t>(__builtin_ctzll(free));
    }
  }
  if (counts_[set].pending == ways_) return kNone;
  const std::span<const std::uint64_t> pending(&pending_ways_[std::size_t{set} * words_], words_);
  return set * ways_ + (lru_ != nullptr ? lru_->victim(set, pending) : replacement_->victim(set, pending));
}

void TagStore::allocate(Way w, std::uint64_t line_address) {
  const std::uint32_t set = set_of_way(w), way = w - set * ways_;
  assert(set == set_of(line_address) && masks_[w].pending == 0);
  if (lines_[w] == kFree) {
    --counts_[set].free;
    word(free_ways_, set, way) &= ~(std::uint64_t{1} << (way % 64));
  } else if (indexed_) {
    index_.erase(hash_(lines_[w]), w, [&](Way other) { return hash_(lines_[other]); });
  }
  lines_[w] = line_address;
  masks_[w] = {};
  if (indexed_) index_.insert(hash_(line_address), w);
  if (lru_ != nullptr) {
    lru_->allocated(set, way);
  } else {
    replacement_->allocated(set, way);
  }
}

void TagStore::invalidate(Way w) {
  assert(masks_[w].pending == 0);
  if (lines_[w] == kFree) return;
  const std::uint32_t set = set_of_way(w), way = w - set * ways_;
  if (indexed_) index_.erase(hash_(lines_[w]), w, [&](Way other) { return hash_(lines_[other]); });
  lines_[w] = kFree;
  masks_[w] = {};
  ++counts_[set].free;
  word(free_ways_, set, way) |= std::uint64_t{1} << (way % 64);
}

void TagStore::note_pending(Way w, bool now) {
  const std::uint32_t set = set_of_way(w), way = w - set * ways_;
  const std::uint64_t bit = std::uint64_t{1} << (way % 64);
  std::uint64_t& mask = word(pending_ways_, set, way);
  if (now) {
    mask |= bit;
    ++counts_[set].pending;
  } else {
    mask &= ~bit;
    --counts_[set].pending;
  }
}

}  // namespace heddle::cache
