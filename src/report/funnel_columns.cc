#include "report/funnel_columns.h"

#include <algorithm>

namespace heddle::report {

// Where `one` stands: where its name is already, else before position `at`. Returns the position behind it.
std::size_t FunnelColumns::insert(std::vector<Named>& into, std::size_t at, const Json& one) {
  const std::string name = one.at("name");
  for (std::size_t i = 0; i < into.size(); ++i)
    if (into[i].name == name) return i + 1;
  into.insert(into.begin() + static_cast<std::ptrdiff_t>(at), Named{name, one});
  return at + 1;
}

void FunnelColumns::add(const Json& funnel) {
  std::size_t at = 0;
  for (const Json& l : funnel.at("levels"))
    at = insert(levels_, at, {{"name", l.at("name")}, {"unit", l.at("unit")}, {"by", l.at("by")}});
  at = 0;
  for (const Json& p : funnel.at("places")) {
    at = insert(places_, at, {{"name", p.at("name")}, {"in", Json::array()}, {"out", p.at("out")}});
    places_[at - 1].about["in"].push_back(p.at("in"));
  }
}

std::size_t FunnelColumns::level(const std::string& name) const {
  return static_cast<std::size_t>(
      std::find_if(levels_.begin(), levels_.end(), [&](const Named& l) { return l.name == name; }) -
      levels_.begin());
}

FunnelColumns::Json FunnelColumns::head() const {
  Json levels = Json::array(), places = Json::array();
  for (const Named& l : levels_) levels.push_back(l.about);
  for (const Named& p : places_) {
    // Where machines differ in what stands before a place, the last of it: for the others nothing changes
    // there.
    std::size_t in = 0;
    for (const Json& name : p.about.at("in")) in = std::max(in, level(name));
    places.push_back({{"name", p.name}, {"in", in}, {"out", level(p.about.at("out"))}});
  }
  return {{"levels", levels}, {"places", places}};
}

FunnelColumns::Json FunnelColumns::values(const Json& funnel) const {
  const auto of = [](const Json& list, const std::string& name) -> const Json* {
    for (const Json& one : list)
      if (one.at("name") == name) return &one;
    return nullptr;
  };
  Json count = Json::array(), could = Json::array(), removed = Json::array(), added = Json::array();
  for (const Named& l : levels_) {
    const Json* own = of(funnel.at("levels"), l.name);
    count.push_back(own != nullptr ? own->at("count") : count.empty() ? Json(0) : Json(count.back()));
    could.push_back(own != nullptr ? own->at("could") : Json());
  }
  for (const Named& p : places_) {
    const Json* own = of(funnel.at("places"), p.name);
    removed.push_back(own != nullptr ? own->at("removed") : Json::array());
    added.push_back(own != nullptr ? own->at("added") : Json::array());
  }
  return {{"count", count}, {"could", could}, {"removed", removed}, {"added", added}};
}

}  // namespace heddle::report
