#include "study/run/energy_of_result.h"

#include <algorithm>

#include "base/error.h"
#include "gpu/energy_account.h"
#include "gpu/presets.h"
#include "gpu/simulation_spec.h"
#include "stats/snapshot.h"

namespace heddle::study {
namespace {

constexpr std::string_view kPrefix = "energy.";

// None: a machine of a version of heddle that had other parameters.
std::optional<energy::EnergyModel> make_model(const std::string& machine, const std::string& gpu) {
  try {
    config::Config config = config::Config::parse(machine, "machine of the archive");
    gpu::GpuSpec spec = gpu::read_simulation_spec(config).gpu;
    if (gpu::find_preset(gpu) != nullptr) {
      config::Config preset = gpu::load_config(gpu);
      spec.energy = gpu::read_simulation_spec(preset).gpu.energy;
    }
    return gpu::energy_model(spec);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

bool is_energy(std::string_view statistic) {
  return statistic.starts_with(kPrefix);
}

const energy::EnergyModel* EnergyOfResults::model_of(const std::string& machine, const std::string& gpu) {
  const std::pair key(machine, gpu);
  auto at = models_.find(key);
  if (at == models_.end()) at = models_.emplace(key, make_model(machine, gpu)).first;
  return at->second ? &*at->second : nullptr;
}

void EnergyOfResults::add(Result& result, const std::string& machine, const std::string& gpu) {
  const energy::EnergyModel* model = model_of(machine, gpu);
  if (model == nullptr) return;
  const auto counted = [&](const energy::Term& t) { return result.has(t.statistic); };
  if (!std::all_of(model->terms.begin(), model->terms.end(), counted)) return;
  stats::Snapshot all;
  all.add(kPrefix.substr(0, kPrefix.size() - 1),
          model->of([&](std::string_view s) { return result.value(s); }));
  for (const stats::Statistic& s : all.all())
    result.set(s.info.name, static_cast<double>(std::get<std::uint64_t>(s.reading)));
}

}  // namespace heddle::study
