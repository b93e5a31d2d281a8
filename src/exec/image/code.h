// The form in which instructions are executed: one handler per instruction, operands resolved to places.
//
// A warp's registers are lane vectors: 32 values of 4 bytes (types up to 32 bits; narrower ones are kept
// zero-extended) or of 8 bytes. A predicate is one 32-bit mask, one bit per lane. Immediates, symbol
// addresses and constant special registers are lane vectors too, in other banks, so a handler never asks
// what kind of operand it has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/ir/instr.h"

namespace heddle::exec {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr std::size_t kSlotBytes = 4 * kLanes;  // one 32-bit lane vector

using Mask = std::uint32_t;

inline constexpr std::uint32_t kNone = ~0u;  // instead of an index or a pc

// Where a lane vector lies: bank in the two top bits, byte offset below.
class Place {
 public:
  enum Bank : std::uint32_t { Registers = 0, Constants = 1, Specials = 2 };
  constexpr Place() = default;
  constexpr Place(Bank bank, std::uint32_t byte_offset) : bits_(bank << 30 | byte_offset) {}
  constexpr std::uint32_t bank() const { return bits_ >> 30; }
  constexpr std::uint32_t offset() const { return bits_ & 0x3fffffffu; }
  constexpr std::uint32_t bits() const { return bits_; }
  static constexpr Place from_bits(std::uint32_t bits) {
    Place p;
    p.bits_ = bits;
    return p;
  }

 private:
  std::uint32_t bits_ = 0;
};

// Predicate slots 0 and 1 of every frame always hold "false" and "true" for all lanes.
using PredSlot = std::uint16_t;
inline constexpr PredSlot kPredFalse = 0;
inline constexpr PredSlot kPredTrue = 1;

class Warp;
struct Code;

// Executes one instruction for the lanes in `active` (empty only where Code::even_if_none says so). Handlers
// read and write lane vectors, predicates and memory through the warp. Lanes outside `active` must keep their
// values.
using Handler = void (*)(Warp& warp, const Code& code, Mask active);

struct alignas(64) Code {
  Handler handler = nullptr;
  Place d, a, b, c;            // destination and up to three sources
  PredSlot guard = kPredTrue;  // lanes that execute: active & (predicate ^ guard_flip)
  PredSlot p = kPredTrue;      // predicate source (selp, setp's bool operand, vote); see p_flip
  PredSlot pd = kPredFalse;    // predicate destination: setp's p, shfl's p; kPredFalse: none
  PredSlot pq = kPredFalse;    // setp's q; kPredFalse: none
  Mask guard_flip = 0;         // 0 or kAllLanes
  Mask p_flip = 0;
  std::int64_t imm = 0;  // meaning depends on the handler
  const ptx::Instr* instr = nullptr;
  // How warps of a CTA keep in step (in_step.h).
  enum class InStep : std::uint8_t { No, Read, Write };
  InStep in_step = InStep::No;
  std::uint8_t flags = 0;     // StaticInstr::Flag
  bool even_if_none = false;  // the handler runs although no lane is active: lanes leave a loop by going on
  std::uint32_t instructions_to_write =
      0;  // instructions that are executed before the next InStep::Write, at least

  // Memory instructions have no predicate operands but more registers: address in a, values in d, b, c and
  // extra(), element count and the like in aux().
  Place extra() const {
    return Place::from_bits(static_cast<std::uint32_t>(pd) | static_cast<std::uint32_t>(pq) << 16);
  }
  void set_extra(Place e) {
    pd = static_cast<PredSlot>(e.bits() & 0xffff);
    pq = static_cast<PredSlot>(e.bits() >> 16);
  }
  bool unguarded() const { return guard == kPredTrue && guard_flip == 0; }
  std::uint32_t aux() const { return p_flip; }
  void set_aux(std::uint32_t v) { p_flip = v; }
};
static_assert(sizeof(Code) == 64);

}  // namespace heddle::exec
