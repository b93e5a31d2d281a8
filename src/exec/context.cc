#include "exec/context.h"

#include <utility>

#include "exec/kernel_image.h"

namespace heddle::exec {

ExecContext::ExecContext(mem::DeviceMemory& m, LaunchData launch)
    : LaunchData(std::move(launch)),
      memory(m),
      global(reinterpret_cast<std::uintptr_t>(m.host(mem::kDeviceBase)) - mem::kDeviceBase),
      counts(image->code.size()),
      bounds(image->code.size()),
      accesses(image->code.size()) {}

}  // namespace heddle::exec
