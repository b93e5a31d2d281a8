#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

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

// ---- what is written to -----------------------------------------------------------------------------------

namespace fs = std::filesystem;

class Targets : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("heddle_targets_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  static std::string failure(const fs::path& path, std::string_view text = "text") {
    try {
      write_file(path, text);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  static fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

// Through links: a test that fails as root must not cost the machine its devices.
TEST_F(Targets, ADeviceStaysOne) {
  const fs::path null = folder_ / "null";
  fs::create_symlink("/dev/null", null);
  EXPECT_EQ(failure(null), "no error");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(null));
}

TEST_F(Targets, AFullDeviceIsAnError) {
  const fs::path full = folder_ / "full";
  fs::create_symlink("/dev/full", full);
  EXPECT_THAT(failure(full), HasSubstr("full: cannot write the file: No space left on device"));
  EXPECT_TRUE(fs::is_symlink(full));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Targets, APipeIsWrittenInto) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(pipe); });
  const std::string text(200'000, 'x');  // more than a pipe holds
  EXPECT_EQ(failure(pipe, text), "no error");
  reader.join();
  EXPECT_EQ(got, text);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Targets, ALinkStaysALink) {
  const fs::path file = folder_ / "file", link = folder_ / "link", chain = folder_ / "chain";
  write_file(file, "old");
  fs::create_symlink("file", link);
  fs::create_symlink(link, chain);
  write_file(chain, "new");
  EXPECT_TRUE(fs::is_symlink(chain));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(files(), 3u);
}

TEST_F(Targets, ALinkToNothingMakesWhatItNames) {
  const fs::path link = folder_ / "link";
  fs::create_symlink("later", link);
  write_file(link, "text");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(folder_ / "later"), "text");
  fs::create_symlink("round", folder_ / "round");
  EXPECT_THAT(failure(folder_ / "round"), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(Targets, AFileKeepsItsMode) {
  const fs::path file = folder_ / "file";
  for (const auto bits : {0600, 0640, 0666, 0755}) {
    write_file(file, "old");
    fs::permissions(file, static_cast<fs::perms>(bits));
    write_file(file, "new");
    EXPECT_EQ(mode(file), static_cast<fs::perms>(bits));
    EXPECT_EQ(read_file(file), "new");
    fs::remove(file);
  }
  const mode_t before = umask(027);
  write_file(file, "new one");
  umask(before);
  EXPECT_EQ(mode(file), static_cast<fs::perms>(0640));
}

TEST_F(Targets, AFileWithTwoNamesKeepsBoth) {
  const fs::path a = folder_ / "a", b = folder_ / "b";
  write_file(a, "old");
  fs::create_hard_link(a, b);
  write_file(a, "new");
  EXPECT_EQ(read_file(b), "new");
  EXPECT_EQ(fs::hard_link_count(a), 2u);
}

TEST_F(Targets, WhatIsProtectedStays) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const fs::path file = folder_ / "file";
  write_file(file, "old");
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_THAT(failure(file), HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(file), "old");
  // The file may be written, its folder may not.
  fs::permissions(file, static_cast<fs::perms>(0600));
  fs::permissions(folder_, static_cast<fs::perms>(0500));
  EXPECT_EQ(failure(file, "new"), "no error");
  EXPECT_THAT(failure(folder_ / "other"), HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(file), "new");
}

TEST_F(Targets, AnOpenDescriptorIsWrittenToWhereItStands) {
  const fs::path file = folder_ / "file";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(fd, "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(fd), "then ");
  ASSERT_EQ(write(fd, "after", 5), 5);
  close(fd);
  EXPECT_EQ(read_file(file), "before then after");
}

TEST_F(Targets, WhatIsLeftOfAKilledProgramIsNotInTheWay) {
  const fs::path file = folder_ / "file";
  write_file(folder_ / ("file." + std::to_string(getpid()) + ".0.part"), "left");
  write_file(file, "text");
  EXPECT_EQ(read_file(file), "text");
  EXPECT_EQ(files(), 2u);
}

TEST_F(Targets, AFolderIsNone) {
  EXPECT_THAT(failure(folder_), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace heddle
