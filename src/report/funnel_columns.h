// The funnels of all runs of a page on one list of levels and places: machines may differ in the stages that
// they have.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle::report {

class FunnelColumns {
 public:
  using Json = nlohmann::ordered_json;

  // A run's funnel as RunReader makes it: levels and places by name.
  void add(const Json& funnel);
  // {"levels": [{name, unit, by}], "places": [{name, in, out}]}; in and out are numbers of levels.
  Json head() const;
  // {"count": [], "could": [], "removed": [], "added": []}, by level or place of the head. A level that the
  // run does not have counts as the one before it.
  Json values(const Json& funnel) const;

 private:
  struct Named {
    std::string name;
    Json about;
  };
  static std::size_t insert(std::vector<Named>& into, std::size_t after, const Json& one);
  std::size_t level(const std::string& name) const;

  std::vector<Named> levels_, places_;
};

}  // namespace heddle::report
