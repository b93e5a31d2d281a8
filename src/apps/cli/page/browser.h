// A browser without a window, for the figures of a page.
#pragma once

#include <filesystem>
#include <string>

namespace heddle::cli {

// The program: $HEDDLE_BROWSER, or Chromium by one of its names. Throws Error where there is none.
std::string find_browser();

// Writes every figure of a page that has its data inside as NAME.svg and NAME.pdf; returns how many. Makes
// the folder. Throws Error.
std::size_t write_figures(const std::string& page, const std::filesystem::path& folder);

}  // namespace heddle::cli
