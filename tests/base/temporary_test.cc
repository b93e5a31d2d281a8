// Temporary files: nobody else's, and gone afterwards.
#include "base/temporary.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/error.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class Temporary : public ::testing::Test {
 protected:
  Temporary() : outer_("heddle-test") { ::setenv("TMPDIR", outer_.path().c_str(), 1); }
  ~Temporary() override { ::unsetenv("TMPDIR"); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(outer_.path()), {}));
  }
  TemporaryFolder outer_;
};

mode_t mode_of(const fs::path& file) {
  struct stat s {};
  EXPECT_EQ(::stat(file.c_str(), &s), 0);
  return s.st_mode & 0777;
}

TEST_F(Temporary, AFileWithoutANameHoldsWhatOthersWriteThere) {
  for (const auto where : {UnnamedFile::Where::Memory, UnnamedFile::Where::Disk}) {
    const UnnamedFile file(where);
    EXPECT_EQ(files(), 0u);
    EXPECT_EQ(mode_of(file.path()), 0600u);
    const pid_t child = ::fork();
    if (child == 0) {
      std::ofstream(file.path()) << "from another process\n";
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    std::string text;
    std::ifstream in(file.path());
    std::getline(in, text);
    EXPECT_EQ(text, "from another process");
  }
}

TEST_F(Temporary, NothingStaysOfAKilledProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const UnnamedFile file(UnnamedFile::Where::Disk);
    std::ofstream(file.path()) << "text";
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files(), 0u);
}

TEST_F(Temporary, AFolderGoesWithAllThatIsInIt) {
  {
    const TemporaryFolder folder("x");
    EXPECT_EQ(mode_of(folder.path()), 0700u);
    std::ofstream(folder.path() / "file") << "text";
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Temporary, AFolderIsTrustedOnlyWhenItIsOurs) {
  const fs::path folder = outer_.path() / "cache";
  EXPECT_TRUE(own_folder(folder));
  EXPECT_EQ(mode_of(folder), 0700u);
  EXPECT_TRUE(own_folder(folder)) << "it is there already";
  ::chmod(folder.c_str(), 0777);
  EXPECT_FALSE(own_folder(folder)) << "others can write there";
  ::chmod(folder.c_str(), 0700);
  fs::create_directory_symlink(folder, outer_.path() / "link");
  EXPECT_FALSE(own_folder(outer_.path() / "link"));
  EXPECT_FALSE(own_folder(outer_.path() / "no" / "folder"));
}

TEST_F(Temporary, AFolderThatIsNotThereIsNamed) {
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_ANY_THROW(TemporaryFolder("x"));
}

}  // namespace
}  // namespace heddle
