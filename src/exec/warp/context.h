// What all warps of one launch share while they are executed by one host thread: all of the grid or a part of
// it, or under timing those of one SM.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/warp/warp.h"
#include "mem/device_memory.h"
#include "mem/store_log.h"
#include "workload/hardware_view.h"
#include "workload/launch.h"

namespace heddle::exec {

class AtomicRecords;
class HeapArena;
class TextureTable;

// Executions of one instruction.
struct PcCount {
  std::uint64_t issued = 0;     // warp instructions
  std::uint64_t lanes = 0;      // thread instructions
  std::uint64_t divergent = 0;  // branches that separated lanes
};

// Memory accesses of one instruction.
struct AccessCount {
  // Global, local, constant memory and textures.
  std::uint64_t accesses = 0;  // warp instructions with at least one active lane
  std::uint64_t bytes = 0;     // asked for by lanes
  std::uint64_t lines = 0;     // distinct 128-byte lines, summed over accesses
  std::uint64_t sectors = 0;   // distinct 32-byte sectors
  // Shared memory.
  std::uint64_t shared_accesses = 0;
  std::uint64_t shared_bytes = 0;
  std::uint64_t passes = 0;  // over the 32 banks
};

// The allocation that an instruction touched last, so that the next check costs two comparisons.
struct Bounds {
  std::uint64_t begin = 1;
  std::uint64_t span = 0;  // valid first bytes: [begin, begin + span)
};

// Device-side printf output, in the order of execution.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void write(const std::string& text) = 0;
};

// Sees the accesses of a launch that counts them.
class AccessObserver {
 public:
  // `cta`: linear. Addresses of lanes outside of the mask are not to be read.
  virtual void accessed(std::uint64_t cta, const Access& access) = 0;

 protected:
  ~AccessObserver() = default;
};

// A launch by a kernel (dynamic parallelism). What is launched lies in memory: a ChildHeader, and
// kChildArguments bytes behind its beginning the arguments.
struct ChildHeader {
  std::uint32_t function = 0;  // ptx::Module::functions
  workload::Dim3 grid, block;
  std::uint32_t shared = 0;
};
inline constexpr std::uint64_t kChildArguments = 64;
static_assert(sizeof(ChildHeader) <= kChildArguments);
// Rows of bytes that a kernel wants to be copied or filled (cudaMemcpyAsync, cudaMemsetAsync in device code).
struct ChildTransfer {
  mem::Address to = 0, from = 0;
  std::uint64_t to_pitch = 0, from_pitch = 0, width = 0, height = 0;
  std::optional<std::uint8_t> value;  // a fill
};
struct ChildLaunch {
  std::uint64_t cta = 0;  // that launched it
  mem::Address buffer = 0;
  std::uint64_t stream = 0;
  HeapArena* heap = nullptr;              // that the buffer is from; nullptr: the device's memory itself
  std::optional<ChildTransfer> transfer;  // instead of a kernel; there is no buffer then
  // Behind everything else that the parent has launched.
  bool tail() const { return stream == 3; }
};

// What a launch consists of.
struct LaunchData {
  const KernelImage* image = nullptr;
  const TextureTable* textures = nullptr;
  workload::Dim3 grid, block;
  std::vector<std::byte> params;
  std::uint32_t shared_bytes = 0;  // static and dynamic
  std::uint32_t dynamic_shared = 0;
  std::uint64_t grid_workspace = 0;  // for grid-wide synchronisation; 0: not a cooperative launch
  std::uint32_t stack_bytes = 0;     // local memory per thread
  std::uint32_t registers = 0;       // per thread, as given by the user; 0: as estimated
};

struct ExecContext : LaunchData {
  ExecContext(mem::DeviceMemory& m, LaunchData launch);
  // What another thread has counted in the same launch.
  void add_counts(const ExecContext& other);

  mem::DeviceMemory& memory;
  std::uintptr_t global;  // add a device address to get the host's
  const workload::HardwareView* view = nullptr;
  OutputSink* output = nullptr;

  // Under timing. Without a log, stores write memory and atomics execute at once.
  mem::StoreLog* log = nullptr;      // this SM's stores of the window
  AtomicRecords* atomics = nullptr;  // this SM's global atomics under way; set if and only if `log` is
  HeapArena* heap = nullptr;         // for malloc; nullptr: the device's memory itself

  std::vector<ChildLaunch> children;  // launched so far, in the order of execution

  LastAccess last_access;            // of any of its warps
  std::uint32_t matched_values = 1;  // likewise: of the last match or redux
  std::vector<PcCount> counts;       // by pc
  std::vector<Bounds> bounds;        // by pc
  std::uint64_t changed_cells = 0;   // by atomics that execute at once
  bool count_accesses = true;
  std::vector<AccessCount> accesses;   // by pc
  AccessObserver* observer = nullptr;  // of one thread; with count_accesses
};

}  // namespace heddle::exec
