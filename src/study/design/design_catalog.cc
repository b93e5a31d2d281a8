#include "study/design/design_catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "study/design/composition.h"
#include "study/design/design_table.h"

namespace heddle::study {
namespace {

using config::TableReader;
using config::TomlSource;

constexpr config::TomlLimits kDesignLimits{.what = "file of designs"};
constexpr std::size_t kMostDesigns = 64;

bool same_name(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

// A part of a text and where it begins.
struct Part {
  std::string_view text;
  std::size_t at = 0;
};

// Splits outside quotes and brackets: a value may be a list.
std::vector<Part> split_outside(Part whole, char separator) {
  std::vector<Part> parts;
  std::size_t from = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= whole.text.size(); ++i) {
    const char c = i < whole.text.size() ? whole.text[i] : separator;
    const bool end = i == whole.text.size() || (c == separator && depth == 0 && quote == 0);
    if (end) {
      const std::string_view raw = whole.text.substr(from, i - from);
      const std::size_t spaces = std::min(raw.find_first_not_of(" \t\n"), raw.size());
      parts.push_back({trim(raw), whole.at + from + spaces});
      from = i + 1;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
  }
  return parts;
}

// One --designs.
class Chooser {
 public:
  Chooser(const DesignCatalog& catalog, std::vector<Design>& out) : catalog_(catalog), out_(out) {}

  void list(const std::string& text) {
    text_ = &text;
    for (const Part& item : split_outside({text, 0}, ',')) {
      if (item.text.empty())
        throw Error(place(item), "expected the name of a design", "heddle list shows them");
      if (item.text.ends_with(".toml"))
        file(item);
      else if (item.text.find_first_of(":=") != std::string_view::npos)
        own(item);
      else
        named(item);
    }
  }

 private:
  SourcePlace place(const Part& p) const {
    return {"--designs", 1, static_cast<std::uint32_t>(p.at + 1), *text_};
  }

  const Design* find(std::string_view name) const {
    for (const Design& d : out_)
      if (same_name(d.name, name)) return &d;
    return catalog_.find(name);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all = catalog_.names();
    for (const Design& d : out_) all.push_back(d.name);
    return all;
  }

  // By its name, or by those of several.
  Design need(const Part& p) const {
    const std::vector<const Design*> parts =
        parts_of(p.text, [this](std::string_view name) { return find(name); });
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (const auto why = contradiction(*parts[k], *parts[i]))
          throw Error(
              place(p),
              fmt::format("'{}' and '{}' do not go together: {}", parts[k]->name, parts[i]->name, *why),
              "heddle describe GPU --pairs shows which do; NAME:A:B takes what B sets over A's");
    if (parts.size() == 1) return *parts.front();
    if (!parts.empty()) return together(parts);
    const std::string hint = did_you_mean(p.text, names());
    throw Error(place(p), fmt::format("no design is called '{}'", printable(p.text)),
                hint.empty() ? "heddle list shows them; one of your own: NAME:path=value:path=value" : hint);
  }

  void add(Design d, const SourcePlace& at) {
    for (const Design& other : out_)
      if (same_name(other.name, d.name))
        throw Error(at, fmt::format("the design '{}' is there already", d.name),
                    "give each design once, and each of your own a name of its own");
    if (out_.size() == kMostDesigns)
      throw Error(at, fmt::format("more than {} designs", kMostDesigns), "compare them in parts");
    out_.push_back(std::move(d));
  }

  void named(const Part& item) {
    Design d = need(item);
    d.place = place(item);
    for (Assignment& a : d.sets) a.place = d.place;
    add(std::move(d), place(item));
  }

  void own(const Part& item) {
    const std::vector<Part> parts = split_outside(item, ':');
    Design d;
    d.name = parts[0].text;
    d.place = place(parts[0]);
    if (d.name.empty() || d.name.find('=') != std::string::npos)
      throw Error(d.place, "a design of your own needs a name first", "NAME:path=value:path=value");
    if (catalog_.find(d.name) != nullptr)
      throw Error(d.place, fmt::format("'{}' is the name of a design that exists", d.name),
                  fmt::format("with another name before it, NAME:{}:path=value builds on it", d.name));
    std::vector<std::string> words;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      words.emplace_back(parts[i].text);
      if (parts[i].text.find('=') != std::string_view::npos) {
        d.sets.push_back({std::string(parts[i].text), place(parts[i])});
        continue;
      }
      const Design base = need(parts[i]);
      if (!base.machine.empty()) d.machine = base.machine;
      for (const Assignment& a : base.sets) d.sets.push_back({a.text, place(parts[i])});
    }
    d.description = join(words, ", ");
    add(std::move(d), place(parts[0]));
  }

  void file(const Part& item) {
    const TomlSource source(std::string(item.text), read_file(std::string(item.text), kDesignLimits.bytes));
    const config::TomlNode root = parse_toml(source, kDesignLimits);
    TableReader t(source, root, "the file");
    const std::size_t before = out_.size();
    t.named_tables("design", [&](TableReader& r, const std::string& name) {
      const auto base = [&](std::string_view wanted) { return find(wanted); };
      Design d = read_design(r, name, {}, base, names());
      if (d.description.empty()) {
        std::vector<std::string> words;
        for (const Assignment& a : d.sets) words.push_back(a.text);
        d.description = words.empty() ? "the machine as it is" : join(words, ", ");
      }
      const SourcePlace at = d.place;
      add(std::move(d), at);
    });
    t.finish();
    if (out_.size() == before)
      throw Error(SourcePlace{source.file(), 0, 0, {}}, "the file has no [design.NAME]",
                  "[design.big] set = { l1.ways = 8 } makes one (docs/compare.md)");
  }

  const DesignCatalog& catalog_;
  std::vector<Design>& out_;
  const std::string* text_ = nullptr;
};

std::vector<std::string> known_names(TableReader& t, std::string_view key, const DesignCatalog& catalog) {
  t.require(key, "a list of designs");
  std::vector<std::string> names = t.texts(key);
  for (const std::string& name : names)
    if (catalog.find(name) == nullptr)
      t.fail(*t.find(key), fmt::format("no design is called '{}'", printable(name)),
             did_you_mean(name, catalog.names()));
  if (names.empty()) t.fail(*t.find(key), "expected at least one design");
  return names;
}

void add_designs(TableReader& t, DesignCatalog& catalog) {
  t.named_tables("design", [&](TableReader& r, const std::string& name) {
    if (catalog.find(name) != nullptr) r.fail(fmt::format("'{}' names another design already", name));
    NamedDesign d;
    const auto base = [&](std::string_view wanted) { return catalog.find(wanted); };
    d.design = read_design(r, name, {}, base, catalog.names());
    if (d.design.description.empty()) r.fail("expected a description in one line");
    if (name.find(',') != std::string::npos)
      r.fail(fmt::format("'{}': a comma divides designs on the command line", printable(name)),
             "give it a name without one");
    d.also = r.texts("also");
    for (const std::string& other : d.also)
      if (catalog.find(other) != nullptr)
        r.fail(*r.find("also"), fmt::format("'{}' names another design already", printable(other)));
    d.paper = r.text("paper").value_or("");
    d.in_pairs = r.flag("in_pairs").value_or(false);
    catalog.designs.push_back(std::move(d));
  });
}

}  // namespace

const Design* DesignCatalog::find(std::string_view name) const {
  for (const NamedDesign& d : designs) {
    const auto is = [&](const std::string& other) { return same_name(other, name); };
    if (is(d.design.name) || std::any_of(d.also.begin(), d.also.end(), is)) return &d.design;
  }
  return nullptr;
}

std::vector<std::string> DesignCatalog::names() const {
  std::vector<std::string> all;
  for (const NamedDesign& d : designs) {
    all.push_back(d.design.name);
    all.insert(all.end(), d.also.begin(), d.also.end());
  }
  return all;
}

DesignCatalog parse_catalog(const TomlSource& source, std::span<const TomlSource> techniques) {
  const config::TomlNode root = parse_toml(source, kDesignLimits);
  TableReader t(source, root, "the catalog of designs");
  DesignCatalog catalog;
  add_designs(t, catalog);
  for (const TomlSource& technique : techniques) {
    const config::TomlNode its_root = parse_toml(technique, kDesignLimits);
    TableReader its(technique, its_root, "the designs of a technique");
    add_designs(its, catalog);
    its.finish();
  }
  TableReader defaults(source, t.require("default", "[default] with clusters and single"), "[default]");
  catalog.default_clusters = known_names(defaults, "clusters", catalog);
  catalog.default_single = known_names(defaults, "single", catalog);
  defaults.finish();
  t.finish();
  return catalog;
}

const DesignCatalog& design_catalog() {
  static const DesignCatalog catalog = [] {
    std::vector<TomlSource> main, techniques;
    for (const EmbeddedFile& f : embedded_designs())
      (f.file.starts_with("studies/") ? main : techniques)
          .emplace_back(std::string(f.file), std::string(f.text));
    return parse_catalog(main.front(), techniques);
  }();
  return catalog;
}

std::vector<Design> choose_designs(std::span<const std::string> texts, const DesignCatalog& catalog) {
  std::vector<Design> designs;
  Chooser chooser(catalog, designs);
  for (const std::string& text : texts) chooser.list(text);
  return designs;
}

std::vector<DesignItem> design_items(std::string_view text, const DesignCatalog& catalog) {
  std::vector<DesignItem> items;
  for (const Part& item : split_outside({text, 0}, ',')) {
    DesignItem one{std::string(item.text), {}};
    if (!item.text.ends_with(".toml")) one.name = split_outside(item, ':').front().text;
    if (const Design* d = catalog.find(one.name)) one.name = d->name;
    items.push_back(std::move(one));
  }
  return items;
}

}  // namespace heddle::study
