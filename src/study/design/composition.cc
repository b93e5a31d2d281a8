#include "study/design/composition.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace heddle::study {
namespace {

// "l1.ways=8": key and value.
std::pair<std::string_view, std::string_view> halves(const Assignment& a) {
  const std::string_view text = a.text;
  const std::size_t at = text.find('=');
  return {trim(text.substr(0, at)), trim(text.substr(at + 1))};
}

// The last one counts.
std::optional<std::string_view> value_of(const Design& d, std::string_view key) {
  std::optional<std::string_view> value;
  for (const Assignment& a : d.sets)
    if (const auto [k, v] = halves(a); k == key) value = v;
  return value;
}

}  // namespace

std::vector<const Design*> parts_of(std::string_view text, const FindDesign& find) {
  for (std::size_t end = text.size(); end != std::string_view::npos; end = text.rfind('+', end - 1)) {
    const Design* first = find(text.substr(0, end));
    if (first != nullptr && end == text.size()) return {first};
    if (first != nullptr)
      if (std::vector<const Design*> rest = parts_of(text.substr(end + 1), find); !rest.empty()) {
        rest.insert(rest.begin(), first);
        return rest;
      }
    if (end == 0) break;
  }
  return {};
}

std::optional<std::string> contradiction(const Design& a, const Design& b) {
  if (!a.machine.empty() && !b.machine.empty() && a.machine != b.machine)
    return fmt::format("they are of different machines ({}, {})", a.machine, b.machine);
  for (const Assignment& set : a.sets) {
    const std::string_view key = halves(set).first;
    const auto one = value_of(a, key), other = value_of(b, key);
    if (other && *one != *other) return fmt::format("both set {}", key);
  }
  return {};
}

Design together(const std::vector<const Design*>& parts) {
  Design all;
  std::vector<std::string> names, words;
  for (const Design* d : parts) {
    names.push_back(d->name);
    words.push_back(d->description);
    if (!d->machine.empty()) all.machine = d->machine;
    all.sets.insert(all.sets.end(), d->sets.begin(), d->sets.end());
  }
  all.name = join(names, "+");
  all.description = join(words, "; ");
  return all;
}

}  // namespace heddle::study
