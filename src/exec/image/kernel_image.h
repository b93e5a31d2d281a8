// A kernel ready to run: its own instructions and those of every function it may call, operands resolved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec/image/code.h"
#include "exec/image/matrix.h"
#include "mem/device_memory.h"
#include "ptx/analysis/register_allocation.h"
#include "ptx/ir/module.h"
#include "workload/warp_stream.h"

namespace heddle::exec {

// Copies of arguments and results between the frames of caller and callee.
struct ParamCopy {
  std::uint32_t caller = 0;  // offsets in the frames
  std::uint32_t callee = 0;
  std::uint32_t bytes = 0;
};

// Functions that the driver provides.
enum class Builtin : std::uint8_t {
  None,
  Vprintf,
  Assertfail,
  Malloc,
  Free,
  // Dynamic parallelism: where the arguments of a launch go, the launch, a stream or event, what has nothing
  // to do, and memory as the host's functions give it.
  LaunchBuffer,
  LaunchChild,
  CreateHandle,
  Nothing,
  MallocTo,
  FreeStatus,
  // Copies and fills by kernels, and what an error is called.
  CopyAsync,
  Copy2DAsync,
  FillAsync,
  Fill2DAsync,
  ErrorText,
  // Graphs: the value that a conditional node looks at.
  SetConditional
};

struct CallInfo {
  std::uint32_t function = kNone;  // KernelImage::functions; kNone: indirect or builtin
  Builtin builtin = Builtin::None;
  std::vector<ParamCopy> arguments;
  std::vector<ParamCopy> results;
  // What the copies need of the callee's frame: a pointer may lead to a function of another type.
  std::uint32_t callee_bytes = 0;
};

struct FunctionImage {
  const ptx::Function* source = nullptr;
  std::uint32_t module_index = 0;
  std::uint32_t entry_pc = 0;
  std::uint32_t end_pc = 0;
  ptx::RegisterAllocation registers;
  std::uint32_t frame_bytes = 0;  // local memory: formals, variables, arguments of calls
  std::size_t register_bytes() const {
    // One scratch slot of 64 bits receives results nobody asked for.
    return (std::size_t{registers.slots64} + 1) * 2 * kSlotBytes +
           std::size_t{registers.slots32} * kSlotBytes;
  }
};

struct SpecialUse {
  ptx::Sreg reg = ptx::Sreg::TidX;
  bool wide = false;  // 8-byte lanes
  std::uint32_t offset = 0;
};

// At the beginning of the shared memory of kernels that ask for it (%reserved_smem_offset_...): cooperative
// groups of several warps meet there.
inline constexpr std::uint32_t kReservedShared = 1024;

// A branch in a loop that some lanes may leave while others wait in it (ptx/analysis/loop_meetings.h).
struct LoopBranch {
  struct Meeting {
    std::uint32_t pc = 0;
    std::uint32_t loop = kNone;  // KernelImage::loop_parents
  };
  struct Way {
    std::uint32_t target = 0;
    std::uint32_t left = kNone;  // the largest loop that it leaves
  };
  std::vector<Meeting> meetings;  // outermost first
  std::vector<Way> ways;

  std::uint32_t left_towards(std::uint32_t target) const {
    for (const Way& w : ways)
      if (w.target == target) return w.left;
    return kNone;
  }
};

struct KernelImage {
  std::string name;
  const ptx::Module* module = nullptr;
  std::vector<Code> code;
  std::vector<FunctionImage> functions;  // [0] is the entry
  std::vector<CallInfo> calls;           // Code::imm of a call
  std::vector<MatrixCode> matrices;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<LoopBranch> loop_branches;
  std::vector<std::uint32_t> loop_parents;  // by loop of all functions; kNone: in no other
  std::vector<Place> places;             // of instructions with many operands; Code::imm is the first's index
  std::vector<std::uint64_t> constants;  // lane vectors, 64-byte aligned through `constant_bank`
  std::byte* constant_bank = nullptr;
  std::vector<SpecialUse> specials;
  std::uint32_t special_bytes = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t local_bytes = 0;  // deepest call chain; recursion: `recursive`
  bool recursive = false;
  bool uses_heap = false;      // malloc, free, arguments of launches
  bool launches = false;       // dynamic parallelism
  bool separate_ctas = false;  // separate_ctas.h
  bool in_step = false;        // some Code::in_step is set
  std::uint32_t param_bytes = 0;
  std::uint32_t registers_per_thread = 0;

  // For the timing side, by pc (static_code.h).
  std::vector<workload::StaticInstr> statics;
  std::vector<workload::WarpAccess> access_templates;  // what an access of this instruction has in common
  std::uint32_t static_registers = 0;

  std::uint32_t function_of(std::uint32_t pc) const;
  SourcePlace place(std::uint32_t pc) const;
  // Image index of the function whose address a program holds; kNone when it is not one.
  std::uint32_t function_at(std::uint64_t address) const;
};

// Function addresses as programs see them.
constexpr std::uint64_t function_address(std::uint32_t module_index) {
  return mem::kFunctionWindow + 16 + std::uint64_t{module_index} * 16;
}

}  // namespace heddle::exec
