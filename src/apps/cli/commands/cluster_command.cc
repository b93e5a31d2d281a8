// heddle cluster: CTA clustering of programs as they are.
#include <fmt/format.h>

#include "apps/cli/commands/commands.h"
#include "base/error.h"
#include "base/text.h"
#include "workloads/registry.h"

namespace heddle::cli {
namespace {

// `heddle cluster X --on-device`: all behind a program is its own, so that X can only be a workload, which it
// is not.
[[noreturn]] void refuse_order(const std::string& word) {
  std::string advice =
      fmt::format("A program comes last: heddle cluster --on-device -- {}", shell_word(word));
  try {
    workloads::directory().require(word);
  } catch (const Error& e) {
    throw Error(e.message(), fmt::format("{} {}", e.advice(), advice));
  }
  throw Error(fmt::format("'{}' is behind the program's name", word), std::move(advice));
}

}  // namespace

int cluster_command(const ClusterCommandOptions& options) {
  if (!options.on_device && !options.program.empty()) refuse_order(options.program.front());
  if (!options.on_device) return cluster_in_simulator(options);
  return options.program.empty() ? cluster_on_card(options) : cluster_on_device(options);
}

}  // namespace heddle::cli
