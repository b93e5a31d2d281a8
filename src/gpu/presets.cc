#include "gpu/presets.h"

#include <algorithm>

#include "gpu/embedded_presets.h"

namespace heddle::gpu {
namespace {

// "# A sentence." at the beginning of the file.
std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t begin = line.find_first_not_of("# ");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

std::vector<Preset> list() {
  std::vector<Preset> result;
  for (const config::BuiltIn& b : embedded_presets()) result.push_back({b.name, first_line(b.text), b.text});
  // Embedded by file name, in which '-' comes before the dot.
  std::sort(result.begin(), result.end(), [](const Preset& a, const Preset& b) { return a.name < b.name; });
  return result;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = list();
  return all;
}

const Preset* find_preset(std::string_view name) {
  const std::span<const Preset> all = presets();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Preset& p) { return p.name == name; });
  return at == all.end() ? nullptr : &*at;
}

config::Presets preset_library(std::vector<std::filesystem::path> folders) {
  return config::Presets(std::move(folders), embedded_presets());
}

config::Config load_config(std::string_view what, std::vector<std::filesystem::path> folders) {
  return config::Config::load(what, preset_library(std::move(folders)));
}

}  // namespace heddle::gpu
