// One decoded PTX instruction. The parser makes it with virtual registers; `allocate_registers` replaces
// those by slots. Every modifier that changes the meaning is a field here: nothing below this layer looks
// at text again.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ptx/ir/types.h"

namespace heddle::ptx {

enum class Op : std::uint8_t {
  // Arithmetic; `type` decides integer or floating point. mad.lo/hi/wide, mul.lo/hi/wide: `half`.
  Add,
  Sub,
  Mul,
  Mad,
  Fma,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Sad,
  Mul24,
  Mad24,
  Dp4a,
  Dp2a,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Ex2,
  Lg2,
  Tanh,
  Copysign,
  Testp,
  // Bits
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shl,
  Shr,
  Shf,
  Bfe,
  Bfi,
  Bfind,
  Brev,
  Popc,
  Clz,
  Prmt,
  Bmsk,
  Szext,
  Fns,
  // Comparison and selection
  Setp,
  Set,
  Selp,
  Slct,
  // Moves: Mov (register, immediate, special register, address of a symbol), Pack ({a,b,..} into one
  // register), Unpack (one register into {a,b,..}), Cvt, CvtPack (cvt of two .f32 to a pair), Cvta
  // (to_space: cvta.to), Isspacep
  Mov,
  Pack,
  Unpack,
  Cvt,
  CvtPack,
  Cvta,
  Isspacep,
  // SIMD-in-a-word video instructions
  Vabsdiff4,
  Vabsdiff2,
  // Matrices, the whole warp together: Mma is wmma.mma and mma.sync
  Mma,
  MoveMatrix,
  // Memory
  Ld,
  St,
  Atom,
  Red,
  Prefetch,
  CpAsync,
  CpAsyncBulk,  // `bulk` says from where to where
  CpAsyncCommit,
  CpAsyncWait,
  Mbarrier,  // `mbarrier` says what it does
  Tex,
  // Textures and surfaces: Tld4 gathers one component of four texels, Txq asks a texture or (suq) a surface
  Tld4,
  Txq,
  Suld,
  Sust,
  Sured,
  WmmaLoad,
  WmmaStore,
  LoadMatrix,
  StoreMatrix,
  // Control
  Bra,
  BrxIdx,
  Call,
  Ret,
  Exit,
  Trap,
  Brkpt,
  Nop,
  // Synchronisation
  BarSync,
  BarArrive,
  BarRed,
  BarWarp,
  Membar,
  Nanosleep,
  // Across lanes
  Shfl,
  Vote,
  Match,
  Activemask,
  Redux,
  Elect,
};
std::string_view name(Op op);

// Values from memory into registers, without changing memory, and the other way round.
constexpr bool is_load(Op op) {
  return op == Op::Ld || op == Op::WmmaLoad || op == Op::LoadMatrix;
}
constexpr bool is_store(Op op) {
  return op == Op::St || op == Op::WmmaStore || op == Op::StoreMatrix;
}

enum class Half : std::uint8_t { None, Lo, Hi, Wide };
enum class ShflMode : std::uint8_t { Up, Down, Bfly, Idx };
enum class VoteMode : std::uint8_t { All, Any, Uni, Ballot };
enum class MatchMode : std::uint8_t { Any, All };
enum class BarRedOp : std::uint8_t { Popc, And, Or };
// TestWait: try_wait, too. CopyArrive: cp.async.mbarrier.arrive.
enum class MbarrierOp : std::uint8_t {
  Init,
  Inval,
  Arrive,
  ArriveDrop,
  ExpectTx,
  CompleteTx,
  TestWait,
  PendingCount,
  CopyArrive
};
// cp.async.bulk, by destination and source. Group: its commit_group and wait_group.
enum class BulkCopy : std::uint8_t { None, GlobalToShared, SharedToGlobal, SharedToShared, Group };
enum class ReduxOp : std::uint8_t { Add, Min, Max, And, Or, Xor };
enum class TestpOp : std::uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
enum class CacheHint : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt, Nc };
enum class MemOrder : std::uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };
enum class TexGeometry : std::uint8_t { None, T1d, T2d, T3d, A1d, A2d, Cube, Acube };
enum class TexMip : std::uint8_t { Base, Level, Grad };
enum class SurfaceBounds : std::uint8_t { Trap, Clamp, Zero };
// clang-format off
enum class TexQuery : std::uint8_t {
  None, Width, Height, Depth, ArraySize, MipmapLevels, ChannelDataType, ChannelOrder, NormalizedCoords,
};
// clang-format on
// Prmt: Default and the six named modes; Shf and Bmsk use `left`, `clamp`.
enum class PrmtMode : std::uint8_t { Default, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

// Special registers (PTX manual, chapter 10). The first group is constant for a warp's life.
enum class Sreg : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  DynamicSmemSize,
  TotalSmemSize,
  Envreg0,
  Envreg1,
  Envreg2,  // 1 and 2: address of the grid-synchronisation workspace, high and low half
  // cluster registers of a grid without clusters
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  // where the shared memory lies that the system keeps for itself
  ReservedSmemBegin,
  ReservedSmemEnd,
  ReservedSmemCap,
  ReservedSmem0,
  ReservedSmem1,
  // These change while the warp runs.
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
};
inline constexpr Sreg kFirstDynamicSreg = Sreg::Clock;

struct Operand {
  enum class Kind : std::uint8_t {
    None,
    Reg,     // index: virtual register of the function, later the slot
    Pred,    // index: virtual register of type Pred, later the predicate slot; `negated` for !p
    Imm,     // value: the bits, already in the operand's own type (f32 bits for an f32 operand, integers
             // sign-extended to 64 bits)
    Sreg,    // index: Sreg
    Symbol,  // index: Module::symbol table entry, plus `value` as addend: the address in its own space
    Sink,    // `_`
  };
  Kind kind = Kind::None;
  bool negated = false;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  friend bool operator==(const Operand&, const Operand&) = default;
};

inline constexpr std::uint32_t kNoTarget = ~0u;

struct Instr {
  Op op = Op::Nop;
  Type type = Type::None;       // the instruction's type; for Cvt and Set the destination's
  Type src_type = Type::None;   // Cvt, Set, Slct, Tex: the source's (coordinates'); Vabsdiff: of a and b
  Type src_type2 = Type::None;  // Dp4a, Vabsdiff: of b
  Round round = Round::None;
  Half half = Half::None;
  Cmp cmp = Cmp::None;
  BoolOp bool_op = BoolOp::None;

  bool ftz = false;
  bool sat = false;
  bool satfinite = false;  // cvt
  bool relu = false;
  bool approx = false;  // .approx
  bool full = false;    // div.full
  bool nan = false;     // min.NaN, max.NaN
  bool xorsign_abs = false;
  bool carry_in = false;    // addc, subc, madc
  bool carry_out = false;   // .cc
  bool left = false;        // shf.l (else .r)
  bool clamp = false;       // shf.clamp, bmsk.clamp (else .wrap)
  bool shiftamt = false;    // bfind.shiftamt
  bool to_space = false;    // cvta.to
  bool uniform = false;     // bra.uni, call.uni: a promise, never relied on
  bool sync_mask = false;   // shfl.sync, vote.sync, ...: the membermask is the last source
  bool accumulate = false;  // vabsdiff*.add
  bool aligned = true;      // bar.sync / barrier.sync.aligned
  bool transpose = false;   // ldmatrix.trans, stmatrix.trans

  // Memory. The address is `address` + `offset`; vector elements are dst[] or src[] in order.
  Space space = Space::None;
  CacheHint cache = CacheHint::None;
  MemOrder order = MemOrder::Weak;
  Scope scope = Scope::None;
  AtomOp atom = AtomOp::None;
  bool combined = false;  // Atom, Red: the lanes of a warp send one operation (assemble/combine_atomics.h)
  std::uint8_t vector = 1;
  Operand address;  // Reg, Imm or Symbol; Kind::None for instructions without an address
  std::int64_t offset = 0;

  ShflMode shfl = ShflMode::Idx;
  VoteMode vote = VoteMode::All;
  MatchMode match = MatchMode::Any;
  BarRedOp bar_red = BarRedOp::Popc;
  ReduxOp redux = ReduxOp::Add;
  TestpOp testp = TestpOp::Finite;
  PrmtMode prmt = PrmtMode::Default;
  TexGeometry tex = TexGeometry::None;
  TexMip tex_mip = TexMip::Base;
  TexQuery tex_query = TexQuery::None;
  SurfaceBounds bounds = SurfaceBounds::Trap;
  std::uint8_t component = 0;  // tld4: which of r, g, b and a
  MbarrierOp mbarrier = MbarrierOp::Init;
  bool mbarrier_parity = false;   // test_wait.parity: the source is a parity, not a state
  bool mbarrier_expects = false;  // arrive.expect_tx: the source is a number of bytes
  bool mbarrier_noinc = false;    // cp.async.mbarrier.arrive.noinc
  BulkCopy bulk = BulkCopy::None;
  std::uint8_t lut = 0;      // lop3
  std::uint8_t cp_size = 0;  // cp.async: bytes

  // @p / @!p; Kind::None when unguarded.
  Operand guard;
  bool fresh = false;  // guarded, and nobody reads what lanes without the guard have in the destinations
  // What the assembler found (assemble/machine_code.h).
  bool folded = false;       // part of the machine instruction that reads its result, or writes its operand
  bool varying = false;      // Div, Rem of integers: the divisor is another one in each round of the loop
  bool joins = false;        // Bra: machine instructions of their own bring the lanes together again
  bool one_address = false;  // Ld of constants: all lanes that execute it have the same address
  bool by_lane = false;    // Ld of constants: of a loop that was unrolled, so that each lane reads for itself
  bool narrow = false;     // of 64 bits, but only the lower word of the result counts
  std::uint8_t moves = 0;  // machine instructions beside it that bring values where they are needed
  // Ld, St of an array that is in registers: how many of them it may mean; 0: it is in memory.
  std::uint8_t elements = 0;
  // dst[1] is the second result: setp's q, shfl's and match.all's predicate. Vectors use all four.
  std::array<Operand, 4> dst{};
  std::uint8_t n_dst = 0;
  // Sources in the manual's order. St: the values. Setp/Set with bool_op: the predicate is src[2]. Tex, Tld4:
  // the coordinates (handle in `address`; layers first), then the level or the two gradients. Sust, Sured:
  // the values, then the coordinates. Atom: b, c. Bar: barrier number, thread count, predicate (BarRed).
  // Mbarrier: count, bytes, state or parity. CpAsync: source address in src[0] + offset2, optional src-size
  // in src[1]. CpAsyncBulk: source address as there, bytes in src[1], the mbarrier's address in src[2] +
  // offset3. WmmaLoad, WmmaStore: optional stride in src[0]. Registers of fragments are in
  // Function::matrices.
  std::array<Operand, 10> src{};
  std::uint8_t n_src = 0;
  std::int64_t offset2 = 0, offset3 = 0;

  std::uint32_t target = kNoTarget;  // Bra: instruction index; BrxIdx: Function::branch_tables index
  std::uint32_t call = kNoTarget;    // Call: Function::calls index
  std::uint32_t matrix = kNoTarget;  // Mma, WmmaLoad, WmmaStore: Function::matrices index
  std::uint32_t line = 0;            // in the PTX text
  std::uint32_t column = 0;
  friend bool operator==(const Instr&, const Instr&) = default;
};

// A prefetch of single lines of global memory, that is no bulk copy's.
constexpr bool prefetches_lines(const Instr& in) {
  return in.op == Op::Prefetch && in.space == Space::Global && in.n_src == 0;
}

}  // namespace heddle::ptx
