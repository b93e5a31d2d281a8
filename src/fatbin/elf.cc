#include "fatbin/elf.h"

namespace heddle::fatbin {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::uint64_t kSectionHeader = 64, kSymbol = 24, kDynamicEntry = 16;
constexpr std::uint64_t kNeeded = 1;               // DT_NEEDED
constexpr std::uint16_t kIndexElsewhere = 0xffff;  // SHN_XINDEX

ElfSection read_section(View file, std::uint64_t at) {
  ElfSection s;
  s.type = file.u32(at + 4);
  s.flags = file.u64(at + 8);
  s.link = file.u32(at + 0x28);
  s.info = file.u32(at + 0x2c);
  if (s.type != elf::kNoBits && s.type != 0) s.contents = file.part(file.u64(at + 0x18), file.u64(at + 0x20));
  return s;
}

}  // namespace

bool is_elf(std::span<const std::byte> file) {
  return View(file, "ELF file").text().starts_with(kElfMagic);
}

Elf::Elf(std::span<const std::byte> bytes) {
  const View file(bytes, "ELF file");
  if (!is_elf(bytes)) throw Error("neither a program, a library, an object (ELF) nor a fat binary");
  if (file.u8(4) != 2 || file.u8(5) != 1)
    throw Error("expected an ELF file of 64 bits, little-endian: CUDA has no other programs");
  machine_ = file.u16(0x12);
  const std::uint64_t table = file.u64(0x28), header = file.u16(0x3a);
  if (table == 0) return;
  if (header < kSectionHeader)
    throw Error(
        fmt::format("damaged ELF file: section headers have {} bytes; expected {}", header, kSectionHeader));
  // Too large for the file's header, both numbers are in the first section's.
  const View first = file.part(table, header);
  const std::uint64_t count = file.u16(0x3c) != 0 ? file.u16(0x3c) : first.u64(0x20);
  const std::uint32_t names_index = file.u16(0x3e) != kIndexElsewhere ? file.u16(0x3e) : first.u32(0x28);
  if (count > file.size() / header)
    throw Error(fmt::format("damaged ELF file: {} sections in {} bytes", count, file.size()));
  file.part(table, header * count);
  sections_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) sections_.push_back(read_section(file, table + i * header));
  const View names = section(names_index).contents;
  for (std::uint64_t i = 0; i < count; ++i) sections_[i].name = names.c_string(file.u32(table + i * header));
}

const ElfSection& Elf::section(std::uint32_t index) const {
  if (index >= sections_.size())
    throw Error(
        fmt::format("damaged ELF file: it names section {}, but has only {}", index, sections_.size()));
  return sections_[index];
}

std::uint64_t Elf::symbols(const ElfSection& table) const {
  return table.contents.size() / kSymbol;
}

ElfSymbol Elf::symbol(const ElfSection& table, std::uint32_t index) const {
  const View s = table.contents.part(index * kSymbol, kSymbol);
  return {section(table.link).contents.c_string(s.u32(0)), static_cast<std::uint8_t>(s.u8(4) & 15), s.u8(5)};
}

std::vector<std::string_view> Elf::needed() const {
  std::vector<std::string_view> names;
  for (const ElfSection& s : sections_) {
    if (s.type != elf::kDynamic) continue;
    const View texts = section(s.link).contents;
    for (std::uint64_t at = 0; at + kDynamicEntry <= s.contents.size(); at += kDynamicEntry) {
      const std::uint64_t tag = s.contents.u64(at);
      if (tag == 0) break;
      if (tag == kNeeded) names.push_back(texts.c_string(s.contents.u64(at + 8)));
    }
    break;  // a file has one
  }
  return names;
}

}  // namespace heddle::fatbin
