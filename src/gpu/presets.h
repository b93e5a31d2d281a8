// The machines that come with the program: configs/*.toml, embedded at build time.
//
// Wherever a preset's name is accepted, a user's file is as well: a name with '/' in it, or that ends in
// .toml, is a file. A user's file may inherit from a preset (`inherits = "v100"`).
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace heddle::gpu {

struct Preset {
  std::string_view name;         // "v100"
  std::string_view description;  // the file's first line
  std::string_view text;         // TOML
};

std::span<const Preset> presets();  // by name
const Preset* find_preset(std::string_view name);

// For config::Config: DIR/NAME.toml in `folders` first, then the built-in ones.
config::Presets preset_library(std::vector<std::filesystem::path> folders = {});
// A configuration by preset name or path. Throws Error.
config::Config load_config(std::string_view what, std::vector<std::filesystem::path> folders = {});

}  // namespace heddle::gpu
