#include "gpu/explanation.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "config/reader.h"
#include "exec/functional/profile.h"
#include "gpu/simulation_spec.h"
#include "gpu/stages.h"

namespace heddle::gpu {
namespace {

bool has_group(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n == name || n.starts_with(name + "."); });
}

}  // namespace

config::ParamTable all_parameters() {
  return config::describe<SimulationSpec>();
}

stats::Registry machine_statistics() {
  stats::Registry r;
  r.declare("", every_statistic());
  return r;
}

stats::Registry functional_statistics() {
  stats::Registry r;
  r.declare<exec::FunctionalStats>("");
  return r;
}

std::string explanation(const std::string& name) {
  const config::ParamTable params = all_parameters();
  std::vector<std::string> known = params.paths();
  std::string text;
  if (has_group(known, name)) text += params.explain(name);
  for (const stats::Registry& statistics : {machine_statistics(), functional_statistics()}) {
    const std::vector<std::string> names = statistics.names();
    known.insert(known.end(), names.begin(), names.end());
    if (has_group(names, name)) text += statistics.explain(name);
  }
  if (!text.empty()) return text;
  throw Error(
      fmt::format("no statistic or parameter is called '{}'", name),
      did_you_mean(name, known).empty() ? "heddle explain --all lists them all" : did_you_mean(name, known));
}

}  // namespace heddle::gpu
