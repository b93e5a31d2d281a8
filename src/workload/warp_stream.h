// Where a warp's instructions come from, as the timing side sees it: a static table by pc, and one call per
// issued instruction. PTX execution and trace replay both implement it; the timing side cannot tell which.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "workload/launch.h"

namespace heddle::workload {

// What an instruction asks of the machine. Latency, initiation interval, unit and issue slots of each class
// are configuration (sm/instruction_timing.h).
enum class InstrClass : std::uint8_t {
  IntAdd,     // add, sub, logic, shifts, moves through the ALU, address arithmetic: 32 bits
  IntMinMax,  // min, max, comparison, selection, abs
  IntMul,
  IntMad,
  IntDiv,    // div, rem
  Int64Add,  // the same on 64 bits
  Int64Mul,  // mul and mad on 64 bits, and .wide's second half
  Bits,      // popc, clz, brev, bfind, bfe, bfi, prmt
  FloatAdd,
  FloatMinMax,  // min, max, comparison, selection
  FloatMul,
  FloatMad,
  FloatDiv,  // IEEE division, square root, reciprocal: a sequence on hardware
  HalfMath,  // f16, bf16, single or packed
  DoubleAdd,
  DoubleMinMax,
  DoubleMul,
  DoubleMad,
  DoubleDiv,     // division, square root, reciprocal
  Tensor,        // matrix products; a pass is m16n8k8 of f16, or as much work
  TensorDouble,  // the same of f64; a pass is m8n8k4
  Special,       // .approx functions, one pass of the special-function unit
  Convert,
  Move,          // mov, pack, unpack, reading a special register that never changes
  AddressSpace,  // cvta and the like
  ReadClock,     // %clock, %globaltimer
  Shuffle,       // shfl, redux, match
  Vote,          // vote, activemask, elect
  Branch,        // bra, brx, call, ret, exit
  Barrier,       // bar.*
  Fence,         // membar, fence
  LoadParam,     // kernel parameters
  LoadConst,
  Load,  // global, local, generic
  Store,
  LoadShared,
  StoreShared,
  AtomicShared,
  Atomic,  // global
  Texture,
  Other,
};
inline constexpr int kInstrClasses = static_cast<int>(InstrClass::Other) + 1;
std::string_view name(InstrClass c);

// Registers are named by number, from 0 to StaticCode::registers - 1: physical ones as the allocator placed
// them, predicates among them.
using RegisterId = std::uint16_t;

struct StaticInstr {
  enum Flag : std::uint8_t {
    kMemory = 1,   // issue() yields an access, unless no lane is active
    kBarrier = 2,  // may block the warp
    kFence = 4,    // waits for the warp's accesses before it; a memory access may be one as well (.release)
    kBranch = 8,   // the next pc is known only after issue
    kCall = 16,    // call, ret: the frame changes
    kExit = 32,
    kDeferred = 64,  // its results may come later, through deliver()
    kCopies =
        128,  // commits a group of asynchronous copies; with kFence: waits for copies only, see copies()
  };
  InstrClass cls = InstrClass::Other;
  std::uint8_t flags = 0;
  std::uint8_t n_src : 4 = 0, n_dst : 4 = 0;
  std::uint8_t extra = 0;     // see extra_slots()
  std::uint8_t wide_src = 0;  // bit i: src[i] is 64 bits; kGuarded: src[0] is the guard
  static constexpr std::uint8_t kGuarded = 128;
  std::uint8_t wide_dst = 0;  // kPlane: a texture of more than one dimension; kWaitsAlso: see waited_for();
                              // kAcquires: what follows reads what other CTAs have written before (fences and
                              // acquiring accesses, of the cluster, the GPU or the system)
  static constexpr std::uint8_t kPlane = 128, kWaitsAlso = 64, kAcquires = 32;
  std::uint8_t repeat = 1;  // passes through the unit: division of 64 bits and the like may need several
  std::uint8_t more =
      0;  // records behind the program's, from rest() on, with registers that have no room here
  std::array<RegisterId, 7> src{};  // guard predicate, address and values
  std::array<RegisterId, 5> dst{};

  // Machine instructions beyond those of the class, and how much later its result comes for them: the nearest
  // of these.
  static constexpr std::array<std::uint8_t, 16> kExtraSlots{0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 11, 14, 20, 30, 60, 80};
  static constexpr std::array<std::uint8_t, 16> kExtraLatency{0,  4,  8,  12, 16, 20,  24,  28,
                                                              36, 44, 52, 60, 80, 120, 150, 200};
  std::uint32_t extra_slots() const { return kExtraSlots[extra & 15]; }
  std::uint32_t extra_latency() const { return kExtraLatency[extra >> 4]; }
  void set_extra(std::uint32_t slots, std::uint32_t latency) {
    extra = static_cast<std::uint8_t>(nearest(kExtraSlots, slots) | nearest(kExtraLatency, latency) << 4);
  }
  static constexpr unsigned nearest(const std::array<std::uint8_t, 16>& values, std::uint32_t v) {
    unsigned i = 0;
    while (i + 1 < values.size() && values[i] + values[i + 1] <= 2 * v) ++i;
    return i;
  }

  // Instructions with more registers (fragments of matrices) keep the last two sources free for this.
  static constexpr std::uint32_t kSourcesBeforeRest = 5;
  std::uint32_t rest() const { return src[5] | std::uint32_t{src[6]} << 16; }
  void set_rest(std::uint32_t first) {
    src[5] = static_cast<RegisterId>(first);
    src[6] = static_cast<RegisterId>(first >> 16);
  }

  // Beside its operands it waits for a register that comes to the same barrier as one of them: behind the
  // sources.
  std::uint32_t waited_for() const { return n_src + ((wide_dst & kWaitsAlso) != 0 ? 1u : 0u); }
  void set_waits_also(RegisterId r) {
    src[n_src] = r;
    wide_dst |= kWaitsAlso;
  }

  bool acquires() const { return (wide_dst & kAcquires) != 0; }

  // kCopies: whether of lanes (cp.async) or bulk copies, and how many of the last groups need not be
  // complete. kAllCopies: every copy must be, also those of no group. Such instructions have few registers.
  enum class Copies : std::uint8_t { Lanes, Bulk };
  static constexpr std::uint64_t kAllCopies = 0xffff;
  Copies copies() const { return static_cast<Copies>(dst[3]); }
  std::uint32_t groups_left() const { return dst[4]; }
  void set_copies(Copies which, std::uint64_t left) {
    dst[3] = static_cast<RegisterId>(which);
    dst[4] = static_cast<RegisterId>(left < kAllCopies ? left : kAllCopies - 1);
    if (left == kAllCopies) dst[4] = static_cast<RegisterId>(left);
  }
  // kFence without kCopies and without results: whether only for the threads of its CTA.
  bool cta_scope() const { return dst[4] != 0; }
  void set_cta_scope() { dst[4] = 1; }
};
static_assert(sizeof(StaticInstr) == 32);

// What whoever made the addresses of an access knows about them, so that nobody need look at every lane
// again. It may know nothing; what it says is true.
struct AccessShape {
  static constexpr std::uint32_t kUnknown = ~0u;
  std::uint32_t reach = kUnknown;  // bytes from the lowest to the highest address
  bool contiguous = false;         // lane i at address[0] + i * bytes, all 32 lanes
  bool known() const { return reach != kUnknown; }
};

// One memory access of a warp instruction. Addresses of lanes outside `mask` are not to be read.
struct WarpAccess {
  enum class Kind : std::uint8_t { Load, Store, Atomic, Reduce };  // Reduce: an atomic without result
  enum class Space : std::uint8_t { Global, Local, Shared, Constant, Param, Texture };
  enum class Cache : std::uint8_t { All, L2Only };  // .ca and default; .cg, .cv, volatile
  Kind kind = Kind::Load;
  Space space = Space::Global;
  Cache cache = Cache::All;
  std::uint8_t bytes = 0;     // per lane
  std::uint16_t payload = 0;  // Atomic, Reduce in global memory: operand record of the SM. Bulk copies: for
                              // CtaStream::copied
  // What is special about it for who serves it.
  enum class Manner : std::uint8_t {
    Plain,
    Plane,    // Texture: of more than one dimension
    Uniform,  // Constant: one address for all lanes, as the assembler knows
    Swap,     // atomic of shared memory: compare and swap
    Loop,     // atomic of shared memory for which the machine has none: a loop around compare and swap
  };
  Manner manner = Manner::Plain;
  AccessShape shape;
  std::uint32_t mask = 0;
  const std::uint64_t* address = nullptr;  // 32 lanes; Local: byte offsets in the thread's own memory
  // Bulk copies: how many bytes from the address on, for each lane. A Load goes to shared memory (from there
  // as well, when that is its space) and calls for CtaStream::copied; a Store comes from there.
  const std::uint64_t* sizes = nullptr;
};

struct Issued {
  enum class Event : std::uint8_t {
    None,
    Memory,   // `access` is valid
    Blocked,  // the warp waits at a barrier of its CTA
    Exited,   // no lane is left
    Retry,    // nothing was executed: it touches a line with an atomic of this SM under way, or leaves a
            // function whose registers a result is on its way to, or the SM has no record left for an atomic
  };
  Event event = Event::None;
  bool diverged = false;  // a branch separated lanes
  bool taken_backward = false;
  bool check_barriers =
      false;                  // call CtaStream::release: Blocked, Exited, or the warp arrived without waiting
  std::uint8_t accesses = 0;  // Memory: number of accesses (lanes of a generic access may differ in space)
  std::uint32_t lanes = 0;    // that executed it
  std::uint32_t next_pc = 0;  // of any instruction: other lanes may run next where some meet or wait
  const WarpAccess* access = nullptr;  // valid until the next issue() on the same SM
};

// Which function the vendor's code calls for a division, root or reciprocal of values for which its short
// sequence of instructions does not do: zeros, denormal numbers, very large ones.
enum class LongWay : std::uint8_t { None, Division, Root, Reciprocal };

// A resident CTA. Owned by its SM; used by one host thread at a time.
class CtaStream {
 public:
  virtual ~CtaStream() = default;
  virtual std::uint64_t id() const = 0;  // linear
  virtual std::uint32_t warps() const = 0;
  virtual std::uint32_t pc(std::uint32_t warp) const = 0;
  // Where issue() finds what it reads first, for who wants it in the host's cache before; nullptr: nowhere.
  virtual const void* running_state(std::uint32_t /*warp*/) const { return nullptr; }
  // Executes the warp's next instruction. Not for warps that are blocked or have exited.
  virtual Issued issue(std::uint32_t warp) = 0;
  // After a match: how many different values its lanes had.
  virtual std::uint32_t matched_values() const { return 1; }
  // After a division, root or reciprocal: whether one of its lanes needs more than the usual instructions.
  virtual LongWay long_way() const { return LongWay::None; }
  // After Issued::check_barriers: which warps may go on now (bit per warp).
  virtual std::uint64_t release() = 0;
  // The answer to an Atomic access has come: writes the old values into the warp's registers.
  virtual void deliver(std::uint32_t warp, std::uint16_t payload) = 0;
  // The answer to a Reduce, or to an Atomic after deliver(): the record may be used again.
  virtual void retire_atomic(std::uint16_t payload) = 0;
  // All bytes of a bulk copy to shared memory are there.
  virtual void copied(std::uint16_t /*payload*/) {}
  // Where the warp's pc is in the source, for reports.
  virtual std::string place(std::uint32_t warp) const = 0;
  // For who looks for warps that go round without end: a number for all that decides what the warp does next,
  // besides memory; 0 when that cannot be told. The same for the CTA's shared memory.
  virtual std::uint64_t state(std::uint32_t /*warp*/) const { return 0; }
  virtual std::uint64_t shared_state() const { return 0; }
};

struct StaticCode {
  std::span<const StaticInstr> instr;  // by pc; behind them what StaticInstr::rest names
  std::uint32_t registers = 0;         // RegisterIds in use
};

// What a CTA of the launch takes from an SM.
struct CtaNeeds {
  std::uint32_t threads = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;
};

// One launch on the timing machine.
class GridStream {
 public:
  virtual ~GridStream() = default;
  virtual std::string_view kernel() const = 0;
  virtual std::uint64_t ctas() const = 0;
  virtual Dim3 shape() const { return {static_cast<std::uint32_t>(ctas()), 1, 1}; }  // of ctas()
  virtual CtaNeeds needs() const = 0;
  virtual StaticCode code() const = 0;
  // Starts CTA `id` on SM `sm`. Called from that SM only; the storage of ended CTAs is used again.
  virtual CtaStream* start(std::uint64_t id, std::uint32_t sm) = 0;
  virtual void finish(CtaStream* cta, std::uint32_t sm) = 0;
};

}  // namespace heddle::workload
