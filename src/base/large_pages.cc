#include "base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace heddle {

void prefer_large_pages(std::size_t bytes) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kLarge = std::uintptr_t{2} << 20;
  constexpr std::size_t kChunk = std::size_t{16} << 20;
  // One heap that grows, not a mapping for each vector, and that keeps what was given back: a large page
  // needs neighbours.
  static const bool configured =
      mallopt(M_MMAP_THRESHOLD, 32 << 20) != 0 && mallopt(M_TRIM_THRESHOLD, 512 << 20) != 0;
  if (!configured) return;
  std::vector<void*> pieces;
  for (std::size_t n = 0; n < bytes; n += kChunk) {
    void* const piece = std::malloc(kChunk);
    if (piece == nullptr) break;
    pieces.push_back(piece);
    const auto begin = reinterpret_cast<std::uintptr_t>(piece);
    const std::uintptr_t from = (begin + kLarge - 1) / kLarge * kLarge, to = begin + kChunk;
    madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
  }
  while (!pieces.empty()) {
    std::free(pieces.back());
    pieces.pop_back();
  }
#else
  static_cast<void>(bytes);
#endif
}

}  // namespace heddle
