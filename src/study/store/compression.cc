#include "study/store/compression.h"

#include <memory>
#include <new>

#include <fmt/format.h>
#include <zstd.h>

#include "base/error.h"

namespace heddle::study {

namespace {

using Context = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using Stream = std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)>;

}  // namespace

std::string compressed(std::string_view text, int level) {
  const Context context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t n = ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
  if (ZSTD_isError(n) != 0) throw Error(fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  out.resize(n);
  return out;
}

bool has_checksum(std::string_view bytes) {
  // A frame: four bytes of magic number, then a byte whose bit 2 tells.
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  return bytes.size() > kMagic.size() && bytes.starts_with(kMagic) && (bytes[kMagic.size()] & 4) != 0;
}

std::optional<std::string> decompressed(std::string_view bytes) {
  constexpr std::size_t kLargest = 1u << 30;
  const Stream stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  // What the frame says about its size is not believed: memory grows with what is really there.
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string out;
  std::string part(ZSTD_DStreamOutSize(), '\0');
  for (;;) {
    ZSTD_outBuffer to{part.data(), part.size(), 0};
    const std::size_t before = in.pos, left = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(left) != 0 || out.size() + to.pos > kLargest) return std::nullopt;
    out.append(part, 0, to.pos);
    if (left == 0) break;                                      // the end of the frame
    if (to.pos == 0 && in.pos == before) return std::nullopt;  // cut off
  }
  return in.pos == in.size ? std::optional(std::move(out)) : std::nullopt;  // else something follows
}

}  // namespace heddle::study
