// A direct link: one input and one output with a wire between, and no switch.
//
// A packet that has arrived by tick t begins at t if the link is free and the receiver has room, keeps it for
// a tick per flit, and is handed over at tick t + flits: nothing is allocated, and nothing waits inside. What
// cannot begin waits in the input's channel; its places are given back as a crossbar gives them.
#pragma once

#include <memory>
#include <string>

#include "noc/network.h"
#include "sim/engine.h"

namespace heddle::noc {

// Adds itself to `engine`.
std::unique_ptr<Network> make_link(const NetworkSpec& spec, sim::Clock clock, PacketChannel& in,
                                   PacketChannel& out, std::string name, sim::Engine& engine);

}  // namespace heddle::noc
