// JSON from outside: files and what a store keeps.
#pragma once

#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace heddle::study {

// Json: nlohmann's, ordered or not. Throws Error where it is nested deeper than any of ours: copying and
// writing it would take as much stack. Else as Json::parse.
template <class Json>
Json parse_json(std::string_view text) {
  constexpr std::size_t kDeepest = 64;
  if (nesting(text) > kDeepest) throw Error("not a record of heddle: its JSON is nested too deep");
  return Json::parse(text);
}

}  // namespace heddle::study
