#include "apps/cli/commands/program_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::cli {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const fs::path file = fs::path(folders.substr(at, end - at)) / name;
    if (is_program(file)) return file;
    at = end + 1;
  }
  return name;
}

bool is_script(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  char mark[2] = {};
  in.read(mark, 2);
  return in && mark[0] == '#' && mark[1] == '!';
}

fs::path library_folder(const std::string& library) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = self.parent_path().parent_path() / HEDDLE_LIBRARIES_RELATIVE;
  for (const fs::path& folder : {installed, fs::path(HEDDLE_LIBRARIES_BUILT)})
    if (fs::exists(folder / library)) return folder;
  throw Error(
      fmt::format("'{}' is neither in '{}' nor in '{}'", library, installed.string(), HEDDLE_LIBRARIES_BUILT),
      "Build all of Heddle: ninja -C build/release");
}

}  // namespace heddle::cli
