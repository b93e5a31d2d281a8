// A cache for textures beside the L1 of an SM: what hits does not leave the SM, whatever the L1 is like. What
// misses passes the L1 by; fetches for a line under way merge.
//
// Lines may be shorter than those of the machine. A request names the line of the machine in which its block
// lies, with all sectors of the block.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "config/reader.h"
#include "mem/l1_port.h"
#include "mem/merge_table.h"
#include "stats/visitor.h"

namespace heddle::sm {

struct TextureCacheSpec {
  Bytes bytes = 0_B;  // 0: none; textures use the L1
  Bytes line = 64_B;
  std::uint32_t ways = 2;
  std::uint32_t latency = 4;
  std::uint32_t mshr_entries = 64;  // lines under way
  void fields(config::Reader& r);
  bool there() const { return bytes.count() != 0; }
};

// Lines of reads: reads = hits + merged + misses.
struct TextureCacheStats {
  std::uint64_t reads = 0, hits = 0, merged = 0, misses = 0;
  void statistics(stats::Visitor& v);
};

class TextureCache {
 public:
  explicit TextureCache(const TextureCacheSpec& spec);

  const TextureCacheSpec& spec() const { return spec_; }
  // Whether the block is there: it is a hit then, and counted.
  bool hit(const mem::Request& r);

  // A block that was not there when its instruction came: it may have come since, or be under way. After
  // Pending who waits by r.token is answered by reply(). The request that goes to `l1` has `token(entry)`.
  template <class Token>
  mem::L1Port::Answer access(sim::Cycle now, const mem::Request& r, mem::L1Port& l1, Token&& token) {
    using Outcome = mem::L1Port::Outcome;
    full_ = false;
    if (hit(r)) return {Outcome::Hit, now + spec_.latency};
    const std::uint64_t block = block_of(r);
    if (const Fetches::Entry e = fetches_.find(block); e != Fetches::kNone) {
      fetches_.join(e, {r.token, r.sectors});
      ++stats_.reads;
      ++stats_.merged;
      return {Outcome::Pending, 0, true};
    }
    full_ = fetches_.full();
    if (full_) return {};
    const Fetches::Entry e = fetches_.open(block, {r.token, r.sectors}, r.sectors);
    mem::Request fetch = r;
    fetch.token = token(e);
    fetch.no_l1 = true;
    const mem::L1Port::Answer answer = l1.access(now, fetch);
    if (answer.outcome == Outcome::Blocked) {
      fetches_.arrive(e, r.sectors, [](const Waiting&) {});
      return answer;
    }
    stale_[e] = false;
    ++stats_.reads;
    ++stats_.misses;
    return {Outcome::Pending, 0};
  }
  // After Blocked: only an answer can help, not time.
  bool full() const { return full_; }
  // What is not for this cache. After a store or atomic of the SM what is held of its sectors is out of date,
  // and what is under way.
  void passes_by(const mem::Request& r) {
    full_ = false;
    if (r.op != mem::Op::Read) wrote(r);
  }
  // The fetch of `entry` has come: calls f(token) for all who wait.
  template <class F>
  void reply(std::uint32_t entry, const mem::Request& r, F&& f) {
    if (!stale_[entry]) insert(fetches_.key(entry));
    fetches_.arrive(entry, r.sectors, [&](const Waiting& w) { f(w.token); });
  }

  void flush() { tags_.assign(tags_.size(), kEmpty); }
  const TextureCacheStats& statistics() const { return stats_; }
  void clear_statistics() { stats_ = {}; }

 private:
  struct Waiting {
    std::uint32_t token = mem::kNoToken;
    mem::SectorMask missing = 0;
  };
  using Fetches = mem::MergeTable<std::uint64_t, Waiting>;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::uint64_t block_of(const mem::Request& r) const {
    return r.line + static_cast<std::uint64_t>(__builtin_ctz(r.sectors)) * mem::kSectorBytes;
  }
  std::uint64_t* set_of(std::uint64_t block) {
    return &tags_[block / spec_.line.count() % sets_ * spec_.ways];
  }
  bool find(std::uint64_t block);  // it is the most recently used then
  void insert(std::uint64_t block);
  void drop(std::uint64_t block);
  void wrote(const mem::Request& r);

  const TextureCacheSpec spec_;
  std::uint64_t sets_;
  std::vector<std::uint64_t> tags_;  // of a set, most recently used first
  Fetches fetches_;
  std::vector<std::uint8_t> stale_;  // by fetch: written since
  bool full_ = false;
  TextureCacheStats stats_;
};

}  // namespace heddle::sm
