// Sections and symbols of 64-bit little-endian ELF files: programs, objects and cubins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fatbin/view.h"

namespace heddle::fatbin {

namespace elf {
inline constexpr std::uint16_t kAarch64 = 183, kX86_64 = 62, kCuda = 190;  // machines
inline constexpr std::uint32_t kDynamic = 6, kNoBits = 8;                  // section types
}  // namespace elf

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0;
  View contents;  // empty when the file holds none (.bss)
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0, other = 0;
};

class Elf {
 public:
  // Error: not an ELF file, not a 64-bit little-endian one, damaged.
  explicit Elf(std::span<const std::byte> file);

  std::uint16_t machine() const { return machine_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  // Error when there is no such section.
  const ElfSection& section(std::uint32_t index) const;
  // Symbol `index` of the symbol table `table`.
  ElfSymbol symbol(const ElfSection& table, std::uint32_t index) const;
  std::uint64_t symbols(const ElfSection& table) const;
  // Names of the libraries that the dynamic section asks for.
  std::vector<std::string_view> needed() const;

 private:
  std::uint16_t machine_ = 0;
  std::vector<ElfSection> sections_;
};

bool is_elf(std::span<const std::byte> file);

}  // namespace heddle::fatbin
