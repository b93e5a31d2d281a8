#include "noc/structure.h"

#include <algorithm>

#include "noc/topology.h"

namespace heddle::noc {
namespace {

std::uint32_t flits_of_places(const NetworkSpec& spec, const BufferPlan& plan, std::uint32_t places) {
  return places * (spec.packet.buffers == mem::BufferUnit::Flits ? 1 : plan.packet_flits);
}

}  // namespace

Frequency frequency_of(const NetworkSpec& spec, const NetworkPlace& place) {
  return spec.clock == Frequency{0} ? place.core : spec.clock;
}

std::uint32_t flits_at_end(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan,
                           std::uint32_t places) {
  const std::uint32_t under_way = places_of_wire(spec, place.core, plan.wire);
  return flits_of_places(spec, plan, places > under_way ? places - under_way : 1);
}

mem::CrossbarPart switch_part(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan,
                              std::uint32_t inputs, std::uint32_t outputs) {
  mem::CrossbarPart part;
  part.inputs = inputs;
  part.outputs = outputs;
  part.flit = spec.packet.flit;
  part.virtual_channels = spec.virtual_channels;
  part.buffer_flits = flits_at_end(spec, place, plan, spec.input_buffer);
  part.output_flits = flits_of_places(spec, plan, spec.output_buffer);
  part.iterations = spec.allocator_iterations;
  part.clock = frequency_of(spec, place);
  return part;
}

mem::Structure central_switch(const NetworkSpec& spec, const NetworkPlace& place, const BufferPlan& plan) {
  mem::Structure all;
  mem::LinkPart links{0, spec.packet.flit, 0, 1, frequency_of(spec, place), 0};  // all of one length
  for (std::size_t k = 0; k < place.parts.size(); ++k) {
    const std::uint32_t inputs = place.inputs(k), outputs = place.outputs(k);
    const double share = inputs / static_cast<double>(place.in.size());  // of the flits, if all send alike
    const bool link = inputs == 1 && outputs == 1;                       // a wire between two
    links.count += link ? 1 : inputs + outputs;
    links.crossings += (link ? 1 : 2) * share;
    if (link) continue;
    const bool same = !all.crossbars.empty() && all.crossbars.back().inputs == inputs &&
                      all.crossbars.back().outputs == outputs;
    if (same) {
      ++all.crossbars.back().count;
    } else {
      all.crossbars.push_back(switch_part(spec, place, plan, inputs, outputs));
      all.crossbars.back().crossings = 0;
    }
    all.crossbars.back().crossings += share;
  }
  all.links.push_back(links);
  return all;
}

}  // namespace heddle::noc
