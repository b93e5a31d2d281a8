// Atomic functions: plain (device scope), _block and _system.
#pragma once

// clang's builtins are gen_ (device), cta_..._gen_ and sys_..._gen_; the arguments below name that middle part.
#define HEDDLE_ATOMIC(op, T, builtin)                                                              \
  HEDDLE_DEVICE T op(T* p, T v) { return static_cast<T>(__nvvm_atom_##builtin(p, v)); }
// Where clang has a builtin for the signed type only.
#define HEDDLE_ATOMIC_AS(op, T, As, builtin)                                                       \
  HEDDLE_DEVICE T op(T* p, T v) {                                                                  \
    return __builtin_bit_cast(                                                                     \
        T, __nvvm_atom_##builtin(reinterpret_cast<As*>(p), __builtin_bit_cast(As, v)));            \
  }
#define HEDDLE_CAS_AS(op, T, As, builtin)                                                          \
  HEDDLE_DEVICE T op(T* p, T expected, T v) {                                                      \
    return __builtin_bit_cast(T, __nvvm_atom_##builtin(reinterpret_cast<As*>(p),                   \
                                                       __builtin_bit_cast(As, expected),           \
                                                       __builtin_bit_cast(As, v)));                \
  }
#define HEDDLE_BITWISE(op, suffix, mid, builtin)                                                   \
  HEDDLE_ATOMIC(op##suffix, int, mid##builtin##_gen_i)                                             \
  HEDDLE_ATOMIC_AS(op##suffix, unsigned, int, mid##builtin##_gen_i)                                \
  HEDDLE_ATOMIC(op##suffix, long long, mid##builtin##_gen_ll)                                      \
  HEDDLE_ATOMIC_AS(op##suffix, unsigned long long, long long, mid##builtin##_gen_ll)               \
  HEDDLE_ATOMIC_AS(op##suffix, unsigned long, long long, mid##builtin##_gen_ll)
#define HEDDLE_ORDERED(op, suffix, mid, builtin)                                                   \
  HEDDLE_ATOMIC(op##suffix, int, mid##builtin##_gen_i)                                             \
  HEDDLE_ATOMIC(op##suffix, unsigned, mid##builtin##_gen_ui)                                       \
  HEDDLE_ATOMIC(op##suffix, long long, mid##builtin##_gen_ll)                                      \
  HEDDLE_ATOMIC(op##suffix, unsigned long long, mid##builtin##_gen_ull)
#define HEDDLE_ATOMICS(suffix, mid)                                                                \
  HEDDLE_BITWISE(atomicAdd, suffix, mid, add)                                                      \
  HEDDLE_ATOMIC(atomicAdd##suffix, float, mid##add_gen_f)                                          \
  HEDDLE_ATOMIC(atomicAdd##suffix, double, mid##add_gen_d)                                         \
  HEDDLE_BITWISE(atomicAnd, suffix, mid, and)                                                      \
  HEDDLE_BITWISE(atomicOr, suffix, mid, or)                                                        \
  HEDDLE_BITWISE(atomicXor, suffix, mid, xor)                                                      \
  HEDDLE_BITWISE(atomicExch, suffix, mid, xchg)                                                    \
  HEDDLE_ATOMIC_AS(atomicExch##suffix, float, int, mid##xchg_gen_i)                                \
  HEDDLE_ATOMIC_AS(atomicExch##suffix, double, long long, mid##xchg_gen_ll)                        \
  HEDDLE_ORDERED(atomicMin, suffix, mid, min)                                                      \
  HEDDLE_ORDERED(atomicMax, suffix, mid, max)                                                      \
  HEDDLE_ATOMIC(atomicInc##suffix, unsigned, mid##inc_gen_ui)                                      \
  HEDDLE_ATOMIC(atomicDec##suffix, unsigned, mid##dec_gen_ui)                                      \
  HEDDLE_DEVICE int atomicSub##suffix(int* p, int v) { return atomicAdd##suffix(p, -v); }          \
  HEDDLE_DEVICE unsigned atomicSub##suffix(unsigned* p, unsigned v) {                              \
    return atomicAdd##suffix(p, 0u - v);                                                           \
  }                                                                                                \
  HEDDLE_CAS_AS(atomicCAS##suffix, int, int, mid##cas_gen_i)                                       \
  HEDDLE_CAS_AS(atomicCAS##suffix, unsigned, int, mid##cas_gen_i)                                  \
  HEDDLE_CAS_AS(atomicCAS##suffix, long long, long long, mid##cas_gen_ll)                          \
  HEDDLE_CAS_AS(atomicCAS##suffix, unsigned long long, long long, mid##cas_gen_ll)
HEDDLE_ATOMICS(, )
HEDDLE_ATOMICS(_block, cta_)
HEDDLE_ATOMICS(_system, sys_)
#undef HEDDLE_ATOMICS
#undef HEDDLE_ORDERED
#undef HEDDLE_BITWISE
#undef HEDDLE_CAS_AS
#undef HEDDLE_ATOMIC_AS
#undef HEDDLE_ATOMIC
