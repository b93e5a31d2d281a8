#include "config/reader.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"

namespace heddle::config {
namespace {

std::vector<std::string> names_of(const std::vector<NamedChoice>& choices) {
  std::vector<std::string> names;
  for (const NamedChoice& c : choices) names.push_back(c.name);
  return names;
}

std::string plain_text(const Value& v) {
  if (const auto* s = std::get_if<std::string>(&v.data)) return *s;
  return v.toml();
}

}  // namespace

Reader Reader::within(std::string_view name, std::string_view description) const {
  Reader inner(config_, table_);
  inner.prefix_ = path(name) + ".";
  if (table_ != nullptr) table_->add_section(path(name), std::string(description));
  return inner;
}

std::size_t Reader::list_elements(std::string_view name) {
  if (config_ == nullptr) return 0;
  const std::string full = path(name);
  // `name = []` is a list without elements; anything else that is no list of tables is a mistake.
  if (const Entry* entry = config_->take(full)) {
    const auto* list = std::get_if<Value::List>(&entry->value.data);
    if (list == nullptr || !list->empty()) refuse(name, *entry, fmt::format("expected tables, [[{}]]", full));
    return 0;
  }
  return config_->list_size(full);
}

const Entry* Reader::declare(std::string_view name, std::string_view kind, const Value& by_default,
                             const std::string& limits, std::string_view description, bool must) {
  const std::string full = path(name);
  if (table_ != nullptr)
    table_->add(
        {full, std::string(kind), plain_text(by_default), limits, std::string(description), {}, must});
  if (config_ == nullptr) return nullptr;
  const Entry* entry = config_->take(full);
  if (entry == nullptr && must)
    throw Error(fmt::format("the configuration does not give '{}' ({})", full, kind),
                fmt::format("it is: {}; add it to the file or use --set {}=...", description, full));
  return entry;
}

void Reader::settle(std::string_view name, Value value) {
  if (config_ != nullptr) config_->settle(path(name), std::move(value));
}

void Reader::refuse(std::string_view name, const Entry& entry, const std::string& why) const {
  throw Error(entry.origin.place(),
              fmt::format("{} = {}: {}", path(name), printable(entry.value.toml(), 80), why));
}

void Reader::unused(std::initializer_list<std::string_view> names, std::string_view why) const {
  if (config_ == nullptr) return;
  for (const std::string_view name : names) config_->note_unused(path(name), why);
}

void Reader::fail(std::string_view name, std::string message, std::string advice) const {
  const Entry* entry = config_ == nullptr ? nullptr : config_->find(path(name));
  const SourcePlace place = entry == nullptr ? SourcePlace{} : entry->origin.place();
  throw Error(place, fmt::format("{}: {}", path(name), message), std::move(advice));
}

std::size_t Reader::pick(std::string_view name, const std::vector<NamedChoice>& choices,
                         std::size_t by_default, std::string_view description) {
  if (choices.empty()) throw Error(fmt::format("'{}' has nothing to choose from", path(name)));
  const Entry* entry = declare(name, "one of", Value{choices[by_default].name}, "", description, false);
  if (table_ != nullptr) table_->set_choices(path(name), choices);
  std::size_t chosen = by_default;
  if (entry != nullptr) {
    const auto* text = std::get_if<std::string>(&entry->value.data);
    chosen = 0;
    while (text != nullptr && chosen < choices.size() && choices[chosen].name != *text) ++chosen;
    if (text == nullptr || chosen == choices.size()) {
      const std::vector<std::string> names = names_of(choices);
      const std::string hint = text == nullptr ? "" : did_you_mean(*text, names);
      refuse(name, *entry,
             fmt::format("expected one of {}{}", join(names, ", "), hint.empty() ? "" : "; " + hint));
    }
  }
  settle(name, Value{choices[chosen].name});
  return chosen;
}

void Reader::choice(std::string_view name, std::string& value, const std::vector<NamedChoice>& choices,
                    std::string_view description) {
  std::size_t now = 0;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i].name == value) now = i;
  value = choices[pick(name, choices, now, description)].name;
}

}  // namespace heddle::config
