#include "config/params.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

namespace heddle::config {
namespace {

std::string facts(const Param& p) {
  std::string out = p.kind;
  if (!p.limits.empty()) out += ", " + p.limits;
  out += p.required ? ", required" : ", default " + p.default_value;
  return out;
}

std::string explain_one(const Param& p) {
  std::string out = fmt::format("{}  ({})\n{}", p.path, facts(p), wrapped(p.description, 100, 2));
  for (const NamedChoice& c : p.choices) out += fmt::format("    {:<16} {}\n", c.name, c.description);
  return out;
}

// In a Markdown table cell a bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

void ParamTable::add(Param param) {
  if (find(param.path) == nullptr) params_.push_back(std::move(param));
}

void ParamTable::add_section(std::string path, std::string description) {
  sections_.push_back({std::move(path), std::move(description)});
}

void ParamTable::set_choices(std::string_view path, std::vector<NamedChoice> choices) {
  for (Param& p : params_)
    if (p.path == path) p.choices = std::move(choices);
}

const Param* ParamTable::find(std::string_view path) const {
  for (const Param& p : params_)
    if (p.path == path) return &p;
  return nullptr;
}

std::vector<std::string> ParamTable::paths() const {
  std::vector<std::string> out;
  for (const Param& p : params_) out.push_back(p.path);
  return out;
}

std::string ParamTable::explain(std::string_view path) const {
  if (const Param* p = find(path)) return explain_one(*p);
  std::string out;
  for (const Section& s : sections_)
    if (s.path == path && !s.description.empty()) out += fmt::format("[{}]  {}\n", s.path, s.description);
  const std::string inside = std::string(path) + ".";
  for (const Param& p : params_)
    if (p.path.starts_with(inside)) out += explain_one(p);
  if (!out.empty()) return out;
  const std::vector<std::string> names = paths();
  throw Error(fmt::format("there is no parameter '{}'", printable(path)), did_you_mean(path, names));
}

std::string ParamTable::markdown() const {
  std::string out = "| parameter | kind | default | allowed | meaning |\n|---|---|---|---|---|\n";
  for (const Param& p : params_) {
    std::string allowed = p.limits;
    for (const NamedChoice& c : p.choices)
      allowed += fmt::format("{}`{}`: {}", allowed.empty() ? "" : "; ", c.name, c.description);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", p.path, p.kind,
                       p.required ? "(required)" : "`" + cell(p.default_value) + "`", cell(allowed),
                       cell(p.description));
  }
  return out;
}

}  // namespace heddle::config
