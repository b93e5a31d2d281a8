// The tags of a set-associative cache: which lines it holds, sector by sector, and which one makes room.
// No data, no time, no queues: L1 and L2 controllers are built on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/reader.h"
#include "mem/request.h"

namespace heddle::cache {

enum class IndexHash : std::uint8_t {
  Linear,
  Fermi,
  Polynomial,
  Xor
};  // Fermi: published, warppool spec rule

struct TagSpec {
  std::uint32_t sets = 64;  // any number; Linear is line modulo sets
  std::uint32_t ways = 6;
  Bytes line = Bytes{128};
  bool sectored = false;  // else a line is one unit: masks are all or nothing
  IndexHash index = IndexHash::Linear;
  std::string replacement = "lru";  // slot: cache/replacement.h
  void fields(config::Reader& r);   // refuses zero sets, lines that are no power of two, ...
};

class Replacement;

class TagStore {
 public:
  explicit TagStore(const TagSpec& spec);
  ~TagStore();

  using Way = std::uint32_t;  // set * ways + way
  static constexpr Way kNone = ~0u;

  Way find(std::uint64_t line_address) const;  // constant time also for hundreds of ways
  void touch(Way w);                           // a use, for the replacement
  // The way that would make room for `line_address`; kNone when every way of its set waits for a fill.
  Way victim(std::uint64_t line_address);
  // Takes over `w` for a new line with no valid sector. The caller has dealt with dirty sectors.
  void allocate(Way w, std::uint64_t line_address);
  void invalidate(Way w);

  std::uint64_t line(Way w) const;
  mem::SectorMask valid(Way w) const;
  mem::SectorMask pending(Way w) const;  // asked for, not yet there: the way cannot be a victim
  mem::SectorMask dirty(Way w) const;
  void set_pending(Way w, mem::SectorMask m);  // adds
  void fill(Way w, mem::SectorMask m);         // pending -> valid
  void set_valid(Way w, mem::SectorMask m);    // adds
  void set_dirty(Way w, mem::SectorMask m);    // adds
  void clean(Way w);
  void drop_sectors(Way w, mem::SectorMask m);  // valid and dirty bits away

  template <class F>
  void for_each_dirty(F&& f) const;  // f(way), ascending
  void flush();                      // forgets all lines (none pending)
  mem::SectorMask all_sectors() const;
  std::uint32_t set_of(std::uint64_t line_address) const;
  const TagSpec& spec() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::cache
