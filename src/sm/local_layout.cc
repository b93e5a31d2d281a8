#include "sm/local_layout.h"

namespace heddle::sm {
namespace {

constexpr std::uint64_t kLocalBase = 0x0060'0000'0000;
constexpr std::uint64_t kPerWarp = std::uint64_t{1} << 24;
constexpr std::uint64_t kPerKernel = std::uint64_t{1} << 36;
constexpr std::uint32_t kKernels = 16;  // that may run at once, with regions of their own

}  // namespace

LocalPlace local_per_warp(std::uint32_t sm, std::uint32_t warp) {
  return {kLocalBase + (std::uint64_t{sm} * 64 + warp) * kPerWarp, 128};
}

LocalPlace local_interleaved(const InterleavedWarp& w) {
  const std::uint64_t cta_bytes = std::uint64_t{w.warps} * 32 * 4;
  const std::uint64_t cta = std::uint64_t{w.place} * w.sms + w.sm;
  return {kLocalBase + w.kernel % kKernels * kPerKernel + cta * cta_bytes + std::uint64_t{w.warp} * 128,
          std::uint64_t{w.places} * w.sms * cta_bytes};
}

}  // namespace heddle::sm
