// Operands of memory instructions: how Code holds them.
#pragma once

#include <array>
#include <cstdint>

#include "exec/image/binder.h"
#include "exec/image/code.h"
#include "exec/warp/lanes.h"
#include "exec/warp/warp.h"

namespace heddle::exec {

// Code::aux of a memory instruction.
enum MemoryFlag : std::uint32_t {
  kVectorMask = 0xf,         // number of elements
  kFrameRelative = 1u << 4,  // the address counts from the running frame
  kWide = 1u << 5,           // registers of 8-byte lanes
  kSignExtend = 1u << 6,     // from the element's size ...
  kNarrow16 = 1u << 7,       // ... to a 16-bit register
  kAddress32 = 1u << 8,      // the address register has 4-byte lanes
  kSpinHint = 1u << 9,
};

inline std::array<Place, 4> values(const Code& c) {
  return {c.d, c.b, c.c, c.extra()};
}

// Fills warp.access().
inline void set_addresses(Warp& w, const Code& c, std::uint32_t bytes, ptx::Space space, bool write,
                          Mask active) {
  Access& access = w.access();
  access.begin(space, bytes, write, active);
  std::uint64_t add = static_cast<std::uint64_t>(c.imm);
  if ((c.aux() & kFrameRelative) != 0) add += w.local_base();
  std::uint64_t* const out = access.address.data();
  if ((c.aux() & kAddress32) != 0) {
    const std::uint32_t* a = w.in<std::uint32_t>(c.a);
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i)
      out[i] = static_cast<std::uint32_t>(a[i] + static_cast<std::uint32_t>(add));
  } else {
    const std::uint64_t* a = w.in<std::uint64_t>(c.a);
    HEDDLE_LANE_LOOP
    for (int i = 0; i < kLanes; ++i) out[i] = a[i] + add;
  }
}

template <int Bytes>
struct Element;
template <>
struct Element<1> {
  using type = std::uint8_t;
};
template <>
struct Element<2> {
  using type = std::uint16_t;
};
template <>
struct Element<4> {
  using type = std::uint32_t;
};
template <>
struct Element<8> {
  using type = std::uint64_t;
};

// Sets a, imm and the address flags; may change `space`: parameters of functions lie in their frame.
void bind_address_operand(const ptx::Instr& in, Binder& b, Code& c, ptx::Space& space, bool& kernel_param);
// ld.param of a kernel's parameter at a fixed place; nullptr: no such size.
Handler kernel_param_handler(unsigned bytes);

}  // namespace heddle::exec
