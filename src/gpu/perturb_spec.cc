#include "gpu/perturb_spec.h"

#include "base/hash.h"

namespace heddle::gpu {

void PerturbSpec::fields(config::Reader& r) {
  using config::range;
  r.field("allocation_offset", allocation_offset, range(0_B, 1_MiB).multiple_of(256_B),
          "Every device allocation starts so many bytes further behind the one before");
  r.field("start_jitter", start_jitter, range(0u, 99u),
          "Every CTA starts late by a pseudo-random number of cycles, at most this");
  r.field("seed", seed, range(std::uint64_t{0}, std::uint64_t{1} << 32), "Seed of the jitter");
  if (start_jitter == 0) r.unused({"seed"}, "there is no jitter (start_jitter = 0)");
}

std::uint32_t PerturbSpec::start_delay(std::uint64_t launch, std::uint64_t cta) const {
  if (start_jitter == 0) return 0;
  Hasher h;
  h.add(seed);
  h.add(launch);
  h.add(cta);
  return static_cast<std::uint32_t>(h.value() % (start_jitter + 1));
}

}  // namespace heddle::gpu
