#include "runtime/device/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::runtime {

LineFile::LineFile(const std::string& name)
    : name_(name), file_(::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0)
    throw Error(fmt::format("cannot write '{}': {}", name, std::strerror(errno)), "Is its folder there?");
}

LineFile::~LineFile() {
  if (file_ >= 0) ::close(file_);
}

LineFile::LineFile(LineFile&& other) noexcept
    : name_(std::move(other.name_)), file_(std::exchange(other.file_, -1)) {}

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  return *this;
}

bool LineFile::is_empty() const {
  struct stat s {};
  return ::fstat(file_, &s) != 0 || s.st_size == 0;
}

int LineFile::add(std::string line) {
  if (file_ < 0) return 0;
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = ::write(file_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(std::exchange(file_, -1));
      return error;
    }
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace heddle::runtime
