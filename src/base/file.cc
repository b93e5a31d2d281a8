#include "base/file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

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

void write_file(const std::filesystem::path& path, std::string_view contents) {
  const std::filesystem::path part = path.string() + fmt::format(".{}.part", ::getpid());
  File file(std::fopen(part.c_str(), "wb"));
  if (!file) fail(path, "write the file", errno);
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file.get()) == contents.size();
  const bool flushed = std::fflush(file.get()) == 0;
  int error = errno;
  file.reset();
  if (written && flushed) {
    if (std::rename(part.c_str(), path.c_str()) == 0) return;
    error = errno;
  }
  std::remove(part.c_str());
  fail(path, "write the file", error);
}

}  // namespace heddle
