#include "apps/cli/page/http_request.h"

#include "base/text.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

ParsedHead refused(int status) {
  ParsedHead p;
  p.status = status;
  return p;
}

std::string without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, colon);
  return lower(host);
}

// "GET /data.json?x HTTP/1.1"; false: it is none.
bool read_first_line(std::string_view line, HttpRequest& r) {
  const auto words = split(line, ' ');
  if (words.size() != 3 || words[0].empty() || !words[1].starts_with('/')) return false;
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0") return false;
  r.method = words[0];
  r.path = words[1].substr(0, words[1].find('?'));
  r.keep_alive = words[2] == "HTTP/1.1";
  return true;
}

}  // namespace

ParsedHead parse_head(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kLongestRequest).find(kEnd);
  if (end == std::string_view::npos) return refused(bytes.size() >= kLongestRequest ? 431 : 0);
  ParsedHead p;
  p.bytes = end + kEnd.size();
  bool first = true, has_host = false;
  for (std::string_view line : split(bytes.substr(0, end), '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (first) {
      if (!read_first_line(line, p.request)) return refused(400);
      first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return refused(400);
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "host") {
      if (has_host) return refused(400);
      has_host = true;
      p.request.host = without_port(value);
    } else if (name == "connection" && lower(value) == "close") {
      p.request.keep_alive = false;
    } else if (name == "transfer-encoding" || (name == "content-length" && value != "0")) {
      // Nobody here reads a body. The answer says what is wrong with the request; then the connection ends.
      p.request.keep_alive = false;
    }
  }
  p.status = 200;
  return p;
}

}  // namespace heddle::cli
