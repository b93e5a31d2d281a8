#include "apps/cli/reports/whole_program.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/numbers.h"
#include "base/text.h"

namespace heddle::cli {

WholeProgram whole_program(const runtime::LaunchesHeld& launches, const study::TimingRecord& record) {
  std::map<std::string, double> cycles;
  for (const study::LaunchTiming& l : record.launches) cycles[l.kernel] += static_cast<double>(l.cycles);
  WholeProgram all;
  for (const auto& [kernel, k] : launches.kernels) {
    all.cycles += cycles[kernel];
    if (k.left_out.launches == 0) continue;
    if (k.held.warp_instructions == 0) {
      all.unknown.push_back(base_name(kernel));
      continue;
    }
    all.left_out += cycles[kernel] * static_cast<double>(k.left_out.warp_instructions) /
                    static_cast<double>(k.held.warp_instructions);
  }
  all.cycles += all.left_out;
  all.seconds = all.cycles / static_cast<double>(record.spec.gpu.clock.count());
  return all;
}

study::Table whole_program_table(const std::vector<std::pair<std::string, WholeProgram>>& designs) {
  study::Table t;
  t.id = "whole_program";
  t.title = "The whole program, by cycles per warp instruction of each kernel's launches in the recording";
  t.columns = {{"design"}, {"cycles", true}, {"speed-up", true}, {"estimated", true}};
  const WholeProgram& baseline = designs.front().second;
  for (const auto& [name, p] : designs)
    t.rows.push_back(
        {name, grouped(static_cast<std::uint64_t>(std::llround(p.cycles))),
         &p == &baseline ? "" : fmt::format("{:+.1f}%", (baseline.seconds / p.seconds - 1) * 100),
         fmt::format("{:.1f}%", p.cycles == 0 ? 0 : p.left_out / p.cycles * 100)});
  if (!baseline.unknown.empty())
    t.below.push_back(
        fmt::format("Without {}, of which the recording holds no launch.", join(baseline.unknown, ", ")));
  return t;
}

}  // namespace heddle::cli
