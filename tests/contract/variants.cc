#include "tests/contract/variants.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace heddle::contract {

std::optional<std::uint64_t> least_of(const config::Param& p) {
  if (p.kind != "integer") return std::nullopt;
  std::uint64_t least = 0;
  const char* const end = p.limits.data() + p.limits.size();
  if (std::from_chars(p.limits.data(), end, least).ec != std::errc()) return std::nullopt;
  return least;
}

std::vector<std::string> values_to_try(const config::Param& p) {
  std::vector<std::string> all;
  const bool of_two = p.limits.find("power of two") != std::string::npos;
  if (const auto least = least_of(p))
    for (std::uint64_t v = *least; all.size() < 3; v = of_two ? 2 * v : v + 1)
      all.push_back(std::to_string(v));
  if (p.kind == "true or false") all = {"false", "true"};
  for (const config::NamedChoice& c : p.choices) all.push_back(c.name);
  std::erase(all, p.default_value);
  return all;
}

namespace {

template <class Kind>
auto read(const Kind& kind, const std::vector<std::string>& settings) {
  config::Config config = config::Config::parse("", "variant");
  for (const std::string& s : settings) config.set(s);
  config::Reader reader(&config, nullptr);
  auto make = kind.read(reader);
  config.check_all_read();
  return make;
}

template <class Factory, class Kind>
std::vector<Variant<Factory>> all_variants(const Kind& kind) {
  config::ParamTable table;
  config::Reader describe(nullptr, &table);
  kind.read(describe);

  std::vector<Variant<Factory>> all;
  all.push_back({std::string(kind.name), read(kind, {}), true});
  const auto add = [&](const std::vector<std::string>& settings, bool sizes_only) {
    std::string name(kind.name);
    for (const std::string& s : settings) name += " " + s;
    try {
      all.push_back({name, read(kind, settings), sizes_only});
    } catch (const Error&) {  // limits beyond the table's: a power of two, or values that exclude each other
    }
  };
  std::vector<std::string> smallest;
  for (const config::Param& p : table.params()) {
    if (const auto least = least_of(p)) smallest.push_back(p.path + "=" + std::to_string(*least));
    for (const std::string& v : values_to_try(p)) add({p.path + "=" + v}, p.kind == "integer");
  }
  if (smallest.size() > 1) add(smallest, true);
  return all;
}

}  // namespace

std::vector<MergerVariant> variants(const cluster::MergerKind& kind) {
  return all_variants<cluster::MergerFactory>(kind);
}

std::vector<FrontVariant> variants(const sm::LoadFrontKind& kind) {
  return all_variants<sm::LoadFrontFactory>(kind);
}

}  // namespace heddle::contract
