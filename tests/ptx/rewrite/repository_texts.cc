#include "rewrite/repository_texts.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "golden/golden_data.h"

namespace heddle::ptx {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& e : fs::recursive_directory_iterator(folder))
    if (e.is_regular_file()) found.push_back(e.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Recorded cases are many modules, one behind the other.
void add_modules(const std::string& name, const std::string& all, std::vector<NamedText>& to) {
  for (std::size_t at = all.find(".version"), n = 0; at != std::string::npos; ++n) {
    const std::size_t next = all.find(".version", at + 1);
    to.push_back({name + "#" + std::to_string(n), all.substr(at, next - at)});
    at = next;
  }
}

}  // namespace

std::vector<NamedText> repository_texts() {
  const fs::path root = HEDDLE_TESTS_DIR "/..";
  std::vector<NamedText> all;
  for (const char* folder : {"examples", "validation", "workloads", "tests"})
    for (const fs::path& path : files_below(root / folder)) {
      const std::string name = path.lexically_relative(root).string();
      if (path.extension() == ".ptx") all.push_back({name, read_file(path)});
      if (path.extension() == ".zst" && path.stem().extension() == ".ptx")
        add_modules(name, golden::read_zstd(path.string()), all);
    }
  return all;
}

std::vector<NamedText> fuzzer_texts() {
  std::vector<NamedText> all;
  for (const fs::path& path : files_below(HEDDLE_TESTS_DIR "/fuzz/corpus/ptx"))
    if (std::string text = read_file(path); !text.empty()) all.push_back({path.string(), text.substr(1)});
  return all;
}

}  // namespace heddle::ptx
