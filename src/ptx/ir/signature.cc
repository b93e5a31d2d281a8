#include "ptx/ir/signature.h"

#include <fmt/format.h>

#include <vector>

#include "base/demangle.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::ptx {
namespace {

std::string without_namespace(const std::string& name) {
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

[[noreturn]] void refuse_name(const std::vector<const Function*>& kernels, const std::string& message,
                              const std::string& wanted, const SourcePlace& place) {
  std::vector<std::string> names;
  for (const Function* k : kernels) names.push_back(base_name(k->name));
  std::string advice = did_you_mean(wanted, names);
  if (!advice.empty()) advice += "\n  ";
  advice += kernels.empty() ? "the module has no kernels" : "kernels:";
  for (const Function* k : kernels) {
    const std::string readable = demangle(k->name);
    advice += "\n    " + readable + (readable == k->name ? "" : "   [" + k->name + "]");
  }
  throw Error(place, message, advice);
}

}  // namespace

const Function& find_kernel(const Module& module, const std::string& wanted, const SourcePlace& place) {
  std::vector<const Function*> kernels;
  for (const Function& f : module.functions)
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
    std::vector<const Function*> found;
    for (const Function* k : kernels)
      if (matches(k->name, wanted)) found.push_back(k);
    if (found.size() == 1) return *found[0];
    if (found.size() > 1)
      refuse_name(found,
                  fmt::format("'{}' could be any of {} kernels; write more of the name", printable(wanted),
                              found.size()),
                  "", place);
  }
  refuse_name(kernels, fmt::format("{} has no kernel '{}'", module.file, printable(wanted)), wanted, place);
}

std::string signature(const Function& kernel) {
  std::vector<std::string> parts;
  for (const Variable& p : kernel.params) {
    std::string part = parameter_type(p);
    if (p.size != bytes(p.type)) part += fmt::format(" (struct of {})", counted(p.size, "byte"));
    parts.push_back(part);
  }
  const std::string readable = demangle(kernel.name);
  return fmt::format("{}\n    takes {}: {}", readable, counted(kernel.params.size(), "argument"),
                     parts.empty() ? "none" : join(parts, ", "));
}

}  // namespace heddle::ptx
