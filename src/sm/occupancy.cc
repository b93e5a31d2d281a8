#include "sm/occupancy.h"

#include <fmt/format.h>

#include "base/align.h"
#include "base/error.h"

namespace heddle::sm {
Occupancy occupancy(const SmSpec& spec, const workload::CtaNeeds& needs) {
  Occupancy o;
  o.warps_per_cta = (needs.threads + 31) / 32;
  const auto per_warp = static_cast<std::uint32_t>(
      align_up(std::uint64_t{needs.registers_per_thread} * 32, spec.register_allocation_unit));
  o.registers_per_cta = o.warps_per_cta * per_warp;
  o.registers_usable = spec.registers;
  if (per_warp != 0) o.registers_usable -= spec.registers % (per_warp * spec.warp_allocation_unit);
  o.shared_per_cta = static_cast<std::uint32_t>(align_up(
      needs.shared_bytes + spec.shared_reserved_per_cta.count(), spec.shared_allocation_unit.count()));
  o.ctas = spec.ctas;
  o.limited_by = "ctas";
  auto limit = [&](std::uint64_t available, std::uint64_t each, std::string_view what) {
    if (each == 0) return;
    if (available < each)
      throw Error(fmt::format("a CTA of this kernel needs {} {}, and an SM of this GPU has {}", each, what,
                              available),
                  "Use a smaller block, or a GPU with more.");
    if (available / each >= o.ctas) return;
    o.ctas = static_cast<std::uint32_t>(available / each);
    o.limited_by = what;
  };
  limit(spec.threads, o.warps_per_cta * std::uint64_t{32}, "threads");
  limit(spec.warps, o.warps_per_cta, "warps");
  limit(o.registers_usable, o.registers_per_cta, "registers");
  limit(spec.shared_memory.count(), o.shared_per_cta, "bytes of shared memory");
  return o;
}

}  // namespace heddle::sm
