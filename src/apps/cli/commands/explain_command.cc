#include <iostream>

#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "base/error.h"
#include "gpu/explanation.h"

namespace heddle::cli {
namespace {

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
    std::cout << gpu::explanation(o.name);
  }
  return 0;
}

}  // namespace heddle::cli
