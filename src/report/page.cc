#include "report/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/error.h"

namespace heddle::report {

std::string_view bundled_page() {
#ifdef HEDDLE_HAS_PAGE
  return embedded_page().front().text;
#else
  throw Error("this heddle was built without report pages",
              "they need npm when heddle is built: install it (Debian: apt install npm) and build again;\n"
              "  or give a page that was built elsewhere: --page report.html");
#endif
}

std::string script_json(const nlohmann::ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) switch (c) {  // outside of strings JSON has none of these
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  return out;
}

std::string filled(std::string_view page, const nlohmann::ordered_json& data) {
  constexpr std::string_view kPlace = R"(<script type="application/json" id="heddle-data">)";
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos || !page.substr(at + kPlace.size()).starts_with("</script>"))
    throw Error("this page has no place for data", "expected " + std::string(kPlace) + "</script>");
  std::string out(page.substr(0, at + kPlace.size()));
  out += script_json(data);
  out += page.substr(at + kPlace.size());
  return out;
}

std::string security_policy(std::string_view page) {
  constexpr std::string_view kOpen = "<script", kClose = "</script>";
  std::string scripts;
  for (std::size_t at = 0; (at = page.find(kOpen, at)) != std::string_view::npos;) {
    const std::size_t from = page.find('>', at), to = page.find(kClose, at);
    if (from == std::string_view::npos || to == std::string_view::npos || from > to) break;
    // What has a type is data here, and is not run.
    if (page.substr(at, from - at).find("type=") == std::string_view::npos)
      scripts += fmt::format(" 'sha256-{}'", sha256_base64(page.substr(from + 1, to - from - 1)));
    at = to + kClose.size();
  }
  return fmt::format(
      "default-src 'none'; script-src{}; style-src 'unsafe-inline'; font-src data:; img-src data: blob:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      scripts.empty() ? " 'none'" : scripts);
}

}  // namespace heddle::report
