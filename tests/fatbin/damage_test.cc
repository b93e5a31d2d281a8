// Files cut off anywhere, and files with wrong bytes: an Error or a result, never anything else.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "fatbin/fatbin.h"
#include "tests/fatbin/bytes.h"

namespace heddle::fatbin {
namespace {

const std::vector<std::string> kFiles = {
    "zstd.fatbin",         "lz4.fatbin",  "stored.fatbin", "debug.fatbin",    "several.fatbin", "lto.fatbin",
    "machine_code.fatbin", "both.fatbin", "object.elf",    "relocatable.elf", "shared"};

void read_everything(const std::string& file) {
  const Program program = parse_program(bytes_of(file));
  for (const auto& module : program.modules)
    for (const Entry& e : entries(module)) {
      if (e.kind == Kind::Other) continue;
      const std::string contents = unpack(e);
      if (e.kind == Kind::Cubin) registers(bytes_of(contents));
    }
  obstacles(program);
}

TEST(Damage, WholeFilesAreRead) {
  for (const std::string& name : kFiles) EXPECT_NO_THROW(read_everything(data_file(name))) << name;
}

TEST(Damage, AFileThatWasCutOffIsAnError) {
  for (const std::string& name : kFiles) {
    const std::string whole = data_file(name);
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_THROW(read_everything(whole.substr(0, size)), Error) << name << " cut to " << size << " bytes";
  }
}

RC_GTEST_PROP(Damage, WrongBytesGiveAnErrorOrAResult, ()) {
  std::string file = data_file(*rc::gen::elementOf(kFiles));
  const auto changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i)
    file[*rc::gen::inRange<std::size_t>(0, file.size())] = *rc::gen::arbitrary<char>();
  try {
    read_everything(file);
  } catch (const Error&) {
  }
}

// Most bytes of a file are payload; these are the numbers that a reader must not believe.
RC_GTEST_PROP(Damage, WrongHeadersGiveAnErrorOrAResult, ()) {
  std::string file = data_file(*rc::gen::elementOf(kFiles));
  const bool container = file.front() == '\x50';
  const std::size_t headers = container ? 0 : static_cast<std::size_t>(file.size() - 64 * 16);
  const auto changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, container ? 96 : 64 * 16);
    file[headers + at] = *rc::gen::arbitrary<char>();
  }
  try {
    read_everything(file);
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace heddle::fatbin
