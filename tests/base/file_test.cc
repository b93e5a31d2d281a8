#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle {
namespace {

using testing::HasSubstr;

std::string message_of(const std::filesystem::path& path, std::uint64_t limit = kNoLimit) {
  try {
    read_file(path, limit);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(File, WritesAndReads) {
  const std::filesystem::path path = testing::TempDir() + "heddle_file_test.txt";
  const std::string contents("zero\0byte\n", 10);
  write_file(path, contents);
  EXPECT_EQ(read_file(path), contents);
  write_file(path, "again");
  EXPECT_EQ(read_file(path, 5), "again");
  EXPECT_THAT(message_of(path, 4), HasSubstr("larger than 4B"));
  std::filesystem::remove(path);
}

TEST(File, ErrorsNameTheFile) {
  EXPECT_THAT(message_of("/nonexistent/file.toml"),
              HasSubstr("/nonexistent/file.toml: cannot read the file: No such"));
  EXPECT_THAT(message_of("/tmp"), HasSubstr("Is a directory"));
  EXPECT_THROW(write_file("/nonexistent/file", "x"), Error);
}

}  // namespace
}  // namespace heddle
