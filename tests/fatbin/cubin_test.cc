// Registers per thread in machine code, as the assembler itself reports them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "tests/fatbin/bytes.h"

namespace heddle::fatbin {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Cubin, RegistersAreThoseThatTheAssemblerReports) {
  std::map<std::uint32_t, std::map<std::string, std::uint32_t>> expected;
  std::istringstream lines(data_file("registers.txt"));
  std::uint32_t sm = 0, count = 0;
  std::string name;
  while (lines >> sm >> name >> count) expected[sm][name] = count;
  ASSERT_EQ(expected.size(), 4u);

  const std::string file = data_file("machine_code.fatbin");
  std::map<std::uint32_t, std::map<std::string, std::uint32_t>> found;
  for (const Entry& e : entries(bytes_of(file))) {
    EXPECT_EQ(e.kind, Kind::Cubin);
    const std::string cubin = unpack(e);
    found[e.architecture] = registers(bytes_of(cubin));
  }
  EXPECT_EQ(found, expected);
}

std::string symbol(std::uint32_t name, std::uint8_t type, std::uint8_t other) {
  std::string s(24, '\0');
  put(s, 0, name, 4);
  put(s, 4, type, 1);
  put(s, 5, other, 1);
  return s;
}

std::string register_count(std::uint32_t symbol_index, std::uint32_t count) {
  std::string s("\x04\x2f\x08\x00", 4);
  put(s, 4, symbol_index, 4);
  put(s, 8, count, 4);
  return s;
}

// Symbols: 1 a kernel, 2 a device function.
std::string cubin_with(const std::string& info, std::uint16_t machine = kGpu) {
  const std::string names("\0kernel\0helper\0", 15);
  const std::string symbols = symbol(0, 0, 0) + symbol(1, 2, 0x10) + symbol(8, 2, 0);
  return elf_file(machine,
                  {{".strtab", names, 3, 0}, {".symtab", symbols, 2, 1}, {".nv.info", info, 0x70000000, 2}});
}

TEST(Cubin, OnlyKernelsAreListed) {
  // Two short attributes come first, and one of another name in the long format.
  const std::string others("\x03\x01\x34\x12\x02\x05\x01\x00\x04\x11\x04\x00zzzz", 16);
  const std::string cubin = cubin_with(others + register_count(2, 99) + register_count(1, 40));
  EXPECT_THAT(registers(bytes_of(cubin)), ElementsAre(Pair("kernel", 40u)));
}

TEST(Cubin, DamageIsFound) {
  EXPECT_THROW(registers(bytes_of(cubin_with(register_count(3, 40)))), Error);  // no such symbol
  const std::string cut = register_count(1, 40).substr(0, 10);
  EXPECT_THROW(registers(bytes_of(cubin_with(cut))), Error);
  EXPECT_THROW(registers(bytes_of(cubin_with("\x04\x2f\x04"))), Error);                 // half an attribute
  EXPECT_THROW(registers(bytes_of(cubin_with(register_count(1, 40), kArm64))), Error);  // not a GPU's
  EXPECT_THROW(registers(bytes_of(std::string("not an ELF file"))), Error);
}

}  // namespace
}  // namespace heddle::fatbin
