#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands.h"
#include "base/error.h"
#include "base/suggest.h"

namespace heddle::cli {
namespace {

bool starts_group(const std::string& path, const std::string& name) {
  return path == name || path.starts_with(name + ".");
}

void explain(const std::string& name, const config::ParamTable& params, const stats::Registry& statistics) {
  bool found = false;
  for (const std::string& p : params.paths())
    if (starts_group(p, name)) {
      std::cout << params.explain(name);
      found = true;
      break;
    }
  for (const std::string& s : statistics.names())
    if (starts_group(s, name)) {
      std::cout << statistics.explain(name);
      found = true;
      break;
    }
  if (found) return;
  std::vector<std::string> known = params.paths();
  for (const std::string& s : statistics.names()) known.push_back(s);
  throw Error(
      fmt::format("no statistic or parameter is called '{}'", name),
      did_you_mean(name, known).empty() ? "heddle explain --all lists them all" : did_you_mean(name, known));
}

}  // namespace

int explain_command(const ExplainOptions& o) {
  const config::ParamTable params = all_params();
  const stats::Registry statistics = all_stats();
  if (o.all && o.markdown) {
    std::cout << "# Parameters\n\n" << params.markdown() << "\n# Statistics\n\n" << statistics.markdown();
  } else if (o.all) {
    for (const config::Param& p : params.params())
      std::cout << fmt::format("{:<34} parameter  {}\n", p.path, p.description);
    for (const stats::Info& s : statistics.all())
      std::cout << fmt::format("{:<34} statistic  {}\n", s.name, s.description);
  } else if (o.name.empty()) {
    throw Error("explain what?", "Give a name, or --all.");
  } else {
    explain(o.name, params, statistics);
  }
  return 0;
}

}  // namespace heddle::cli
