#include "apps/cli/page/browser.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/temporary.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLimit{120};  // of one call; a large page on a slow machine takes some seconds

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::error_code none;
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':'))
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

class Browser {
 public:
  explicit Browser(const fs::path& folder) : program_(find_browser()), folder_(folder) {}

  // What the page is at this fragment when its scripts have run, or what `further` arguments make of it.
  std::string show(const std::string& page, const std::string& fragment,
                   const std::vector<std::string>& further) const {
    write_file(folder_ / "page.html", page);
    std::vector<std::string> command = {program_,
                                        "--headless",
                                        "--disable-gpu",
                                        "--disable-dev-shm-usage",
                                        "--no-first-run",
                                        "--user-data-dir=" + (folder_ / "profile").string(),
                                        "--virtual-time-budget=10000"};
    // Root has no sandbox to go into. The page is our own and fetches nothing.
    if (geteuid() == 0) command.push_back("--no-sandbox");
    command.insert(command.end(), further.begin(), further.end());
    command.push_back("file://" + (folder_ / "page.html").string() + "#" + fragment);
    ProcessResult r = run_process(command, kLimit);
    if (r.start_error != 0)
      throw Error(fmt::format("cannot start {}: {}", program_, std::strerror(r.start_error)));
    if (r.timed_out || r.status != 0)
      throw Error(fmt::format("{} {}:\n{}", program_,
                              r.timed_out ? fmt::format("did not end within {} s", kLimit.count())
                                          : fmt::format("ended with status {}", r.status),
                              printable(trim(r.messages), 2000)),
                  "another browser: HEDDLE_BROWSER=/path/to/chromium");
    return std::move(r.output);
  }

 private:
  std::string program_;
  fs::path folder_;
};

// The JSON that the page wrote into itself at #figures.
nlohmann::json figures_of(const std::string& dom) {
  constexpr std::string_view kId = "id=\"heddle-figures\"", kEnd = "</script>";
  const std::size_t id = dom.find(kId);
  const std::size_t begin = id == std::string::npos ? id : dom.find('>', id);
  const std::size_t end = begin == std::string::npos ? begin : dom.find(kEnd, begin);
  if (end == std::string::npos)
    throw Error("the page did not write its figures", "is it a page of heddle? --page chose it");
  auto json = nlohmann::json::parse(dom.substr(begin + 1, end - begin - 1), nullptr, false);
  if (!json.is_array()) throw Error("the page wrote its figures in a form that this program cannot read");
  return json;
}

// A name that is a file's in every system.
std::string file_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '+';
    out += plain ? c : '-';
  }
  return out.empty() ? "figure" : out;
}

// A page that is nothing but the drawing, on paper of its size.
std::string on_paper(const std::string& svg, double width, double height) {
  return fmt::format(
      "<!DOCTYPE html><meta charset=\"utf-8\"><style>@page {{ size: {}px {}px; margin: 0 }} body {{ margin: "
      "0 }} "
      "svg {{ display: block }}</style>{}",
      width, height, svg);
}

}  // namespace

std::string find_browser() {
  if (const char* own = std::getenv("HEDDLE_BROWSER"); own != nullptr && *own != '\0') return own;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"})
    if (in_path(name)) return name;
  throw Error("figures need Chromium, and it is not installed",
              "install Debian's package: apt install chromium\n"
              "  or name the program: HEDDLE_BROWSER=/path/to/chromium");
}

std::size_t write_figures(const std::string& page, const fs::path& folder) {
  const TemporaryFolder scratch("heddle-page");  // the page, and what the browser writes for itself
  const Browser browser(scratch.path());
  const nlohmann::json figures = figures_of(browser.show(page, "figures", {"--dump-dom"}));
  std::error_code said_below;
  fs::create_directories(folder, said_below);
  for (const auto& figure : figures) {
    const std::string name = figure.at("name"), svg = figure.at("svg");
    const fs::path file = folder / file_name(name);
    write_file(file.string() + ".svg", svg);
    const fs::path pdf = scratch.path() / "figure.pdf";
    browser.show(on_paper(svg, figure.at("width"), figure.at("height")), "",
                 {"--no-pdf-header-footer", "--print-to-pdf=" + pdf.string()});
    write_file(file.string() + ".pdf", read_file(pdf));
  }
  return figures.size();
}

}  // namespace heddle::cli
