#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "base/error.h"
#include "base/suggest.h"

namespace heddle::cli {
namespace {

bool starts_group(const std::string& path, const std::string& name) {
  return path == name || path.starts_with(name + ".");
}

bool has_group(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return starts_group(n, name); });
}

void explain(const std::string& name) {
  const config::ParamTable params = all_params();
  std::vector<std::string> known = params.paths();
  bool found = has_group(known, name);
  if (found) std::cout << params.explain(name);
  for (const stats::Registry& statistics : {machine_stats(), functional_stats()}) {
    const std::vector<std::string> names = statistics.names();
    known.insert(known.end(), names.begin(), names.end());
    if (!has_group(names, name)) continue;
    std::cout << statistics.explain(name);
    found = true;
  }
  if (found) return;
  throw Error(
      fmt::format("no statistic or parameter is called '{}'", name),
      did_you_mean(name, known).empty() ? "heddle explain --all lists them all" : did_you_mean(name, known));
}

void explain_all() {
  const config::ParamTable params = all_params();
  for (const config::Param& p : params.params())
    std::cout << fmt::format("{:<34} parameter  {}\n", p.path, p.description);
  for (const stats::Registry& statistics : {machine_stats(), functional_stats()})
    for (const stats::Info& s : statistics.all())
      std::cout << fmt::format("{:<34} statistic  {}\n", s.name, s.description);
}

void explain_markdown() {
  std::cout << "# Parameters\n\nDefaults are those of a machine that no preset describes; `heddle config "
               "--gpu NAME`\n"
               "prints a preset's values.\n\n"
            << all_params().markdown() << "\n# Statistics of a simulated machine\n\n"
            << machine_stats().markdown() << "\n# Statistics of functional execution\n\n"
            << functional_stats().markdown();
}

}  // namespace

int explain_command(const ExplainOptions& o) {
  if (o.all && o.markdown) {
    explain_markdown();
  } else if (o.all) {
    explain_all();
  } else if (o.name.empty()) {
    throw Error("explain what?", "Give a name, or --all.");
  } else {
    explain(o.name);
  }
  return 0;
}

}  // namespace heddle::cli
