// Energies of results that were kept without them: archives hold what was counted, and what that takes is
// computed when they are read, by the models and constants of this build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "energy/energy_model.h"
#include "study/run/result.h"

namespace heddle::study {

bool is_energy(std::string_view statistic);

// For many results: machines are few.
class EnergyOfResults {
 public:
  // Sets the statistics `energy.*` of a result on `machine` (TOML). The section `energy` is that of the
  // preset `gpu` where there is one of that name, else the machine's own. Nothing, where something that
  // energy depends on was not counted yet.
  void add(Result& result, const std::string& machine, const std::string& gpu);

 private:
  const energy::EnergyModel* model_of(const std::string& machine, const std::string& gpu);
  std::map<std::pair<std::string, std::string>, std::optional<energy::EnergyModel>> models_;
};

}  // namespace heddle::study
