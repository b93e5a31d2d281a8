// A set of ports as a bit mask of `Words` 64-bit words.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::noc {

template <unsigned Words>
struct PortSet {
  std::array<std::uint64_t, Words> w{};

  void set(std::uint32_t p) { w[p / 64] |= bit(p); }
  void reset(std::uint32_t p) { w[p / 64] &= ~bit(p); }
  bool has(std::uint32_t p) const { return (w[p / 64] & bit(p)) != 0; }
  bool any() const {
    std::uint64_t all = 0;
    for (unsigned k = 0; k < Words; ++k) all |= w[k];
    return all != 0;
  }
  void clear() { w.fill(0); }
  void add(const PortSet& o) {
    for (unsigned k = 0; k < Words; ++k) w[k] |= o.w[k];
  }
  PortSet operator&(const PortSet& o) const {
    PortSet r;
    for (unsigned k = 0; k < Words; ++k) r.w[k] = w[k] & o.w[k];
    return r;
  }
  PortSet without(const PortSet& o) const {
    PortSet r;
    for (unsigned k = 0; k < Words; ++k) r.w[k] = w[k] & ~o.w[k];
    return r;
  }

  // The first member; the set is not empty. Without branches, and without an index that is only known at run
  // time, which would keep a set from living in registers.
  std::uint32_t first() const {
    std::uint32_t p = 0;
    for (unsigned k = Words; k-- > 0;) p = w[k] != 0 ? k * 64 + low(w[k]) : p;
    return p;
  }
  // The first member at `from` or after it, going round; the set is not empty, `from` < 64 * Words.
  std::uint32_t next(std::uint32_t from) const {
    PortSet after;
    for (unsigned k = 0; k < Words; ++k) {
      const std::uint64_t partly = ~std::uint64_t{0} << (from % 64);
      after.w[k] = w[k] & (from / 64 == k ? partly : from / 64 < k ? ~std::uint64_t{0} : 0);
    }
    return after.any() ? after.first() : first();
  }

  // Calls f for each member in ascending order. f may change the set: members of a word are those it had
  // when its turn came.
  template <class F>
  void each(F&& f) const {
    for (unsigned k = 0; k < Words; ++k)
      for (std::uint64_t m = w[k]; m != 0; m &= m - 1) f(k * 64 + low(m));
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t p) { return std::uint64_t{1} << (p % 64); }
  static std::uint32_t low(std::uint64_t m) { return static_cast<std::uint32_t>(std::countr_zero(m)); }
};

}  // namespace heddle::noc
