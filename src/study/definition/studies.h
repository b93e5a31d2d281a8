// Where studies are found: $HEDDLE_HOME/studies/NAME, then those that the program carries inside; a path
// (with '/' in it, or that ends in .toml) is a study of the user's own.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_file.h"
#include "config/toml_tree.h"

namespace heddle::study {

std::span<const EmbeddedFile> embedded_studies();  // studies/*/study.toml and targets.csv

struct StudySource {
  std::string name;
  std::filesystem::path folder;  // empty: inside the program only
  config::TomlSource file, targets;
  std::string machine = {};  // which of the study's machines is meant; empty: its own
};

// Throws Error with the nearest name.
StudySource find_study(const std::string& what);
std::vector<std::string> study_names();  // sorted
// FOLDER/archive/SCALE.json.zst, of another machine MACHINE-SCALE.json.zst; throws Error for a study that has
// no folder.
std::filesystem::path archive_file(const StudySource& source, std::string_view scale);

}  // namespace heddle::study
