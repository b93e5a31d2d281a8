// How long the assembler has a warp wait behind each instruction before it issues the next, so that results
// of fixed latency are there when they are read. It counts as if nothing else held the warp up: a wait that
// was put behind an instruction is waited for also when that instruction came late, because of memory.
// Results whose time is not known (loads, special functions, divisions, shuffles) are waited for when they
// are read.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/sm_spec.h"
#include "workload/warp_stream.h"

namespace heddle::sm {

// By pc: cycles from an instruction's issue to the earliest one of the next, at least 1.
std::vector<std::uint8_t> static_waits(const workload::StaticCode& code, const SmSpec& spec);

}  // namespace heddle::sm
