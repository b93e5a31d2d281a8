// The page itself: one HTML file, with a place for the data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/embedded_file.h"

namespace heddle::report {

std::span<const EmbeddedFile> embedded_page();  // web/report.html of the build

// The page that the program carries inside. Throws Error when it was built without.
std::string_view bundled_page();

// JSON that can stand inside a script element, whatever its texts say: <, > and & are written as \u003c,
// \u003e, \u0026.
std::string script_json(const nlohmann::ordered_json& data);

// `page` with `data` in its place. Throws Error when it has no such place.
std::string filled(std::string_view page, const nlohmann::ordered_json& data);

// A Content-Security-Policy under which `page` works and nothing else does: its own scripts by their hashes,
// data from where it came from, nothing from elsewhere.
std::string security_policy(std::string_view page);

}  // namespace heddle::report
