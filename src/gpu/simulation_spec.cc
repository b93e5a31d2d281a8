#include "gpu/simulation_spec.h"

#include "config/reader.h"

namespace heddle::gpu {

void SimulationSpec::fields(config::Reader& r) {
  gpu.fields(r);
  r.section("functional", functional, "How kernels are executed");
}

SimulationSpec read_simulation_spec(config::Config& config) {
  SimulationSpec spec = config::read<SimulationSpec>(config);
  config.check_all_read();
  return spec;
}

std::string effective_configuration(config::Config config) {
  read_simulation_spec(config);
  return config.dump(false);
}

}  // namespace heddle::gpu
