// What the machines of Volta and later make of an instruction (ptx/assemble/machine_code.h): the class of
// work, how often, and machine instructions besides. Measured on an H200: tools/probes/instructions.cu,
// validation/data/h200_instructions.csv.
#pragma once

#include <cstdint>

#include "ptx/ir/instr.h"
#include "workload/warp_stream.h"

namespace heddle::exec {

struct MachineForm {
  workload::InstrClass cls = workload::InstrClass::Other;
  std::uint8_t repeat = 1;
  std::uint32_t slots = 0;    // beyond those of the class
  std::uint32_t latency = 0;  // beyond that of the class
};

// Not of memory accesses and matrix products.
MachineForm machine_form(const ptx::Instr& instr);

// The assembler gives additions and shifts by a constant to the integer pipe or to that of multiply-adds, so that
// both have as much to do between two branches.
class PipeBalance {
 public:
  // Changes the class of what can go either way.
  void add(const ptx::Instr& instr, workload::StaticInstr& s);

 private:
  std::uint32_t integer_ = 0, multiply_ = 0;  // cycles of work
};

}  // namespace heddle::exec
