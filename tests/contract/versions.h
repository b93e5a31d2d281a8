// Versions of sectors, in place of the data that timing caches do not hold: every write that passes makes
// its sectors one version newer, and a kernel's end all sectors. What a read brings has the version of when
// the read was sent: it may have met memory at once.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "mem/request.h"
#include "sim/time.h"

namespace heddle::contract {

using Version = std::uint64_t;
using Sector = std::pair<std::uint64_t, std::uint32_t>;  // line, number in the line

template <class F>
void for_each_sector(const mem::Request& r, F&& f) {
  for (std::uint32_t s = 0; s < mem::kMaxSectors; ++s)
    if ((r.sectors >> s & 1) != 0) f(Sector{r.line, s});
}

class Versions {
 public:
  void wrote(Sector s) { ++writes_[s]; }
  void kernel_end() { ++kernels_; }
  Version of(Sector s) const {
    const auto it = writes_.find(s);
    return kernels_ + (it == writes_.end() ? 0 : it->second);
  }
  std::map<Sector, Version> of(const mem::Request& r) const {
    std::map<Sector, Version> all;
    for_each_sector(r, [&](Sector s) { all[s] = of(s); });
    return all;
  }

 private:
  std::map<Sector, std::uint64_t> writes_;
  std::uint64_t kernels_ = 1;
};

// A linear congruential generator: the same streams on every host.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::contract
