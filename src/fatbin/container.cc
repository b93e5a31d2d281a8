#include <fmt/format.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "fatbin/layout.h"
#include "fatbin/view.h"

namespace heddle::fatbin {
namespace {

// Offsets in an entry's header (docs/fat-binaries.md).
constexpr std::uint64_t kSmallestEntryHeader = 64;
constexpr std::uint64_t kFlagDebug = 0x2, kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagsSpecific = 0x300000;  // compute_90a, compute_100f

constexpr std::uint64_t kLargestContainer = std::uint64_t{4} << 30;

Kind kind_of(std::uint16_t number) {
  if (number == static_cast<std::uint16_t>(Kind::Ptx)) return Kind::Ptx;
  if (number == static_cast<std::uint16_t>(Kind::Cubin)) return Kind::Cubin;
  return Kind::Other;
}

Packing packing_of(std::uint64_t flags, std::uint32_t packed_bytes) {
  if (packed_bytes == 0) return Packing::Stored;
  const std::uint64_t packing = flags & (kFlagLz4 | kFlagZstd);
  if (packing == kFlagLz4) return Packing::Lz4;
  if (packing == kFlagZstd) return Packing::Zstd;
  throw Error(fmt::format("unknown compression in a fat binary (flags {:#x}); expected LZ4 or zstd", flags),
              "build the program with -no-compress");
}

// One entry; `at` moves behind it.
Entry read_entry(View container, std::uint64_t& at) {
  const std::uint64_t header_bytes = container.u32(at + 4), payload_bytes = container.u64(at + 8);
  if (header_bytes < kSmallestEntryHeader)
    throw Error(fmt::format("damaged fat binary: an entry's header has {} bytes; expected at least {}",
                            header_bytes, kSmallestEntryHeader));
  const View header = container.part(at, header_bytes);
  const View payload = container.part(at + header_bytes, payload_bytes);
  const std::uint32_t packed_bytes = header.u32(0x10);
  const std::uint64_t flags = header.u64(0x28);
  Entry entry;
  entry.kind = kind_of(header.u16(0));
  entry.ptx_minor = header.u16(0x18);
  entry.ptx_major = header.u16(0x1a);
  entry.architecture = header.u32(0x1c);
  entry.packing = packing_of(flags, packed_bytes);
  entry.debug = (flags & kFlagDebug) != 0;
  entry.specific = (flags & kFlagsSpecific) != 0;
  const std::uint32_t name_at = header.u32(0x20), name_bytes = header.u32(0x24);
  if (name_bytes != 0) entry.source = header.part(name_at, name_bytes).text();
  if (entry.packing == Packing::Stored) {
    entry.payload = payload.bytes();
    entry.unpacked_bytes = payload_bytes;
  } else {
    entry.payload = payload.part(0, packed_bytes).bytes();
    entry.unpacked_bytes = header.u64(0x38);
  }
  at += header_bytes + payload_bytes;
  return entry;
}

}  // namespace

std::uint64_t container_bytes(std::span<const std::byte> container) {
  const View view(container, "fat binary");
  if (view.u32(0) != kContainerMagic)
    throw Error(fmt::format("not a fat binary: it begins with {:#010x}; expected {:#010x}", view.u32(0),
                            kContainerMagic));
  const std::uint64_t version = view.u16(4), header_bytes = view.u16(6), rest = view.u64(8);
  if (version != 1 || header_bytes < kContainerHeader)
    throw Error(
        fmt::format("unknown fat binary: version {}, header of {} bytes; expected version 1 and at "
                    "least {} bytes",
                    version, header_bytes, kContainerHeader));
  if (rest > kLargestContainer)
    throw Error(fmt::format("damaged fat binary: it says that it has {} bytes", rest),
                "the file may be damaged; build or copy it again");
  return header_bytes + rest;
}

std::vector<Entry> entries(std::span<const std::byte> container) {
  const std::uint64_t size = container_bytes(container);
  const View view = View(container, "fat binary").part(0, size);
  std::vector<Entry> all;
  for (std::uint64_t at = view.u16(6); at < size;) all.push_back(read_entry(view, at));
  return all;
}

std::vector<Entry> entries_in_memory(const void* container) {
  const auto* begin = static_cast<const std::byte*>(container);
  return entries({begin, container_bytes({begin, kContainerHeader})});
}

const Entry* choose_ptx(std::span<const Entry> all, std::uint32_t architecture) {
  // General PTX first: compute_90a allows what only that chip has.
  const auto better = [&](const Entry& a, const Entry& b) {
    if (a.specific != b.specific) return b.specific;
    const bool a_fits = a.architecture <= architecture, b_fits = b.architecture <= architecture;
    if (a_fits != b_fits) return a_fits;
    return a_fits ? a.architecture > b.architecture : a.architecture < b.architecture;
  };
  const Entry* best = nullptr;
  for (const Entry& e : all)
    if (e.kind == Kind::Ptx && (best == nullptr || better(e, *best))) best = &e;
  return best;
}

bool is_device_runtime(std::string_view ptx) {
  return ptx.find("cuda_device_runtime") != std::string_view::npos;
}

}  // namespace heddle::fatbin
