#include "study/definition/studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;

fs::path studies_folder() {
  const char* home = std::getenv("HEDDLE_HOME");
  return home == nullptr || *home == 0 ? fs::path() : fs::path(home) / "studies";
}

config::TomlSource read(const fs::path& file) {
  return config::TomlSource(file.string(), read_file(file, 16u << 20));
}

StudySource in_folder(const fs::path& folder, const fs::path& file) {
  const fs::path named = fs::weakly_canonical(folder.empty() ? "." : folder);
  return {
      named.filename().string(), folder.empty() ? "." : folder, read(file), read(folder / "targets.csv"), {}};
}

const EmbeddedFile* embedded(std::string_view path) {
  for (const EmbeddedFile& f : embedded_studies())
    if (f.file == path) return &f;
  return nullptr;
}

// "icc" of "studies/icc/study.toml".
std::string embedded_name(const EmbeddedFile& f) {
  const auto parts = split(f.file, '/');
  return parts.size() == 3 && parts[2] == "study.toml" ? std::string(parts[1]) : std::string();
}

}  // namespace

StudySource find_study(const std::string& what) {
  if (what.ends_with(".toml")) return in_folder(fs::path(what).parent_path(), what);
  if (what.find('/') != std::string::npos) return in_folder(what, fs::path(what) / "study.toml");
  const fs::path folder = studies_folder() / what;
  if (!studies_folder().empty() && fs::exists(folder / "study.toml"))
    return in_folder(folder, folder / "study.toml");
  const std::string path = fmt::format("studies/{}/study.toml", what);
  const EmbeddedFile* file = embedded(path);
  const EmbeddedFile* targets = embedded(fmt::format("studies/{}/targets.csv", what));
  if (file == nullptr || targets == nullptr) {
    const std::vector<std::string> names = study_names();
    const std::string hint = did_you_mean(what, names);
    throw Error(
        fmt::format("no study is called '{}'", printable(what)),
        !hint.empty() ? hint : "studies: " + join(names, ", ") + "; or give a folder with '/' in its name");
  }
  return {what,
          {},
          {path, std::string(file->text)},
          {std::string(targets->file), std::string(targets->text)},
          {}};
}

std::vector<std::string> study_names() {
  std::set<std::string> names;
  for (const EmbeddedFile& f : embedded_studies())
    if (std::string name = embedded_name(f); !name.empty()) names.insert(std::move(name));
  std::error_code none;
  if (!studies_folder().empty())
    for (const fs::directory_entry& e : fs::directory_iterator(studies_folder(), none))
      if (fs::exists(e.path() / "study.toml")) names.insert(e.path().filename().string());
  return {names.begin(), names.end()};
}

fs::path archive_file(const StudySource& source, std::string_view scale) {
  if (source.folder.empty())
    throw Error(
        fmt::format("the study '{}' is inside the program, without a folder for its archive", source.name),
        "start heddle through the script `heddle` of its sources, or set HEDDLE_HOME to them");
  const std::string_view between = source.machine.empty() ? "" : "-";
  return source.folder / "archive" / fmt::format("{}{}{}.json.zst", source.machine, between, scale);
}

}  // namespace heddle::study
