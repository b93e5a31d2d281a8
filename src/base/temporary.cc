#include "base/temporary.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

int open_on_disk(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  // Not every file system has files without names.
  std::string name = (folder / "heddle-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

UnnamedFile::UnnamedFile(Where where) {
  const fs::path folder = fs::temp_directory_path();
  file_ = where == Where::Memory ? ::memfd_create("heddle", MFD_CLOEXEC) : open_on_disk(folder);
  if (file_ < 0)
    throw Error(fmt::format("cannot make a temporary file{}: {}",
                            where == Where::Disk ? fmt::format(" in '{}'", folder.string()) : "",
                            std::strerror(errno)),
                where == Where::Disk ? "Name another folder: TMPDIR=..." : "");
  ::fchmod(file_, 0600);
  path_ = fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
}

UnnamedFile::~UnnamedFile() {
  ::close(file_);
}

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::string name = (fs::temp_directory_path() / (prefix + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("cannot make a folder in '{}': {}", fs::temp_directory_path().string(),
                            std::strerror(errno)),
                "Name another folder: TMPDIR=...");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code stays;
  fs::remove_all(path_, stays);
}

bool own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat s {};
  return ::lstat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == ::geteuid() &&
         (s.st_mode & 0077) == 0;
}

}  // namespace heddle
