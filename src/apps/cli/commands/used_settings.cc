#include "apps/cli/commands/used_settings.h"

#include <vector>

#include "base/error.h"

namespace heddle::cli {
namespace {

// The machines of the designs as their configurations tell it; without those that cannot be built.
std::vector<config::Config> machines(const study::CompareRequest& request) {
  std::vector<config::Config> all;
  for (const study::Design& d : request.designs) {
    try {
      config::Config c = request.load(d.machine);
      for (const study::Assignment& a : d.sets) c.set(a.text);
      gpu::read_simulation_spec(c);
      all.push_back(std::move(c));
    } catch (const Error&) {  // the plan says why
    }
  }
  return all;
}

}  // namespace

void check_all_used(const ConfigOptions& options, const study::CompareRequest& request) {
  if (options.sets.empty()) return;
  const std::vector<config::Config> designs = machines(request);
  for (const std::string& set : options.sets) {
    const std::string path = set.substr(0, set.find('='));
    const config::Entry* unused = nullptr;
    bool used = designs.empty();
    for (const config::Config& c : designs) {
      const config::Entry* entry = c.find(path);
      used |= entry == nullptr || entry->unused.empty();
      unused = entry;
    }
    if (!used)
      throw Error(unused->origin.key_place(), "'" + path + "' has no effect on any of the designs",
                  unused->unused);
  }
}

}  // namespace heddle::cli
