#pragma once

#include <string>

namespace heddle::cli {

// A report page (docs/report.md).
struct PageOptions {
  std::string html;     // the page to this file
  std::string figures;  // its figures as SVG and PDF to this folder
  std::string page;     // another page than the bundled one
  std::string command;  // as the user typed it

  bool wanted() const { return !html.empty() || !figures.empty(); }
};

}  // namespace heddle::cli
