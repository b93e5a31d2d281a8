// Functions of a warp: shuffle, vote, match.
//
// Written as PTX, because clang offers its builtins for them only when told of a PTX version, which it
// otherwise takes from the CUDA toolkit.
#pragma once

HEDDLE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
HEDDLE_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
HEDDLE_DEVICE unsigned __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }

// --- vote ---
#define HEDDLE_VOTE(name, mode)                                                                      \
  HEDDLE_DEVICE int name(unsigned mask, int predicate) {                                             \
    int r;                                                                                           \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." mode ".pred q, p, %2; "       \
                 "selp.s32 %0, 1, 0, q; }"                                                           \
                 : "=r"(r)                                                                           \
                 : "r"(predicate), "r"(mask));                                                       \
    return r;                                                                                        \
  }
HEDDLE_VOTE(__all_sync, "all")
HEDDLE_VOTE(__any_sync, "any")
HEDDLE_VOTE(__uni_sync, "uni")
#undef HEDDLE_VOTE
HEDDLE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned r;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
               : "=r"(r)
               : "r"(predicate), "r"(mask));
  return r;
}

// --- shuffle: 32 bits, then every other type by its 32-bit parts ---
#define HEDDLE_SHUFFLE(name, mode, Lane, clamp)                                                      \
  HEDDLE_DEVICE int name(unsigned mask, int value, Lane lane, int width = 32) {                      \
    int r;                                                                                           \
    const unsigned segment = static_cast<unsigned>(32 - width) << 8 | clamp;                         \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                        \
                 : "=r"(r)                                                                           \
                 : "r"(value), "r"(lane), "r"(segment), "r"(mask));                                  \
    return r;                                                                                        \
  }                                                                                                  \
  HEDDLE_DEVICE unsigned name(unsigned mask, unsigned value, Lane lane, int width = 32) {            \
    return static_cast<unsigned>(name(mask, static_cast<int>(value), lane, width));                  \
  }                                                                                                  \
  HEDDLE_DEVICE float name(unsigned mask, float value, Lane lane, int width = 32) {                  \
    return __int_as_float(name(mask, __float_as_int(value), lane, width));                           \
  }                                                                                                  \
  HEDDLE_DEVICE long long name(unsigned mask, long long value, Lane lane, int width = 32) {          \
    const int low = name(mask, static_cast<int>(value), lane, width);                                \
    const int high = name(mask, static_cast<int>(value >> 32), lane, width);                         \
    return static_cast<long long>(high) << 32 | static_cast<unsigned>(low);                          \
  }                                                                                                  \
  HEDDLE_DEVICE unsigned long long name(unsigned mask, unsigned long long value, Lane lane,          \
                                        int width = 32) {                                            \
    return static_cast<unsigned long long>(name(mask, static_cast<long long>(value), lane, width));  \
  }                                                                                                  \
  HEDDLE_DEVICE long name(unsigned mask, long value, Lane lane, int width = 32) {                    \
    return static_cast<long>(name(mask, static_cast<long long>(value), lane, width));                \
  }                                                                                                  \
  HEDDLE_DEVICE unsigned long name(unsigned mask, unsigned long value, Lane lane, int width = 32) {  \
    return static_cast<unsigned long>(name(mask, static_cast<long long>(value), lane, width));       \
  }                                                                                                  \
  HEDDLE_DEVICE double name(unsigned mask, double value, Lane lane, int width = 32) {                \
    return __longlong_as_double(name(mask, __double_as_longlong(value), lane, width));               \
  }
HEDDLE_SHUFFLE(__shfl_sync, "idx", int, 0x1f)
HEDDLE_SHUFFLE(__shfl_up_sync, "up", unsigned, 0)
HEDDLE_SHUFFLE(__shfl_down_sync, "down", unsigned, 0x1f)
HEDDLE_SHUFFLE(__shfl_xor_sync, "bfly", int, 0x1f)
#undef HEDDLE_SHUFFLE

// --- match ---
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned value) {
  unsigned r;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(value), "r"(mask));
  return r;
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned long long value) {
  unsigned r;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(value), "r"(mask));
  return r;
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, int value) {
  return __match_any_sync(mask, static_cast<unsigned>(value));
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, long long value) {
  return __match_any_sync(mask, static_cast<unsigned long long>(value));
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, float value) {
  return __match_any_sync(mask, __float_as_uint(value));
}
HEDDLE_DEVICE unsigned __match_all_sync(unsigned mask, unsigned value, int* all) {
  unsigned r;
  int same;
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
               : "=r"(r), "=r"(same)
               : "r"(value), "r"(mask));
  *all = same;
  return r;
}
HEDDLE_DEVICE unsigned __match_all_sync(unsigned mask, int value, int* all) {
  return __match_all_sync(mask, static_cast<unsigned>(value), all);
}
