#include "mem/potential_meter.h"

#include <fmt/format.h>

namespace heddle::mem {

void PotentialLevel::statistics(stats::Visitor& v) {
  v.counter("seen", requests, {unit, fmt::format("Reads of global memory {} (with measure.funnel)", where)});
  v.counter("could_merge", could_merge,
            {unit, "Of these: for what was asked for there within measure.window, or was under way"});
}

}  // namespace heddle::mem
