#include "apps/cli/kernel_names.h"

#include <fmt/format.h>

#include <vector>

#include "base/suggest.h"
#include "base/text.h"

namespace heddle::cli {
namespace {

std::string without_namespace(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

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

[[noreturn]] void refuse(const std::vector<const ptx::Function*>& kernels, const std::string& message,
                         const std::string& wanted, const SourcePlace& place) {
  std::vector<std::string> names;
  for (const ptx::Function* k : kernels) names.push_back(base_name(k->name));
  std::string advice = did_you_mean(wanted, names);
  if (!advice.empty()) advice += "\n  ";
  advice += kernels.empty() ? "the module has no kernels" : "kernels:";
  for (const ptx::Function* k : kernels) {
    const std::string readable = demangle(k->name);
    advice += "\n    " + readable + (readable == k->name ? "" : "   [" + k->name + "]");
  }
  throw Error(place, message, advice);
}

}  // namespace

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

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& wanted,
                                 const SourcePlace& place) {
  std::vector<const ptx::Function*> kernels;
  for (const ptx::Function& f : module.functions)
    if (f.entry && !f.external) kernels.push_back(&f);
  // From exact to loose; the first way that finds any decides.
  bool (*const ways[])(const std::string&, const std::string&) = {
      [](const std::string& k, const std::string& w) { return k == w || demangle(k) == w; },
      [](const std::string& k, const std::string& w) { return base_name(k) == w; },
      [](const std::string& k, const std::string& w) { return without_namespace(base_name(k)) == w; },
      [](const std::string& k, const std::string& w) {
        return !w.empty() && (k.find(w) != std::string::npos || demangle(k).find(w) != std::string::npos);
      }};
  for (const auto& matches : ways) {
    std::vector<const ptx::Function*> found;
    for (const ptx::Function* k : kernels)
      if (matches(k->name, wanted)) found.push_back(k);
    if (found.size() == 1) return *found[0];
    if (found.size() > 1)
      refuse(found,
             fmt::format("'{}' could be any of {} kernels; write more of the name", printable(wanted),
                         found.size()),
             "", place);
  }
  refuse(kernels, fmt::format("{} has no kernel '{}'", module.file, printable(wanted)), wanted, place);
}

std::string signature(const ptx::Function& kernel) {
  std::vector<std::string> parts;
  for (const ptx::Variable& p : kernel.params) {
    std::string part = parameter_type(p);
    if (p.size != ptx::bytes(p.type)) part += fmt::format(" (struct of {})", counted(p.size, "byte"));
    parts.push_back(part);
  }
  const std::string readable = demangle(kernel.name);
  return fmt::format("{}\n    takes {}: {}", readable, counted(kernel.params.size(), "argument"),
                     parts.empty() ? "none" : join(parts, ", "));
}

}  // namespace heddle::cli
