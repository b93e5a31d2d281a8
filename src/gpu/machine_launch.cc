// What a launch reads through L2 besides its data: descriptors and instructions.
#include "gpu/machine.h"

namespace heddle::gpu {
namespace {

// Where descriptors and code lie: above every allocation.
constexpr mem::Address kLaunchMemory = mem::Address{1} << 44, kCodeOfAKernel = mem::Address{1} << 24;

}  // namespace

std::uint64_t code_number(std::string_view kernel) {  // FNV-1a
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : kernel) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

// Code too long for DRAM's queues is read in part only.
void Machine::read_for_launch(const workload::GridStream& grid, sim::Cycle now) {
  const std::uint64_t line = spec_.l2().tags.line.count();
  const auto read = [&](mem::Address begin, std::uint64_t bytes) {
    for (mem::Address a = begin; a < begin + bytes; a += line) {
      const std::uint32_t p = map_.partition_of(map_.slice(a));
      if (partitions_[p]->launch_reads(a, now)) engine_.wake(partition_ids_[p], now);
    }
  };
  read(kLaunchMemory, spec_.gpu.launch_reads.count());
  if (spec_.gpu.instruction.count() == 0) return;
  std::uint64_t slots = 0;
  for (const workload::StaticInstr& i : grid.code().instr) slots += spec_.sm.timing.of(i.cls).slots;
  read(kLaunchMemory + (1 + (code_number(grid.kernel()) >> 48)) * kCodeOfAKernel,
       slots * spec_.gpu.instruction.count());
}

}  // namespace heddle::gpu
