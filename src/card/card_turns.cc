#include "card/card_turns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

namespace heddle::card {

CardTurns::CardTurns() {
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  if (none) return;
  const std::string name = fmt::format("heddle-card-{}.lock", getuid());
  file_ = open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

CardTurns::~CardTurns() {
  if (file_ >= 0) close(file_);
}

void CardTurns::begin() {
  if (depth_++ != 0 || file_ < 0) return;
  while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

void CardTurns::end() {
  if (--depth_ == 0 && file_ >= 0) flock(file_, LOCK_UN);
}

}  // namespace heddle::card
