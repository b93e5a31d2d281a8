#include "apps/cli/record.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/numbers.h"
#include "base/version.h"

namespace heddle::cli {

using Json = nlohmann::ordered_json;

Json head_json(const RunHead& r, const std::string& schema, const std::string& mode) {
  Json parameters = Json::object();
  for (const auto& [name, value] : r.parameters) parameters[name] = value;
  const BuildInfo& build = build_info();
  return {{"schema", schema},
          {"build",
           {{"release", build.release},
            {"source_hash", build.source_hash},
            {"compiler", build.compiler},
            {"build_type", build.build_type},
            {"target", build.target}}},
          {"mode", mode},
          {"workload",
           {{"name", r.workload.name},
            {"suite", r.workload.suite},
            {"scale", r.scale},
            {"seed", r.seed},
            {"parameters", parameters},
            {"order_sensitive", r.workload.order_sensitive},
            {"input_hash", r.input_hash}}},
          {"configuration", r.configuration},
          {"verification", r.verified ? Json{{"ok", r.verification.ok},
                                             {"compared", r.verification.compared},
                                             {"max_error", r.verification.max_error},
                                             {"tolerance", r.verification.tolerance},
                                             {"detail", r.verification.detail}}
                                      : Json()}};
}

void print_head(const RunHead& r, std::ostream& out) {
  out << fmt::format("{} ({}): {}\n", r.workload.name, r.workload.suite, r.workload.summary);
  std::string inputs;
  for (const auto& [name, value] : r.parameters)
    inputs += fmt::format("{}{} {}", inputs.empty() ? "" : ", ", name, value);
  if (!r.scale.empty()) out << fmt::format("  scale {}, seed {}: {}\n", r.scale, r.seed, inputs);
}

void print_verdict(const RunHead& r, std::ostream& out) {
  const workload::Verification& v = r.verification;
  if (!r.verified) return;
  if (v.ok)
    out << fmt::format("\nresult      verified: {} values, largest error {:.2g} (tolerance: {})\n",
                       grouped(v.compared), v.max_error, v.tolerance);
  else
    out << fmt::format("\nresult      WRONG: {} (tolerance: {})\n", v.detail, v.tolerance);
}

}  // namespace heddle::cli
