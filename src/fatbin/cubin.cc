#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

namespace heddle::fatbin {
namespace {

// Found by experiment with nvcc 13 for sm_75 to sm_120 (docs/fat-binaries.md). Symbols of kernels carry a
// mark; the section
// `.nv.info` holds attributes {u8 format, u8 name, u16 value or size}, followed by that size in the last
// format.
constexpr std::uint8_t kFunction = 2, kMarkKernel = 0x10;
constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kRegisterCount = 0x2f;  // {u32 symbol, u32 registers}

void add_from_info(const Elf& elf, const ElfSection& info, std::map<std::string, std::uint32_t>& out) {
  const ElfSection& table = elf.section(info.link);
  const View view = info.contents;
  std::uint64_t room =
      table.contents.size() + elf.section(table.link).contents.size();  // for names, each once
  for (std::uint64_t at = 0; at < view.size();) {
    const std::uint64_t size = view.u8(at) == kFormatSized ? view.u16(at + 2) : 0;
    const View value = view.part(at + 4, size);
    if (view.u8(at) == kFormatSized && view.u8(at + 1) == kRegisterCount) {
      const ElfSymbol symbol = elf.symbol(table, value.u32(0));
      if (symbol.type == kFunction && (symbol.other & kMarkKernel) != 0) {
        if (symbol.name.size() > room)
          throw Error("damaged machine code: its kernels have more names than fit");
        room -= symbol.name.size();
        out[std::string(symbol.name)] = value.u32(4);
      }
    }
    at += 4 + size;
  }
}

}  // namespace

std::map<std::string, std::uint32_t> registers(std::span<const std::byte> cubin) {
  const Elf elf(cubin);
  if (elf.machine() != elf::kCuda)
    throw Error(fmt::format("expected machine code for a GPU (ELF machine {}), found machine {}", elf::kCuda,
                            elf.machine()));
  std::map<std::string, std::uint32_t> out;
  for (const ElfSection& s : elf.sections())
    if (s.name == ".nv.info") {
      add_from_info(elf, s, out);
      break;
    }
  return out;
}

}  // namespace heddle::fatbin
