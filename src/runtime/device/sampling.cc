#include "runtime/device/sampling.h"

#include <algorithm>

namespace heddle::runtime {

bool Sampling::wants(const std::string& kernel) const {
  if (wanted_ == 0) return true;
  const auto at = kernels_.find(kernel);
  return at == kernels_.end() || (at->second.timed < wanted_ && at->second.launches >= at->second.next);
}

void Sampling::timed(const std::string& kernel, std::uint64_t cycles, std::uint64_t warp_instructions) {
  Seen& k = kernels_[kernel];
  k.next = std::max(k.launches + 1, k.launches + (k.launches + 1) / 2);
  ++k.launches;
  ++k.timed;
  k.cycles += cycles;
  k.instructions += warp_instructions;
}

std::uint64_t Sampling::estimate(const std::string& kernel, std::uint64_t warp_instructions) const {
  const auto at = kernels_.find(kernel);
  if (at == kernels_.end() || at->second.timed == 0) return 0;
  const Seen& k = at->second;
  if (k.instructions == 0) return k.cycles / k.timed;
  // In whole numbers: the same on every host.
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(k.cycles) * warp_instructions /
                                    k.instructions);
}

}  // namespace heddle::runtime
