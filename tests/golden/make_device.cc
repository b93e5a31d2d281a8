#include <memory>

#include "exec/functional/functional_device.h"

// The golden cases run on whatever executes PTX.
std::unique_ptr<heddle::workload::Device> make_device() {
  return std::make_unique<heddle::exec::FunctionalDevice>();
}
