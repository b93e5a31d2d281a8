#include "base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace heddle {
namespace {

// Cuts everything inside <> and the argument list.
std::string without_arguments(const std::string& demangled) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (demangled.compare(i, 21, "(anonymous namespace)") == 0) {
      out += "(anonymous namespace)";
      i += 20;
      continue;
    }
    if (c == '<')
      ++depth;
    else if (c == '>')
      --depth;
    else if (c == '(' && depth == 0)
      break;
    else if (depth == 0)
      out += c;
  }
  return out;
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string base_name(const std::string& name) {
  const std::string readable = demangle(name);
  if (readable == name) return name;
  std::string out = without_arguments(readable);
  // A template's name starts with its return type.
  std::string_view trimmed = trim(out);
  const std::size_t anonymous = trimmed.rfind("(anonymous namespace)");
  const std::size_t from = anonymous == std::string_view::npos ? trimmed.size() : anonymous;
  const std::size_t space = trimmed.substr(0, from).rfind(' ');
  return std::string(space == std::string_view::npos ? trimmed : trimmed.substr(space + 1));
}

std::string instance_name(const std::string& name) {
  const std::string readable = demangle(name), base = base_name(name);
  const std::size_t begin = readable.find(base + "<");
  if (begin == std::string::npos) return base;
  std::size_t end = begin + base.size();
  int depth = 0;
  do {
    depth += readable[end] == '<' ? 1 : readable[end] == '>' ? -1 : 0;
    ++end;
  } while (depth > 0 && end < readable.size());
  return readable.substr(begin, end - begin);
}

}  // namespace heddle
