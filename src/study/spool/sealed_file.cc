#include "study/spool/sealed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "study/store/compression.h"
#include "study/store/seal.h"

namespace heddle::study {
namespace {

constexpr int kSealedVersion = 1;

[[noreturn]] void fail_sealed(const std::filesystem::path& file, std::string what, std::string advice = {}) {
  throw Error(SourcePlace{file.string(), 0, 0, {}}, std::move(what), std::move(advice));
}

// All of it, on disk. 0 or an errno.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // not every file system can; none of them needs it to be seen by others
  ::close(fd);
}

namespace {

// False: it is there, and stays.
bool write_beside(const std::filesystem::path& file, std::string_view kind, std::string_view text,
                  bool replace) {
  const std::string bytes = compressed(text, 9);
  const std::string all =
      fmt::format("heddle.{}/{} {}\n{}", kind, kSealedVersion, seal_of(kind, {}, bytes), bytes);
  const std::filesystem::path beside = fmt::format("{}.{}.part", file.string(), ::getpid());
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail_sealed(beside, fmt::format("cannot write the file: {}", std::strerror(errno)));
  int error = write_all(fd, all);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 &&
      (replace ? ::rename(beside.c_str(), file.c_str()) : ::link(beside.c_str(), file.c_str())) != 0)
    error = errno;
  if (error != 0 || !replace) ::unlink(beside.c_str());
  if (error == EEXIST && !replace) return false;
  if (error != 0)
    fail_sealed(file, fmt::format("cannot write the file: {}", std::strerror(error)),
                error == ENOSPC || error == EDQUOT ? "make room, or choose another place with --spool" : "");
  sync_folder(file.parent_path());
  return true;
}

}  // namespace

void write_sealed(const std::filesystem::path& file, std::string_view kind, std::string_view text) {
  write_beside(file, kind, text, true);
}

bool write_new_sealed(const std::filesystem::path& file, std::string_view kind, std::string_view text) {
  return write_beside(file, kind, text, false);
}

std::string read_sealed(const std::filesystem::path& file, std::string_view kind) {
  const std::string all = read_file(file);
  const std::string_view line = std::string_view(all).substr(0, all.find('\n'));
  const std::string begin = fmt::format("heddle.{}/", kind),
                    known = fmt::format("{}{} ", begin, kSealedVersion);
  if (line.starts_with(begin) && !line.starts_with(known))
    fail_sealed(
        file,
        fmt::format("'{}': this heddle knows version {} of a {}", printable(line, 40), kSealedVersion, kind),
        "use the heddle that wrote it");
  if (line.starts_with(known) && line.size() < all.size()) {
    const std::string_view bytes = std::string_view(all).substr(line.size() + 1);
    if (line.substr(known.size()) == seal_of(kind, {}, bytes))
      if (std::optional<std::string> text = decompressed(bytes)) return std::move(*text);
  }
  fail_sealed(file, fmt::format("this is not a {} of heddle, or it is damaged", kind),
              "remove its folder: what it had is submitted again");
}

}  // namespace heddle::study
