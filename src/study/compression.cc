#include "study/compression.h"

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"

namespace heddle::study {

std::string compressed(std::string_view text, int level) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level);
  if (ZSTD_isError(n) != 0) throw Error(fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  out.resize(n);
  return out;
}

std::optional<std::string> decompressed(std::string_view bytes) {
  constexpr unsigned long long kLargest = 1ull << 30;
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > kLargest) return std::nullopt;  // the two error codes are larger
  std::string out(size, '\0');
  if (ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size()) != size) return std::nullopt;
  return out;
}

}  // namespace heddle::study
