#include "mem/funnel.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::mem {

std::size_t Funnel::add(FunnelLevel level) {
  levels.push_back(std::move(level));
  return last();
}

std::size_t Funnel::add(FunnelLevel level, const PotentialStats& could) {
  if (measured) level.could_merge = could.could_merge;
  return add(std::move(level));
}

bool Funnel::has(std::string_view level) const {
  return std::any_of(levels.begin(), levels.end(), [&](const FunnelLevel& l) { return l.name == level; });
}

std::size_t Funnel::number_of(std::string_view name) const {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i].name == name) return i;
  throw Error(fmt::format("the funnel of this machine has no level '{}'", name));
}

const FunnelLevel& Funnel::at(std::string_view name) const {
  return levels[number_of(name)];
}

namespace {

std::uint64_t sum(const FunnelPlace& place, bool added) {
  std::uint64_t n = 0;
  for (const FunnelPart& p : place.parts) n += p.added == added ? p.count : 0;
  return n;
}

}  // namespace

std::uint64_t Funnel::removed(const FunnelPlace& place) {
  return sum(place, false);
}

std::uint64_t Funnel::added(const FunnelPlace& place) {
  return sum(place, true);
}

std::optional<std::uint64_t> Funnel::left(const FunnelPlace& place) const {
  const auto& could = levels[place.in].could_merge;
  if (!could) return {};
  const std::uint64_t gone = removed(place);
  return *could > gone ? *could - gone : 0;
}

std::vector<std::string> levels_of(const Funnel& a, const Funnel& b) {
  std::vector<std::string> all;
  for (const FunnelLevel& l : a.levels) all.push_back(l.name);
  auto at = all.begin();  // behind the last one that both have
  for (const FunnelLevel& l : b.levels) {
    const auto known = std::find(all.begin(), all.end(), l.name);
    at = (known != all.end() ? known : all.insert(at, l.name)) + 1;
  }
  return all;
}

}  // namespace heddle::mem
