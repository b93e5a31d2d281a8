#include "sm/texture_cache.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::sm {

namespace {

// Requests that may wait for one line: those of all lanes of all warps, more than ever do.
constexpr std::uint32_t kMostWaiting = 1u << 16;

}  // namespace

void TextureCacheSpec::fields(config::Reader& r) {
  using config::range;
  r.field("bytes", bytes, range(0_B, 1_MiB),
          "Size; 0: none, textures are read through the L1. What misses passes the L1 by");
  r.field("line", line, range(32_B, 256_B).power_of_two(), "Line, at most that of the L1");
  r.field("ways", ways, range(1u, 64u), "Lines of a set; the least recently used one makes room");
  r.field("latency", latency, range(1u, 1000u), "Cycles from access to data of a hit");
  r.field("mshr_entries", mshr_entries, range(1u, 4096u), "Lines under way at the same time");
  if (!there())
    r.unused({"line", "ways", "latency", "mshr_entries"}, "there is no cache for textures (bytes = 0)");
  if (bytes.count() % (line.count() * ways) != 0)
    r.fail("bytes",
           fmt::format("{} are no whole sets of {} lines of {}", to_string(bytes), ways, to_string(line)),
           fmt::format("give a multiple of {}", to_string(Bytes{line.count() * ways})));
}

void TextureCacheStats::statistics(stats::Visitor& v) {
  v.counter("reads", reads,
            {"requests", "Lines of textures that loads asked for (with sm.texture_cache.bytes)"});
  v.counter("hits", hits, {"requests", "Of these: there"});
  v.counter("merged", merged, {"requests", "Of these: under way already"});
  v.counter("misses", misses, {"requests", "Of these: asked of the level below"});
  v.ratio("hit_rate", hits, reads, {"", "Share of lines that were there"});
}

TextureCache::TextureCache(const TextureCacheSpec& spec)
    : spec_(spec),
      sets_(spec.bytes.count() / spec.line.count() / spec.ways),
      tags_(sets_ * spec.ways, kEmpty),
      fetches_(spec.mshr_entries, kMostWaiting),
      stale_(spec.mshr_entries) {}

bool TextureCache::hit(const mem::Request& r) {
  if (!find(block_of(r))) return false;
  ++stats_.reads;
  ++stats_.hits;
  return true;
}

bool TextureCache::find(std::uint64_t block) {
  std::uint64_t* const set = set_of(block);
  std::uint64_t* const at = std::find(set, set + spec_.ways, block);
  if (at == set + spec_.ways) return false;
  std::rotate(set, at, at + 1);
  return true;
}

void TextureCache::insert(std::uint64_t block) {
  std::uint64_t* const set = set_of(block);
  std::copy_backward(set, set + spec_.ways - 1, set + spec_.ways);
  *set = block;
}

void TextureCache::drop(std::uint64_t block) {
  std::uint64_t* const set = set_of(block);
  std::uint64_t* const at = std::find(set, set + spec_.ways, block);
  if (at != set + spec_.ways) {
    std::rotate(at, at + 1, set + spec_.ways);
    set[spec_.ways - 1] = kEmpty;
  }
  if (const Fetches::Entry e = fetches_.find(block); e != Fetches::kNone) stale_[e] = true;
}

void TextureCache::wrote(const mem::Request& r) {
  std::uint64_t last = kEmpty;
  for (std::uint32_t m = r.sectors; m != 0; m &= m - 1) {
    const std::uint64_t at = r.line + static_cast<std::uint64_t>(__builtin_ctz(m)) * mem::kSectorBytes;
    const std::uint64_t block = at / spec_.line.count() * spec_.line.count();
    if (block != last) drop(block);
    last = block;
  }
}

}  // namespace heddle::sm
