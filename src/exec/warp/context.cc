#include "exec/warp/context.h"

#include <utility>

#include "exec/image/kernel_image.h"

namespace heddle::exec {

ExecContext::ExecContext(mem::DeviceMemory& m, LaunchData launch)
    : LaunchData(std::move(launch)),
      memory(m),
      global(reinterpret_cast<std::uintptr_t>(m.host(mem::kDeviceBase)) - mem::kDeviceBase),
      counts(image->code.size()),
      bounds(image->code.size()),
      accesses(image->code.size()) {}

void ExecContext::add_counts(const ExecContext& other) {
  for (std::size_t pc = 0; pc < counts.size(); ++pc) {
    counts[pc].issued += other.counts[pc].issued;
    counts[pc].lanes += other.counts[pc].lanes;
    counts[pc].divergent += other.counts[pc].divergent;
    AccessCount& to = accesses[pc];
    const AccessCount& from = other.accesses[pc];
    to.accesses += from.accesses;
    to.bytes += from.bytes;
    to.lines += from.lines;
    to.sectors += from.sectors;
    to.shared_accesses += from.shared_accesses;
    to.shared_bytes += from.shared_bytes;
    to.passes += from.passes;
  }
}

}  // namespace heddle::exec
