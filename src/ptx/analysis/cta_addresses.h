// Where a kernel's global accesses go, as far as its text tells: which array, and how the address depends on
// the CTA, on the thread and on loops.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/analysis/symbolic_values.h"

namespace heddle::ptx {

enum class AccessKind : std::uint8_t { Read, Write, Atomic };

// How an address depends on one coordinate.
struct AddressDependence {
  enum class Kind : std::uint8_t {
    None,
    Constant,  // `bytes` per step
    Symbolic,  // `stride` bytes per step: products of parameters and sizes of the launch
    Function,  // in another way: divided, masked, times another coordinate
    Data,      // through what was loaded
    Unknown,
  };
  Kind kind = Kind::None;
  std::int64_t bytes = 0;
  Sum stride{};  // Constant and Symbolic

  bool depends() const { return kind != Kind::None; }
  bool strided() const { return kind == Kind::Constant || kind == Kind::Symbolic; }
};

// What an address is counted from.
struct AccessBase {
  enum class Kind : std::uint8_t { Unknown, Parameter, Variable, Pointer };  // Pointer: one that was loaded
  Kind kind = Kind::Unknown;
  std::uint32_t index = 0;  // byte in the parameter block; symbol; atom
  friend auto operator<=>(const AccessBase&, const AccessBase&) = default;
};

struct GlobalAccess {
  AccessKind kind = AccessKind::Read;
  bool texture = false;  // offsets take texels of 4 bytes and rows `pitch` apart
  AccessBase base;
  std::string array;        // the base's name
  Sum offset;               // bytes from the base
  bool about = false;       // clamped, or chosen between neighbours
  std::uint32_t width = 0;  // bytes
  const Function* function = nullptr;
  std::uint32_t instr = 0;  // of `function`
  std::uint32_t line = 0;
  std::vector<std::uint32_t> loops;              // around it, outermost first
  std::array<AddressDependence, 3> cta, thread;  // by axis
  std::vector<AddressDependence> loop;           // as `loops`
  bool by_data = false;                          // on loaded data that is not the same for all
  bool understood = true;

  const AddressDependence& on_cta(Axis a) const { return cta[static_cast<unsigned>(a)]; }
  const AddressDependence& on_thread(Axis a) const { return thread[static_cast<unsigned>(a)]; }
};

struct KernelAddresses {
  Atoms atoms;
  std::vector<GlobalAccess> accesses;  // in the order of the text; those of called functions at the call
  std::vector<std::string> notes;      // what could not be followed
};

// All outlive the result.
KernelAddresses find_addresses(const Module& module, const Function& kernel, const KnownLaunch& known = {});

// The last (fastest) index of the array contains this CTA coordinate: no other CTA coordinate has a smaller
// stride.
bool is_fastest(const GlobalAccess& access, Axis axis);

// "4*ntid.x*bx", "by data", "-"
std::string text(const KernelAddresses& addresses, const Module& module, const Function& kernel,
                 const AddressDependence& dependence);

}  // namespace heddle::ptx
