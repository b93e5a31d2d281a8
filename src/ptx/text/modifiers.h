// The words behind the dots of an opcode. Their order matters little in PTX (compilers and people write
// both `atom.global.add.u32` and `atom.add.global.u32`), so they are a set; only types keep their order.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/ir/types.h"
#include "ptx/text/lexer.h"

namespace heddle::ptx {

// One enumerator per spelling that Heddle knows; which meaning it has depends on the opcode.
// clang-format off
enum class Mod : std::uint8_t {
  Unknown, Type,
  Rn, Rz, Rm, Rp, Rna, Rni, Rzi, Rmi, Rpi,
  Ftz, Noftz, Sat, Satfinite, LaterFormat, Relu, Approx, Full, NaN, Xorsign, AbsMod, Cc, Lo, Hi, Wide,
  Eq, Ne, Lt, Le, Gt, Ge, Ls, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan,
  And, Or, Xor, Popc, Add, Cas, Exch, Inc, Dec, Min, Max,
  Global, Shared, Local, Const, Param, Generic, To,
  Ca, Cg, Cs, Lu, Cv, Wb, Wt, Nc,
  Weak, Volatile, Relaxed, Acquire, Release, AcqRel, Sc, Cta, Cluster, Gpu, Gl, Sys,
  V2, V4,
  L1, L2, CacheHint, Harmless,
  Sync, Aligned, Uni, Up, Down, Bfly, Idx, All, Any, Ballot, Arrive, Red, Warp,
  Left, Right, Clamp, Wrap, Shiftamt, F4e, B4e, Rc8, Ecl, Ecr, Rc16,
  Finite, Infinite, Number, Notanumber, Normal, Subnormal,
  T1d, T2d, T3d, A1d, A2d, Cube, Acube, T2dms, A2dms, Level, Grad, Base,
  Green, Formatted, TrapMod, Zero,
  Width, Height, Depth, ArraySize, MipmapLevels, ChannelDataType, ChannelOrder, NormalizedCoords,
  Async, CommitGroup, WaitGroup, WaitAll, Bulk, Mbarrier, Tensor, ReduceMod, Proxy, Alias,
  CompleteTxBytes, BulkGroup, ReadMod, PrefetchMod, Multicast, MbarrierInit,
  Wait, LaunchDependents,
  Load, Store, Mma, LetterA, LetterB, LetterC, LetterD, Row, Col, X1, X2, X4, Trans,
  Init, Inval, ArriveDrop, NoComplete, ExpectTx, CompleteTx, TestWait, TryWait, Parity, PendingCount, Noinc,
  Count,
};
// clang-format on

class Modifiers {
 public:
  static constexpr std::size_t kMax = 24;

  void clear() {
    count_ = next_type_ = 0;
    present_.reset();
  }
  // False when there are more than any instruction has.
  bool add(const Token& dot);

  bool has(Mod m) const { return present_[static_cast<std::size_t>(m)]; }
  // Present? Then it is accounted for.
  bool take(Mod m);
  // The next type in the order written; Type::None when there is none left.
  Type take_type();
  // The shape of a matrix instruction, "m16n8k16" without its dot; empty when there is none.
  std::string_view take_shape();
  // The first modifier that nothing took, or nullptr.
  const Token* unused() const;
  std::size_t size() const { return count_; }
  const Token& at(std::size_t i) const { return list_[i].token; }

 private:
  struct Entry {
    Token token;
    Mod mod = Mod::Unknown;
    Type type = Type::None;
    bool used = false;
  };
  std::array<Entry, kMax> list_;
  std::size_t count_ = 0;
  std::size_t next_type_ = 0;
  std::bitset<static_cast<std::size_t>(Mod::Count)> present_;
};

// ".u32" -> Type::U32; Type::None for other words, and for types that only matrices have.
Type type_of(std::string_view with_dot);
// ".global" -> Space::Global; Space::None for other words.
Space space_of(std::string_view with_dot);

}  // namespace heddle::ptx
