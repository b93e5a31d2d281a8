// Random programs, what they mean for one thread alone, and their PTX.
//
// The meaning is computed from the program's tree by a few lines that know nothing of warps, registers or
// reconvergence, so a difference points at the executor.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::exec {

inline constexpr int kVars = 6;   // 32-bit, v0...
inline constexpr int kWide = 2;   // 64-bit, w0...
inline constexpr int kFlags = 2;  // predicates, q0...
inline constexpr int kFunctions = 3;
inline constexpr std::uint64_t kWideFactor = 0x9e3779b97f4a7c15ull;
inline constexpr int kResultWords = kVars + 2 * kWide + kFlags;

struct ThreadState {
  std::array<std::uint32_t, kVars> v{};
  std::array<std::uint64_t, kWide> w{};
  std::array<bool, kFlags> q{};
};

struct Statement {
  enum class Kind : std::uint8_t {
    Compute,   // v[d] = v[a] op (v[b] or imm)
    Guarded,   // the same, if q[flag] == sense
    Select,    // v[d] = q[flag] ? v[a] : v[b]
    Compare,   // q[flag] = v[a] cmp (v[b] or imm)
    Widen,     // w[d] = w[d] * odd constant + v[a]
    Narrow,    // v[d] = high half of w[a]
    Memory,    // cell[v[a] & 3] += v[b]; v[d] = cell[imm & 3], in local memory
    If,        // if (v[a] cmp imm) body else other
    While,     // for (n = v[a] & 3; n != 0; --n) body
    DoWhile,   // n = v[a] & 3; do body while (n-- != 0)
    Switch,    // cases[v[a] & 3], without fall-through
    Break,     // out of `imm` loops, if q[flag] == sense
    Continue,  // if q[flag] == sense
    Return,    // if q[flag] == sense
    Call,      // v[d] = function[callee](v[a], v[b])
    CallAny,   // v[d] = function[v[a] & 1 ? callee : callee2](v[a], v[b]), through a pointer
    Recurse,   // if (depth != 0) v[d] = itself(v[a], depth - 1); only in a function
  };
  enum class Op : std::uint8_t { Add, Sub, Mul, Xor, And, Or, Min };
  Kind kind = Kind::Compute;
  Op op = Op::Add;
  int cmp = 0;  // 0 eq, 1 ne, 2 lt, 3 ge
  int d = 0, a = 0, b = 0;
  int flag = 0;
  bool sense = true;
  bool has_imm = false;
  std::uint32_t imm = 0;
  int callee = 0, callee2 = 0;
  std::vector<std::vector<Statement>> bodies;
};

struct RandomProgram {
  std::vector<std::vector<Statement>> functions;  // a function calls itself and those before it
  std::vector<Statement> kernel;
};

RandomProgram make_random_program(std::uint64_t seed);

// False: the thread takes too many steps to be worth running.
bool interpret(const RandomProgram& program, ThreadState& state);

// The values of thread `gid` before the kernel's first statement.
ThreadState initial_state(std::uint32_t gid);

// A module with entry "k" (.param .u64 out): each thread writes kResultWords words.
std::string to_ptx(const RandomProgram& program);

}  // namespace heddle::exec
