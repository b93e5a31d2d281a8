#include "runtime/ptx_link.h"

#include <algorithm>
#include <string_view>

namespace heddle::runtime {
namespace {

constexpr std::string_view kVersion = ".version", kTarget = ".target", kAddressSize = ".address_size";

// Calls f for every line, without its end.
template <class F>
void each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

// "9.0" before "10.0".
bool later(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

}  // namespace

std::string link_ptx(std::span<const std::string> texts) {
  std::string version, target, body;
  for (const std::string& text : texts)
    each_line(text, [&](std::string_view line) {
      const std::string_view words = trimmed(line);
      if (words.starts_with(kVersion)) {
        if (version.empty() || later(std::string(words), version)) version = words;
      } else if (words.starts_with(kTarget)) {
        if (target.empty()) target = words;
      } else if (!words.starts_with(kAddressSize)) {
        body.append(line).append("\n");
      }
    });
  return version + "\n" + target + "\n" + std::string(kAddressSize) + " 64\n" + body;
}

}  // namespace heddle::runtime
