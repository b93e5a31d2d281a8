// What sums are made of: parameters, coordinates of CTAs and threads, iterations of loops, loaded values, and
// functions of sums that are no sums themselves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/analysis/symbolic_sum.h"
#include "ptx/ir/module.h"

namespace heddle::ptx {

enum class Axis : std::uint8_t { X, Y, Z };
inline constexpr Axis kAxes[] = {Axis::X, Axis::Y, Axis::Z};

enum class AtomKind : std::uint8_t {
  Parameter,  // index: byte in the kernel's parameter block
  Variable,   // the address of a variable; index: symbol
  Ctaid,      // index: axis
  Tid,
  Ntid,
  Nctaid,
  Iteration,  // of a loop, from 0; index: SymbolicLoop
  Last,       // the iteration in which a loop is left, for what comes behind it
  Pitch,      // bytes between rows of a texture; index: AtomId of its handle
  Function,   // of `args`, by the instruction `instr`, or `join`
  Loaded,     // from memory at an address made of `args`
  Unknown,
  Pending,  // the value of a register at a loop's start while it is being found out
};

// Which coordinates and which other things a value depends on; a bit each.
using Causes = std::uint64_t;
inline constexpr Causes kByData = 1u << 6, kByUnknown = 1u << 7;
constexpr Causes by_cta(Axis a) {
  return Causes{1} << static_cast<unsigned>(a);
}
constexpr Causes by_thread(Axis a) {
  return Causes{8} << static_cast<unsigned>(a);
}
inline constexpr Causes kByCta = 7, kByThread = 56;
// Loops beyond the 56th share the last bit.
constexpr Causes by_loop(std::uint32_t loop) {
  return Causes{1} << (loop < 55 ? loop + 8 : 63);
}
inline constexpr Causes kByLoops = ~Causes{0xFF};

enum class JoinKind : std::uint8_t {
  None,
  Choice,  // one of several values; the last args are what decides
  Drift,   // what a loop adds, a little more or less each time
  Table,   // constant memory
};

struct Atom {
  AtomKind kind = AtomKind::Unknown;
  JoinKind join = JoinKind::None;
  std::uint32_t index = 0;
  const Instr* instr = nullptr;
  std::vector<Sum> args{};
  std::uint8_t result = 0;              // which of the instruction's
  std::optional<std::int64_t> least{};  // values lie between both, where known
  std::optional<std::int64_t> most{};
  std::optional<Sum> solution{};  // Pending: what it was found to be
};

// A loop of the kernel, or of a function that it calls at one place.
struct SymbolicLoop {
  std::uint32_t line = 0;  // of its first instruction
  std::uint32_t parent = kNoTarget;
  // It is left in iteration ceil(distance / step) and runs `extra` times more than that, where a counter was
  // found.
  std::optional<Sum> distance{};
  Sum step = 1;
  std::int64_t extra = 0;
};

struct Bounds {
  std::int64_t least, most;
};

class Atoms {
 public:
  const Atom& operator[](AtomId id) const { return atoms_[id]; }
  std::size_t size() const { return atoms_.size(); }
  // The same atom for the same description (solutions and bounds left out).
  AtomId intern(Atom atom);
  AtomId fresh(Atom atom);  // one that equals no other
  AtomId simple(AtomKind kind, std::uint32_t index) { return intern({.kind = kind, .index = index}); }
  void solve(AtomId pending, Sum value) { atoms_[pending].solution = std::move(value); }

  // Pending atoms by what they were found to be.
  Sum resolved(const Sum& sum) const;
  Causes causes(const Sum& sum) const;
  Causes causes(AtomId atom) const;
  // The same for all CTAs, threads and iterations.
  bool uniform(const Sum& sum) const { return causes(sum) == 0; }
  std::optional<Bounds> bounds(const Sum& sum) const;

  std::vector<SymbolicLoop> loops;

 private:
  struct Walked {
    Causes causes = 0;
    bool final = true;  // nothing that is still pending, nothing left out since it was met before
  };
  Walked walk(const Sum& sum) const;
  Walked walk(AtomId atom) const;
  Walked walk_anew(const Atom& atom) const;

  std::vector<Atom> atoms_;
  mutable std::vector<std::optional<Causes>> causes_;  // by atom, where final
  mutable std::vector<std::uint32_t> met_;             // by atom: the walk that has come along
  mutable std::uint32_t walk_ = 0;
  std::map<std::vector<std::int64_t>, AtomId> known_;
};

// "4*ntid.x*bx + 4*tx", with names of parameters as the kernel declares them.
std::string text(const Atoms& atoms, const Module& module, const Function& kernel, const Sum& sum);

}  // namespace heddle::ptx
