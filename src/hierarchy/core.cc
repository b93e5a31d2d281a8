#include "hierarchy/core.h"

#include <fmt/format.h>

namespace heddle::hierarchy {

Core::Core(const sm::SmSpec& spec, std::uint32_t sm, std::uint32_t sms, Frequency clock)
    : id_(sm), sm_(spec, sm, sms, clock) {}

void Core::measure(sim::Cycle window) {
  line_requests_ = std::make_unique<mem::PotentialMeter>(window);
  sm_.measure(line_requests_.get());
}

void Core::measure_pressure() {
  pressure_ = std::make_unique<sm::AccessPressure>();
  sm_.watch(pressure_.get());
}

std::string Core::name() const {
  return fmt::format("SM {}", id_);
}

}  // namespace heddle::hierarchy
