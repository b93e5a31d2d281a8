// How PTX spells the enumerators.
#include <array>

#include "ptx/ir/instr.h"
#include "ptx/ir/types.h"

namespace heddle::ptx {
namespace {

// clang-format off
constexpr std::string_view kTypeNames[] = {"",    "pred", "b8",  "b16", "b32",   "b64",  "b128",
                                       "u8",  "u16",  "u32", "u64", "s8",    "s16",  "s32",
                                       "s64", "f16",  "f16x2", "bf16", "bf16x2", "f32", "f64",
                                       "u16x2", "s16x2", "tf32", "s4", "u4", "b1", "e4m3x2", "e5m2x2"};
static_assert(std::size(kTypeNames) == static_cast<std::size_t>(Type::E5M2x2) + 1);

constexpr std::string_view kSpaceNames[] = {"", "reg", "generic", "global", "shared", "local", "const", "param"};
static_assert(std::size(kSpaceNames) == static_cast<std::size_t>(Space::Param) + 1);

constexpr std::string_view kOpNames[] = {
    "add", "sub", "mul", "mad", "fma", "div", "rem", "abs", "neg", "min", "max", "sad", "mul24", "mad24",
    "dp4a", "dp2a", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "copysign", "testp",
    "and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bfind", "brev", "popc",
    "clz", "prmt", "bmsk", "szext", "fns",
    "setp", "set", "selp", "slct",
    "mov", "pack", "unpack", "cvt", "cvt.pack", "cvta", "isspacep",
    "vabsdiff4", "vabsdiff2",
    "mma", "movmatrix",
    "ld", "st", "atom", "red", "prefetch", "cp.async", "cp.async.bulk", "cp.async.commit_group", "cp.async.wait_group",
    "mbarrier", "tex",
    "tld4", "txq", "suld", "sust", "sured", "wmma.load", "wmma.store", "ldmatrix", "stmatrix",
    "bra", "brx.idx", "call", "ret", "exit", "trap", "brkpt", "nop",
    "bar.sync", "bar.arrive", "bar.red", "bar.warp.sync", "membar", "nanosleep",
    "shfl", "vote", "match", "activemask", "redux", "elect"};
// clang-format on
static_assert(std::size(kOpNames) == static_cast<std::size_t>(Op::Elect) + 1);

template <class E, std::size_t N>
std::string_view look_up(const std::string_view (&table)[N], E e) {
  const auto i = static_cast<std::size_t>(e);
  return i < N ? table[i] : std::string_view("?");
}

}  // namespace

std::string_view name(Type t) {
  return look_up(kTypeNames, t);
}
std::string_view name(Space s) {
  return look_up(kSpaceNames, s);
}
std::string_view name(Op op) {
  return look_up(kOpNames, op);
}

}  // namespace heddle::ptx
