// Files made by nvcc (data/make.sh), and files made by hand: containers and ELF.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace heddle::fatbin {

inline std::string data_file(const std::string& name) {
  return read_file(std::string(HEDDLE_FATBIN_DATA) + "/" + name);
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// `value` in `size` bytes at `at`, little-endian; the text grows when it must.
inline void put(std::string& out, std::size_t at, std::uint64_t value, unsigned size) {
  if (out.size() < at + size) out.resize(at + size);
  for (unsigned i = 0; i < size; ++i) out[at + i] = static_cast<char>(value >> (8 * i));
}

struct MadeEntry {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 80;
  std::uint64_t flags = 0;
  std::string payload = {};
  std::uint32_t packed_bytes = 0;
  std::uint64_t unpacked_bytes = 0;
  std::uint32_t header_bytes = 64;
  std::uint32_t name_at = 0, name_bytes = 0;
};

inline std::string container(const std::vector<MadeEntry>& entries) {
  std::string out;
  put(out, 0, 0xBA55ED50, 4);
  put(out, 4, 1, 2);
  put(out, 6, 16, 2);
  put(out, 8, 0, 8);
  for (const MadeEntry& e : entries) {
    std::string header(64, '\0');
    put(header, 0, e.kind, 2);
    put(header, 2, 0x101, 2);
    put(header, 4, e.header_bytes, 4);
    put(header, 8, e.payload.size(), 8);
    put(header, 0x10, e.packed_bytes, 4);
    put(header, 0x18, 4, 2);
    put(header, 0x1a, 7, 2);
    put(header, 0x1c, e.architecture, 4);
    put(header, 0x20, e.name_at, 4);
    put(header, 0x24, e.name_bytes, 4);
    put(header, 0x28, e.flags, 8);
    put(header, 0x38, e.unpacked_bytes, 8);
    out += header + e.payload;
  }
  put(out, 8, out.size() - 16, 8);
  return out;
}

struct MadeSection {
  std::string name;
  std::string contents = {};
  std::uint32_t type = 1, link = 0;
  std::uint64_t flags = 0;
};

// Sections are numbered from 1 in the order given; the names come last.
inline std::string elf_file(std::uint16_t machine, std::vector<MadeSection> sections, bool extended = false) {
  std::string names(1, '\0'), out(64, '\0'), headers(64, '\0');
  sections.push_back({".shstrtab", "", 3, 0});
  for (const MadeSection& s : sections) names += s.name + '\0';
  sections.back().contents = names;
  out.replace(0, 7,
              "\x7f"
              "ELF\x02\x01\x01");
  put(out, 0x12, machine, 2);
  std::size_t name_at = 1;
  for (const MadeSection& s : sections) {
    out.resize((out.size() + 7) / 8 * 8);
    std::string header(64, '\0');
    put(header, 0, name_at, 4);
    put(header, 4, s.type, 4);
    put(header, 8, s.flags, 8);
    put(header, 0x18, out.size(), 8);
    put(header, 0x20, s.contents.size(), 8);
    put(header, 0x28, s.link, 4);
    headers += header;
    out += s.contents;
    name_at += s.name.size() + 1;
  }
  out.resize((out.size() + 7) / 8 * 8);
  put(out, 0x28, out.size(), 8);
  put(out, 0x3a, 64, 2);
  put(out, 0x3c, extended ? 0 : sections.size() + 1, 2);
  put(out, 0x3e, extended ? 0xffff : sections.size(), 2);
  if (extended) {
    put(headers, 0x20, sections.size() + 1, 8);
    put(headers, 0x28, sections.size(), 4);
  }
  return out + headers;
}

inline constexpr std::uint16_t kArm64 = 183, kX86 = 62, kGpu = 190;

}  // namespace heddle::fatbin
