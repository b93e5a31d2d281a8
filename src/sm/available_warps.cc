#include "sm/available_warps.h"

namespace heddle::sm {

void AvailableStats::statistics(stats::Visitor& v) {
  v.counter("cycles", cycles,
            {"cycles",
             "Of SMs with resident warps, in which the pipeline was not stalled (with measure.available)"});
  v.counter("warps", warps, {"warp cycles", "Warps that could issue in these cycles, summed"});
  v.ratio("per_cycle", warps, cycles, {"warps", "Warps that could issue, in the mean"});
}

}  // namespace heddle::sm
