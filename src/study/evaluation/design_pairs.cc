#include "study/evaluation/design_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "study/design/composition.h"
#include "study/plan/plan.h"

namespace heddle::study {
namespace {

std::optional<std::string> obstacle_to(const std::vector<const Design*>& parts,
                                       const config::Config& machine) {
  if (parts.size() == 2)
    if (auto why = contradiction(*parts[0], *parts[1])) return why;
  return obstacle(together(parts), machine);
}

// Numbers from 1 on, in the order of appearance.
class Reasons {
 public:
  std::string number(const std::string& why) {
    const auto at = std::find(all_.begin(), all_.end(), why);
    if (at == all_.end()) all_.push_back(why);
    return std::to_string(std::find(all_.begin(), all_.end(), why) - all_.begin() + 1);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < all_.size(); ++i) lines.push_back(fmt::format("{}: {}", i + 1, all_[i]));
    return lines;
  }

 private:
  std::vector<std::string> all_;
};

}  // namespace

Table design_pairs(const DesignCatalog& catalog, const config::Config& machine, std::string_view gpu) {
  Table t;
  t.id = "pairs";
  t.title = fmt::format("Designs that go together on {}", gpu);
  t.columns.push_back({"with"});
  std::vector<const Design*> designs;
  std::vector<std::string> left_out;
  for (const NamedDesign& d : catalog.designs) {
    if (!d.in_pairs) continue;
    if (const auto why = obstacle_to({&d.design}, machine))
      left_out.push_back(fmt::format("{} cannot be built there: {}", d.design.name, *why));
    else
      designs.push_back(&d.design);
  }
  Reasons reasons;
  for (const Design* row : designs) {
    t.columns.push_back({row->name});
    t.rows.push_back({row->name});
    for (const Design* column : designs) {
      if (row == column) {
        t.rows.back().emplace_back("");
        continue;
      }
      // The same two in the same order, whichever way they are looked up.
      const bool later =
          std::find(designs.begin(), designs.end(), column) < std::find(designs.begin(), designs.end(), row);
      const auto why = later ? obstacle_to({column, row}, machine) : obstacle_to({row, column}, machine);
      t.rows.back().push_back(why ? reasons.number(*why) : "yes");
    }
  }
  t.below = reasons.lines();
  t.below.insert(t.below.end(), left_out.begin(), left_out.end());
  return t;
}

}  // namespace heddle::study
