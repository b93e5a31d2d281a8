#include "sm/coalescer.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {
namespace {

using workload::WarpAccess;

// The bytes [offset, offset + bytes) of a line, as words and sectors.
struct Extent {
  std::uint32_t words;
  mem::SectorMask sectors;
};

Extent extent(std::uint32_t offset, std::uint32_t bytes) {
  const std::uint32_t first = offset / 4, last = (offset + bytes - 1) / 4;
  const std::uint32_t n = last - first + 1;
  const std::uint32_t words = n >= 32 ? ~0u : std::rotl((1u << n) - 1, static_cast<int>(first & 31));
  const std::uint32_t s0 = offset / mem::kSectorBytes, s1 = (offset + bytes - 1) / mem::kSectorBytes;
  return {words, static_cast<mem::SectorMask>(((2u << s1) - 1) & ~((1u << s0) - 1))};
}

// Sectors of a 128-byte line by the words touched in it.
mem::SectorMask sectors_of(std::uint32_t words) {
  words |= words >> 4;
  words |= words >> 2;
  words |= words >> 1;
  words &= 0x01010101u;  // one bit per group of eight words
  return static_cast<mem::SectorMask>((words * 0x01020408u) >> 24);
}

// Whether the words cover all of the sectors (lines of 128 bytes; wider ones fold and count as covered).
bool covered(const LineAccess& l) {
  for (std::uint32_t s = 0; s < 4; ++s) {
    const std::uint32_t of_sector = 0xffu << (8 * s);
    if ((l.sectors >> s & 1) != 0 && (l.words & of_sector) != of_sector) return false;
  }
  return true;
}

// Where lines are written to: one group of lanes does not see those of another.
struct Lines {
  LineAccess* line;
  std::uint32_t count = 0;
};

bool contiguous(const WarpAccess& a) {
  if (a.shape.contiguous) return true;
  if (a.mask != 0xffffffffu || a.shape.known()) return false;
  const std::uint64_t first = a.address[0];
  std::uint64_t differs = 0;
  for (std::uint32_t i = 0; i < 32; ++i) differs |= a.address[i] ^ (first + std::uint64_t{i} * a.bytes);
  return differs == 0;
}

void coalesce_contiguous(const WarpAccess& a, std::uint32_t line_bytes, Lines& out) {
  std::uint64_t at = a.address[0];
  const std::uint64_t end = at + std::uint64_t{32} * a.bytes;
  std::uint32_t lane = 0;
  while (at < end) {
    const std::uint64_t line = at & ~std::uint64_t{line_bytes - 1};
    const std::uint64_t stop = std::min(end, line + line_bytes);
    const auto bytes = static_cast<std::uint32_t>(stop - at);
    const std::uint32_t n = bytes / a.bytes;
    const Extent e = extent(static_cast<std::uint32_t>(at - line), bytes);
    LineAccess& l = out.line[out.count++];
    l = {line, e.words, n >= 32 ? ~0u : ((1u << n) - 1) << lane, e.sectors, false};
    l.partial = bytes % mem::kSectorBytes != 0 || at % mem::kSectorBytes != 0;
    lane += n;
    at = stop;
  }
}

void add_lane(Lines& out, std::uint64_t address, std::uint32_t bytes, std::uint32_t lane,
              std::uint32_t line_bytes) {
  const std::uint64_t line = address & ~std::uint64_t{line_bytes - 1};
  const Extent e = extent(static_cast<std::uint32_t>(address - line), bytes);
  // Neighbours in lanes are mostly neighbours in memory: look at the newest line first.
  for (std::uint32_t i = out.count; i-- > 0;) {
    LineAccess& l = out.line[i];
    if (l.line != line) continue;
    l.words |= e.words;
    l.sectors |= e.sectors;
    l.lanes |= 1u << lane;
    return;
  }
  out.line[out.count++] = {line, e.words, 1u << lane, e.sectors, false};
}

// Lanes of whole words in lines of 128 bytes: the usual case. Sectors follow from the words.
void coalesce_words(const WarpAccess& a, Lines& out) {
  const std::uint32_t ones = (1u << (a.bytes / 4)) - 1;
  LineAccess* last = nullptr;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    const std::uint64_t line = a.address[lane] & ~std::uint64_t{127};
    if (last == nullptr || last->line != line) {
      last = out.line + out.count;
      while (last != out.line && last[-1].line != line) --last;
      if (last != out.line) {
        --last;
      } else {
        last = out.line + out.count++;
        *last = {line, 0, 0, 0, false};
      }
    }
    last->words |= ones << (a.address[lane] / 4 & 31);
    last->lanes |= 1u << lane;
  }
  for (std::uint32_t i = 0; i < out.count; ++i) {
    out.line[i].sectors = sectors_of(out.line[i].words);
    out.line[i].partial = !covered(out.line[i]);
  }
}

// Data of so many bytes are requested in segments of this size.
std::uint32_t segment_bytes(std::uint32_t data, std::uint32_t line_bytes) {
  return std::min(line_bytes, data == 1 ? 32u : data == 2 ? 64u : 128u);
}

// The smallest quarter, half or whole of four sectors that holds `touched` of them.
mem::SectorMask reduced(mem::SectorMask touched) {
  for (const mem::SectorMask half : {mem::SectorMask{0b0011}, mem::SectorMask{0b1100}})
    if ((touched & ~half) == 0) return mem::sector_count(touched) == 1 ? touched : half;
  return 0b1111;
}

// Requests for segments become requests for the lines in which they lie.
void place_in_lines(LineList& out, std::uint32_t line_bytes) {
  for (std::uint32_t i = 0; i < out.count; ++i) {
    LineAccess& l = out.line[i];
    const mem::SectorMask all = reduced(l.sectors);
    l.partial |= all != l.sectors;
    const auto offset = static_cast<std::uint32_t>(l.line & (line_bytes - 1));
    l.line -= offset;
    l.words = std::rotl(l.words, static_cast<int>(offset / 4 & 31));
    l.sectors = static_cast<mem::SectorMask>(all << offset / mem::kSectorBytes);
  }
}

// What lanes want of the banks of shared memory. Lanes of 8 or 16 bytes are served in halves or quarters of
// the warp.
struct SharedAccess {
  SharedAccess(const WarpAccess& from, const SharedBanks& of)
      : access(from),
        banks(of.banks),
        words(std::max<std::uint32_t>(1, from.bytes / 4)),
        group(std::min(of.lanes, 32 / std::min(4u, words))),
        atomic(from.kind == WarpAccess::Kind::Atomic || from.kind == WarpAccess::Kind::Reduce) {}

  // Whether all lanes read one row of the banks, or even the same words: no two words share a bank then.
  bool in_one_row() const {
    // A lane of less than a word begins anywhere in it.
    if (access.shape.known()) return access.shape.reach + std::uint64_t{words} * 4 <= banks * 4;
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
      const std::uint64_t word = access.address[std::countr_zero(m)] / 4;
      low = std::min(low, word);
      high = std::max(high, word);
    }
    return high - low + words <= banks;
  }
  // Whether every group does.
  bool groups_in_rows() const { return access.shape.contiguous && group * words <= banks; }
  static std::uint32_t groups_with_lanes(std::uint32_t mask, std::uint32_t lanes) {
    std::uint32_t n = 0;
    const std::uint32_t whole = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (std::uint32_t m = mask; m != 0; m = lanes == 32 ? 0 : m >> lanes) n += (m & whole) != 0;
    return n;
  }
  // Two groups that are neighbours.
  std::uint32_t passes_of_pairs() const {
    std::uint32_t passes = 0;
    for (std::uint32_t first = 0; first < 32; first += 2 * group) {
      const std::uint32_t both = passes_of(first, 2 * group);
      passes += both <= 1 ? both : passes_of(first, group) + passes_of(first + group, group);
    }
    return passes;
  }
  // Distinct words in the fullest bank, or lanes that meet in it, of so many lanes from `first` on.
  std::uint32_t passes_of(std::uint32_t first, std::uint32_t lanes) const {
    std::array<std::uint8_t, 64> used{};
    std::array<std::array<std::uint32_t, 32>, 64> seen;
    std::uint32_t most = 0;
    for (std::uint32_t lane = first; lane < first + lanes; ++lane) {
      if ((access.mask >> lane & 1) == 0) continue;
      for (std::uint32_t w = 0; w < words; ++w) {
        const auto word = static_cast<std::uint32_t>(access.address[lane] / 4 + w);
        auto& bank = seen[word % banks];
        auto& n = used[word % banks];
        if (n == 32 || (!atomic && std::find(bank.begin(), bank.begin() + n, word) != bank.begin() + n))
          continue;
        bank[n++] = word;
        most = std::max<std::uint32_t>(most, n);
      }
    }
    return most;
  }

  const WarpAccess& access;
  std::uint32_t banks, words, group;
  bool atomic;
};

void coalesce_lines(const WarpAccess& access, std::uint32_t line_bytes, Lines& out) {
  if (contiguous(access)) {
    coalesce_contiguous(access, line_bytes, out);
    return;
  }
  if (line_bytes == 128 && access.bytes >= 4) {
    coalesce_words(access, out);
    return;
  }
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    add_lane(out, access.address[lane], access.bytes, lane, line_bytes);
  }
  for (std::uint32_t i = 0; i < out.count; ++i)
    out.line[i].partial = access.bytes < 4 || !covered(out.line[i]);
}

void coalesce_local_lines(const WarpAccess& access, const LocalPlace& place, std::uint32_t line_bytes,
                          Lines& out) {
  const std::uint32_t words = std::max<std::uint32_t>(1, access.bytes / 4);
  for (std::uint32_t w = 0; w < words; ++w)
    for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
      const std::uint64_t word = access.address[lane] / 4 + w;
      add_lane(out, place.base + word * place.stride + lane * 4, 4, lane, line_bytes);
    }
  for (std::uint32_t i = 0; i < out.count; ++i) out.line[i].partial = !covered(out.line[i]);
}

// Finds the lines of one group of lanes after another: `find(access, lines)` those of one.
template <class F>
void coalesce_groups(const WarpAccess& access, std::uint32_t lanes, LineList& out, F&& find) {
  out.count = 0;
  for (std::uint32_t first = 0; first < 32; first += lanes) {
    WarpAccess group = access;
    group.mask &= ((1u << lanes) - 1) << first;
    group.shape = {};  // is that of all lanes
    if (group.mask == 0) continue;
    Lines lines{out.line.data() + out.count};
    find(group, lines);
    out.count += lines.count;
  }
}

// The lines of all lanes together, of segments, or of groups of lanes.
template <class F>
void coalesce_by(const WarpAccess& access, std::uint32_t line_bytes, LineList& out, const Coalescing& how,
                 F&& find) {
  const bool segments = how.segments == Segments::BySize;
  const std::uint32_t bytes = segments ? segment_bytes(access.bytes, line_bytes) : line_bytes;
  if (how.lanes == 32) {
    Lines lines{out.line.data()};
    find(access, bytes, lines);
    out.count = lines.count;
  } else {
    coalesce_groups(access, how.lanes, out,
                    [&](const WarpAccess& group, Lines& lines) { find(group, bytes, lines); });
  }
  if (segments) place_in_lines(out, line_bytes);
}

}  // namespace

void coalesce(const WarpAccess& access, std::uint32_t line_bytes, LineList& out, const Coalescing& how) {
  if (how.plain() || access.space == WarpAccess::Space::Texture) [[likely]] {
    Lines lines{out.line.data()};
    coalesce_lines(access, line_bytes, lines);
    out.count = lines.count;
    return;
  }
  coalesce_by(access, line_bytes, out, how, [](const WarpAccess& a, std::uint32_t bytes, Lines& lines) {
    coalesce_lines(a, bytes, lines);
  });
}

void coalesce_local(const WarpAccess& access, const LocalPlace& place, std::uint32_t line_bytes,
                    LineList& out, const Coalescing& how) {
  coalesce_by(access, line_bytes, out, how, [&](const WarpAccess& a, std::uint32_t bytes, Lines& lines) {
    coalesce_local_lines(a, place, bytes, lines);
  });
}

void blocks_in_lines(LineList& list, std::uint32_t block_bytes, std::uint32_t line_bytes) {
  const std::uint32_t all = (1u << block_bytes / mem::kSectorBytes) - 1;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    LineAccess& l = list.line[i];
    const auto offset = static_cast<std::uint32_t>(l.line & (line_bytes - 1));
    l.line -= offset;
    l.words = std::rotl(l.words, static_cast<int>(offset / 4 & 31));
    l.sectors = static_cast<mem::SectorMask>(all << offset / mem::kSectorBytes);
  }
}

std::uint32_t shared_passes(const WarpAccess& access, const SharedBanks& of) {
  const SharedAccess a(access, of);
  std::uint32_t passes = 0;
  const bool pairs = of.pairs && a.words > 1 && a.group < 32 && access.kind == WarpAccess::Kind::Load;
  if (!a.atomic && a.in_one_row()) {
    passes = SharedAccess::groups_with_lanes(access.mask, pairs ? 2 * a.group : a.group);
  } else if (!a.atomic && a.groups_in_rows()) {
    passes = 32 / a.group;
  } else if (pairs) {
    passes = a.passes_of_pairs();
  } else {
    for (std::uint32_t first = 0; first < 32; first += a.group) passes += a.passes_of(first, a.group);
  }
  if (of.ports != 1) [[unlikely]]
    passes = (passes + of.ports - 1) / of.ports;
  return std::max(1u, passes);
}

}  // namespace heddle::sm
