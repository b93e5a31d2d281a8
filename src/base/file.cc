#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace heddle {
namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view doing, int error) {
  std::string advice;
  if (error == ENOENT) advice = "check the spelling and the folder that you are in";
  if (error == EACCES) advice = "the file's permissions do not allow it";
  if (error == ENOSPC || error == EDQUOT) advice = "make room, or choose another place";
  throw Error(SourcePlace{path.string(), 0, 0, {}}, fmt::format("cannot {}: {}", doing, std::strerror(error)),
              advice);
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, "read the file", errno);
  // fopen opens folders, too; reading then fails with a less helpful message.
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) fail(path, "read the file", EISDIR);
  std::string contents;
  char buffer[1 << 16];
  for (;;) {
    const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get());
    contents.append(buffer, n);
    if (contents.size() > limit)
      throw Error(
          SourcePlace{path.string(), 0, 0, {}},
          fmt::format("the file is larger than {}, the most that is read here", to_string(Bytes{limit})));
    if (n < sizeof buffer) break;
  }
  if (std::ferror(file.get())) fail(path, "read the file", errno);
  return contents;
}

namespace {

using Mode = decltype(stat::st_mode);

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  // All of it, and closes: some file systems tell only then that there was no room. 0 or an errno.
  int write_and_close(std::string_view contents) {
    while (!contents.empty()) {
      const ssize_t n = ::write(fd_, contents.data(), contents.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n < 0 ? errno : EIO;
      contents.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

int opened(const std::filesystem::path& path, int flags, Mode mode = 0) {
  for (;;)
    if (const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode); fd >= 0 || errno != EINTR) return fd;
}

// The number of the descriptor that "/proc/self/fd/5" names. -1: it names none of ours.
int descriptor_named(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::canonical(path.parent_path(), none);
  if (none || folder != fmt::format("/proc/{}/fd", ::getpid())) return -1;
  const std::string name = path.filename();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? number : -1;
}

// What is at the end of a chain of links, whether it is there or not.
struct Target {
  std::filesystem::path path;
  int descriptor = -1;  // "/dev/stdout", "/dev/fd/5": it is open already, and written to where it stands
};

Target behind_links(std::filesystem::path path) {
  constexpr int kMost = 40;  // as the kernel's
  for (int i = 0; i < kMost; ++i) {
    if (const int own = descriptor_named(path); own >= 0) return {path, own};
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(path, no_link);
    if (no_link) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return {path};
}

// A new file beside `path`; its name is in `part`. -1: not possible there.
int open_beside(const std::filesystem::path& path, std::filesystem::path& part) {
  constexpr int kTries = 100;  // what killed programs left behind
  for (int i = 0; i < kTries; ++i) {
    part = path.string() + fmt::format(".{}.{}.part", ::getpid(), i);
    if (const int fd = opened(part, O_WRONLY | O_CREAT | O_EXCL, 0666); fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// 0, or an errno and nothing has changed. `before`: the file that is there, or null. `impossible`: not for
// want of room, but because the folder or the owner does not allow it.
int replace(const std::filesystem::path& path, const struct stat* before, std::string_view contents,
            bool& impossible) {
  std::filesystem::path part;
  Descriptor file(open_beside(path, part));
  impossible = !file && (errno == EACCES || errno == EPERM || errno == EROFS);
  if (!file) return errno;
  int error = 0;
  if (before != nullptr) {
    const bool same_owner =
        ::fchown(file.get(), before->st_uid, before->st_gid) == 0 || before->st_uid == ::geteuid();
    impossible = !same_owner;
    if (!same_owner || ::fchmod(file.get(), before->st_mode & 07777) != 0) error = errno;
  }
  if (error == 0) error = file.write_and_close(contents);
  if (error == 0 && ::rename(part.c_str(), path.c_str()) == 0) return 0;
  if (error == 0) error = errno;
  ::unlink(part.c_str());
  return error;
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view contents) {
  const auto through = [&](int fd) {
    Descriptor file(fd);
    const int error = file ? file.write_and_close(contents) : errno;
    if (error != 0) fail(path, "write the file", error);
  };
  struct stat now {};
  const bool there = ::stat(path.c_str(), &now) == 0;
  if (!there && errno != ENOENT) fail(path, "write the file", errno);
  if (there && S_ISDIR(now.st_mode)) fail(path, "write the file", EISDIR);
  const Target target = behind_links(path);
  if (there && target.descriptor >= 0) return through(::dup(target.descriptor));
  if (there && !S_ISREG(now.st_mode)) return through(opened(path, O_WRONLY));
  // Renaming needs no right to write to what it replaces, but a file that is protected stays.
  if (there && ::access(path.c_str(), W_OK) != 0) fail(path, "write the file", errno);
  bool impossible = there && now.st_nlink > 1;  // its other names would keep the old contents
  if (!impossible) {
    const int error = replace(target.path, there ? &now : nullptr, contents, impossible);
    if (error == 0) return;
    if (!there || !impossible) fail(path, "write the file", error);
  }
  through(opened(target.path, O_WRONLY | O_TRUNC));
}

}  // namespace heddle
