// The head of an HTTP request: as much of HTTP as a page for this machine needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::cli {

struct HttpRequest {
  std::string method, path;  // the path without a query
  std::string host;          // without its port
  bool keep_alive = true;
};

// A request is no longer than this, whatever is in it.
inline constexpr std::size_t kLongestRequest = 8192;

struct ParsedHead {
  // 0: more must come. 200: `request` is whole, and the first `bytes` are it. Else what to answer before
  // closing, for what follows cannot be told from what belongs to this one.
  int status = 0;
  std::size_t bytes = 0;
  HttpRequest request;
};
ParsedHead parse_head(std::string_view bytes);

}  // namespace heddle::cli
