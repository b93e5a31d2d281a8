#include "study/design/design_table.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"

namespace heddle::study {
namespace {

using config::TableReader;
using config::TomlNode;
using config::TomlSource;

std::string value_text(const TomlSource& source, const TomlNode& n) {
  if (const auto* b = std::get_if<bool>(&n.data)) return config::Value{*b}.toml();
  if (const auto* i = std::get_if<std::int64_t>(&n.data)) return config::Value{*i}.toml();
  if (const auto* d = std::get_if<double>(&n.data)) return config::Value{*d}.toml();
  if (const std::string* s = n.text()) return config::Value{*s}.toml();
  if (n.list() == nullptr) throw Error(source.place(n), "expected a value, got a table");
  std::vector<std::string> parts;
  for (const TomlNode& element : *n.list()) parts.push_back(value_text(source, element));
  return "[" + join(parts, ", ") + "]";
}

void flatten(const TomlSource& source, const TomlNode& table, const std::string& prefix,
             std::vector<Assignment>& out) {
  for (const config::TomlMember& m : *table.table()) {
    if (m.node.table() != nullptr)
      flatten(source, m.node, prefix + m.key + ".", out);
    else
      out.push_back({prefix + m.key + "=" + value_text(source, m.node), source.place(m.line, m.column)});
  }
}

}  // namespace

std::vector<Assignment> read_assignments(TableReader& t, std::string_view key) {
  std::vector<Assignment> all;
  const TomlNode* n = t.find(key);
  if (n == nullptr) return all;
  if (n->table() == nullptr)
    t.fail(*n, fmt::format("'{}': expected assignments, {{ l1.ways = 8 }}, got {}", key, n->kind()));
  flatten(t.source(), *n, "", all);
  return all;
}

Design read_design(TableReader& t, const std::string& name, const Design& start, const FindDesign& find,
                   const std::vector<std::string>& known) {
  Design d = start;
  if (const auto base = t.text("base")) {
    const Design* from = find(*base);
    if (from == nullptr)
      t.fail(*t.find("base"), fmt::format("no design above this one is called '{}'", printable(*base)),
             did_you_mean(*base, known));
    d.machine = from->machine;
    d.sets = from->sets;
  }
  d.name = name;
  d.place = t.source().place(t.node());
  d.description = t.text("description").value_or("");
  if (const auto machine = t.text("machine")) d.machine = *machine;
  for (Assignment& a : read_assignments(t, "set")) d.sets.push_back(std::move(a));
  return d;
}

}  // namespace heddle::study
