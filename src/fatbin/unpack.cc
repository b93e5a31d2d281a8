#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <limits>

#include "base/error.h"
#include "fatbin/fatbin.h"

namespace heddle::fatbin {
namespace {

// What a damaged header may make us allocate.
constexpr std::uint64_t kLargestUnpacked = std::uint64_t{256} << 20;

Error damaged(const std::string& what) {
  return Error("damaged " + what, "build the program again, or with -no-compress");
}

// One raw block, without a frame: what nvcc writes with -compress-mode=speed, and always wrote before
// CUDA 12.
std::string unpack_lz4(std::span<const std::byte> block, std::uint64_t unpacked_bytes) {
  constexpr std::uint64_t kLargestRatio = 255;  // a byte of the block makes at most so many
  const auto wrong = [](const std::string& why) { return damaged("LZ4 block in a fat binary: " + why); };
  if (block.size() > std::numeric_limits<int>::max()) throw wrong("it is too long");
  if (unpacked_bytes / kLargestRatio > block.size()) throw wrong("it is too short for what it should hold");
  std::string out(unpacked_bytes, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), out.data(),
                                      static_cast<int>(block.size()), static_cast<int>(out.size()));
  if (got < 0) throw wrong(fmt::format("it is wrong at byte {}", -(got + 1)));
  if (static_cast<std::uint64_t>(got) != unpacked_bytes)
    throw wrong(fmt::format("it holds {} bytes, its entry says {}", got, unpacked_bytes));
  return out;
}

std::string unpack_zstd(std::span<const std::byte> frame, std::uint64_t unpacked_bytes) {
  const auto wrong = [](const std::string& why) { return damaged("zstd frame in a fat binary: " + why); };
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) throw wrong("expected a frame's header");
  if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != unpacked_bytes)
    throw wrong(fmt::format("it holds {} bytes, its entry says {}", size, unpacked_bytes));
  std::string out(unpacked_bytes, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0) throw wrong(ZSTD_getErrorName(got));
  if (got != unpacked_bytes)
    throw wrong(fmt::format("it holds {} bytes, its entry says {}", got, unpacked_bytes));
  return out;
}

std::string unpack_bytes(const Entry& entry) {
  switch (entry.packing) {
    case Packing::Lz4:
      return unpack_lz4(entry.payload, entry.unpacked_bytes);
    case Packing::Zstd:
      return unpack_zstd(entry.payload, entry.unpacked_bytes);
    case Packing::Stored:
      break;
  }
  return {reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size()};
}

}  // namespace

std::string unpack(const Entry& entry) {
  if (entry.kind == Kind::Other)
    throw Error("this entry of the fat binary holds neither PTX nor machine code",
                "intermediate code for link-time optimisation (code=lto_XX) cannot be read");
  if (entry.unpacked_bytes > kLargestUnpacked)
    throw Error(fmt::format("an entry of the fat binary says that it holds {} bytes; at most {} are read",
                            entry.unpacked_bytes, kLargestUnpacked),
                "the file may be damaged; build or copy it again");
  std::string out = unpack_bytes(entry);
  if (entry.kind == Kind::Ptx) out.resize(out.find_last_not_of('\0') + 1);
  return out;
}

}  // namespace heddle::fatbin
