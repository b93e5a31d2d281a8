#include "techniques/warppool/mapping.h"

#include <algorithm>
#include <bit>

namespace heddle::warppool {

Mapping classify(const workload::WarpAccess& load, const sm::LineAccess& line) {
  const std::uint32_t lanes = line.lanes;
  if (std::has_single_bit(lanes)) return Mapping::Single;
  const std::uint64_t width = std::max<std::uint64_t>(4, load.bytes);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const auto word = [&](std::uint32_t lane) { return load.address[lane] / width; };
  const std::uint64_t start = word(first);
  bool same = true, run = true;
  std::uint32_t next = first;
  for (std::uint32_t m = lanes; m != 0; m &= m - 1, ++next) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    same &= word(lane) == start;
    run &= lane == next && word(lane) == start + (lane - first);
  }
  if (same) return lanes == load.mask ? Mapping::Broadcast : Mapping::Random;
  if (!run) return Mapping::Random;
  return lanes == ~0u && line.words == ~0u && load.bytes == 4 ? Mapping::Consecutive : Mapping::Range;
}

}  // namespace heddle::warppool
