#include "stats/groups.h"

#include <fmt/format.h>

namespace heddle::stats {

Groups::Groups(const Groups& other) {
  for (const auto& g : other.groups_) groups_.push_back(g->copy());
}

Groups& Groups::operator=(const Groups& other) {
  *this = Groups(other);
  return *this;
}

void Groups::add(const Groups& other) {
  for (const auto& g : other.groups_) {
    if (Group* own = find(g->name))
      own->add(*g);
    else
      groups_.push_back(g->copy());
  }
}

void Groups::statistics(Visitor& v) {
  for (const auto& g : groups_) g->visit(v);
}

Groups::Group* Groups::find(std::string_view name) const {
  for (const auto& g : groups_)
    if (g->name == name) return g.get();
  return nullptr;
}

void Groups::wrong_struct(const std::string& name, const char* asked) {
  throw Error(fmt::format("the statistics '{}' are not a {}", name, asked),
              "Two parts of a machine use one name for different counters; this is a defect.");
}

}  // namespace heddle::stats
