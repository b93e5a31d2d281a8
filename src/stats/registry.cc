#include "stats/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::stats {
namespace {

std::string explain_one(const Info& info) {
  std::string out = fmt::format("{}  ({}{})\n", info.name, name(info.kind),
                                info.unit.empty() ? "" : fmt::format(", {}", info.unit));
  out += wrapped(info.description, 100, 2);
  if (!info.formula.empty()) out += fmt::format("  = {}\n", info.formula);
  if (!info.nsight.empty()) out += fmt::format("  Nsight Compute: {}\n", info.nsight);
  return out;
}

}  // namespace

void Registry::take(const Snapshot& snapshot) {
  for (const Statistic& s : snapshot.all()) {
    if (find(s.info.name) != nullptr)
      throw Error(fmt::format("statistic '{}' is declared twice", s.info.name));
    all_.push_back(s.info);
  }
}

const Info* Registry::find(std::string_view name) const {
  for (const Info& info : all_)
    if (info.name == name) return &info;
  return nullptr;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> out;
  for (const Info& info : all_) out.push_back(info.name);
  return out;
}

std::string Registry::explain(std::string_view name) const {
  if (const Info* info = find(name)) return explain_one(*info);
  std::string out;
  const std::string inside = std::string(name) + ".";
  for (const Info& info : all_)
    if (info.name.starts_with(inside)) out += explain_one(info);
  if (out.empty())
    throw Error(fmt::format("there is no statistic '{}'", printable(name)), did_you_mean(name, names()));
  return out;
}

std::string Registry::markdown() const {
  std::string out = "| statistic | kind | unit | meaning | Nsight Compute |\n|---|---|---|---|---|\n";
  for (const Info& info : all_) {
    std::string meaning = info.description;
    if (!info.formula.empty()) meaning += fmt::format(" (`{}`)", info.formula);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", info.name, name(info.kind), info.unit, meaning,
                       info.nsight.empty() ? "" : fmt::format("`{}`", info.nsight));
  }
  return out;
}

}  // namespace heddle::stats
