// The table of roots, what Heddle refuses and why, and the special registers.
#include <fmt/format.h>

#include <iterator>

#include "ptx/decode/decode.h"
#include "ptx/text/keyword_index.h"

namespace heddle::ptx {
namespace {

constexpr TypeSet kInts = {Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64};
constexpr TypeSet kPackedInts = {Type::U16x2, Type::S16x2};
constexpr TypeSet kSigned = {Type::S16, Type::S32, Type::S64};
constexpr TypeSet kHalfFloats = {Type::F16, Type::F16x2, Type::BF16, Type::BF16x2};
constexpr TypeSet kFloats = {Type::F32, Type::F64};
constexpr TypeSet kAllFloats = kHalfFloats | kFloats;
constexpr TypeSet kB32 = {Type::B32};
constexpr TypeSet kBits = {Type::B16, Type::B32, Type::B64};
constexpr TypeSet kBitsAndPred = kBits | TypeSet{Type::Pred};
constexpr TypeSet kMovable = kBits | kInts | kHalfFloats | kFloats | TypeSet{Type::Pred};
constexpr TypeSet kLoadable = {Type::B8,  Type::B16, Type::B32, Type::B64, Type::U8,  Type::U16, Type::U32,
                               Type::U64, Type::S8,  Type::S16, Type::S32, Type::S64, Type::F32, Type::F64};
constexpr TypeSet kWord = {Type::U32, Type::S32};
constexpr TypeSet kWords = {Type::U32, Type::S32, Type::U64, Type::S64};

constexpr std::uint32_t kFloatMods = kRound | kFtz | kSat;

// clang-format off
constexpr Root kRoots[] = {
    {"add", Op::Add, decode_arith, kInts | kPackedInts | kAllFloats, 2, kFloatMods | kCc},
    {"addc", Op::Add, decode_arith, kWords, 2, kCc},
    {"sub", Op::Sub, decode_arith, kInts | kAllFloats, 2, kFloatMods | kCc},
    {"subc", Op::Sub, decode_arith, kWords, 2, kCc},
    {"mul", Op::Mul, decode_mul, kInts | kAllFloats, 2, kFloatMods},
    {"mad", Op::Mad, decode_mul, kInts | kFloats, 3, kFloatMods | kCc},
    {"madc", Op::Mad, decode_mul, kWords, 3, kCc},
    {"fma", Op::Fma, decode_arith, kAllFloats, 3, kFloatMods | kRelu},
    {"div", Op::Div, decode_div, kInts | kFloats, 2, kRound | kFtz | kApprox | kFull},
    {"rem", Op::Rem, decode_arith, kInts, 2, 0},
    {"abs", Op::Abs, decode_arith, kSigned | kAllFloats, 1, kFtz},
    {"neg", Op::Neg, decode_arith, kSigned | kAllFloats, 1, kFtz},
    {"min", Op::Min, decode_arith, kInts | kPackedInts | kAllFloats, 2, kFtz | kNaN | kXorsign | kRelu},
    {"max", Op::Max, decode_arith, kInts | kPackedInts | kAllFloats, 2, kFtz | kNaN | kXorsign | kRelu},
    {"sad", Op::Sad, decode_arith, kInts, 3, 0},
    {"mul24", Op::Mul24, decode_arith, kWord, 2, kHalf},
    {"mad24", Op::Mad24, decode_arith, kWord, 3, kHalf | kSat},
    {"dp4a", Op::Dp4a, decode_dot_product, kWord, 3, 0},
    {"dp2a", Op::Dp2a, decode_dot_product, kWord, 3, 0},
    {"rcp", Op::Rcp, decode_special_function, kFloats, 1, kRound | kFtz | kApprox},
    {"sqrt", Op::Sqrt, decode_special_function, kFloats, 1, kRound | kFtz | kApprox},
    {"rsqrt", Op::Rsqrt, decode_special_function, kFloats, 1, kFtz | kApprox},
    {"sin", Op::Sin, decode_special_function, {Type::F32}, 1, kFtz | kApprox},
    {"cos", Op::Cos, decode_special_function, {Type::F32}, 1, kFtz | kApprox},
    {"ex2", Op::Ex2, decode_special_function, kHalfFloats | TypeSet{Type::F32}, 1, kFtz | kApprox},
    {"lg2", Op::Lg2, decode_special_function, {Type::F32}, 1, kFtz | kApprox},
    {"tanh", Op::Tanh, decode_special_function, kHalfFloats | TypeSet{Type::F32}, 1, kApprox},
    {"copysign", Op::Copysign, decode_arith, kFloats, 2, 0},
    {"testp", Op::Testp, decode_testp, kFloats, 1, 0},

    {"and", Op::And, decode_logic, kBitsAndPred, 2, 0},
    {"or", Op::Or, decode_logic, kBitsAndPred, 2, 0},
    {"xor", Op::Xor, decode_logic, kBitsAndPred, 2, 0},
    {"not", Op::Not, decode_logic, kBitsAndPred, 1, 0},
    {"cnot", Op::Cnot, decode_logic, kBits, 1, 0},
    {"brev", Op::Brev, decode_logic, {Type::B32, Type::B64}, 1, 0},
    {"lop3", Op::Lop3, decode_lop3, kB32, 3, 0},
    {"shl", Op::Shl, decode_shift, kBits, 2, 0},
    {"shr", Op::Shr, decode_shift, kBits | kInts, 2, 0},
    {"shf", Op::Shf, decode_funnel_shift, kB32, 3, 0},
    {"bfe", Op::Bfe, decode_bit_field, kWords, 3, 0},
    {"bfi", Op::Bfi, decode_bit_field, {Type::B32, Type::B64}, 4, 0},
    {"bfind", Op::Bfind, decode_count, kWords, 1, 0},
    {"popc", Op::Popc, decode_count, {Type::B32, Type::B64}, 1, 0},
    {"clz", Op::Clz, decode_count, {Type::B32, Type::B64}, 1, 0},
    {"prmt", Op::Prmt, decode_prmt, kB32, 3, 0},
    {"bmsk", Op::Bmsk, decode_bmsk, kB32, 2, 0},
    {"szext", Op::Szext, decode_bmsk, kWord, 2, 0},
    {"fns", Op::Fns, decode_fns, kB32, 3, 0},

    {"setp", Op::Setp, decode_setp, {}, 2, 0},
    {"set", Op::Set, decode_set, {}, 2, 0},
    {"selp", Op::Selp, decode_selp, kBits | kInts | kFloats, 3, 0},
    {"slct", Op::Slct, decode_slct, kBits | kInts | kFloats, 3, 0},
    {"mov", Op::Mov, decode_mov, kMovable, 1, 0},
    {"cvt", Op::Cvt, decode_cvt, {}, 1, kRound | kFtz | kSat | kRelu},
    {"cvta", Op::Cvta, decode_cvta, {}, 1, 0},
    {"isspacep", Op::Isspacep, decode_isspacep, {}, 1, 0},
    {"vabsdiff4", Op::Vabsdiff4, decode_vabsdiff, kWord, 3, 0},
    {"vabsdiff2", Op::Vabsdiff2, decode_vabsdiff, kWord, 3, 0},

    {"ld", Op::Ld, decode_ld, kLoadable, 0, 0},
    {"ldu", Op::Ld, decode_ld, kLoadable, 0, 0},
    {"st", Op::St, decode_st, kLoadable, 1, 0},
    {"atom", Op::Atom, decode_atom, {}, 1, 0},
    {"red", Op::Red, decode_atom, {}, 1, 0},
    {"prefetch", Op::Prefetch, decode_prefetch, {}, 0, 0},
    {"prefetchu", Op::Prefetch, decode_prefetch, {}, 0, 0},
    {"cp", Op::CpAsync, decode_cp, {}, 0, 0},
    {"mbarrier", Op::Mbarrier, decode_mbarrier, {}, 0, 0},
    {"tex", Op::Tex, decode_tex, {}, 0, 0},
    {"tld4", Op::Tld4, decode_tld4, {}, 0, 0},
    {"txq", Op::Txq, decode_txq, {}, 0, 0},
    {"suq", Op::Txq, decode_txq, {}, 0, 0},
    {"suld", Op::Suld, decode_surface, {}, 0, 0},
    {"sust", Op::Sust, decode_surface, {}, 0, 0},
    {"sured", Op::Sured, decode_surface, {}, 0, 0},

    {"bra", Op::Bra, decode_bra, {}, 0, 0},
    {"brx", Op::BrxIdx, decode_brx, {}, 0, 0},
    {"ret", Op::Ret, decode_plain, {}, 0, 0},
    {"exit", Op::Exit, decode_plain, {}, 0, 0},
    {"trap", Op::Trap, decode_plain, {}, 0, 0},
    {"brkpt", Op::Brkpt, decode_plain, {}, 0, 0},
    {"pmevent", Op::Nop, decode_ignored, {}, 0, 0},
    {"griddepcontrol", Op::Nop, decode_ignored, {}, 0, 0},
    {"setmaxnreg", Op::Nop, decode_ignored, {}, 0, 0},
    {"discard", Op::Nop, decode_ignored, {}, 0, 0},
    {"applypriority", Op::Nop, decode_ignored, {}, 0, 0},
    {"bar", Op::BarSync, decode_bar, {}, 0, 0},
    {"barrier", Op::BarSync, decode_bar, {}, 0, 0},
    {"membar", Op::Membar, decode_membar, {}, 0, 0},
    {"fence", Op::Membar, decode_membar, {}, 0, 0},
    {"nanosleep", Op::Nanosleep, decode_nanosleep, {}, 0, 0},
    {"shfl", Op::Shfl, decode_shfl, {}, 0, 0},
    {"vote", Op::Vote, decode_vote, {}, 0, 0},
    {"match", Op::Match, decode_match, {}, 0, 0},
    {"activemask", Op::Activemask, decode_activemask, {}, 0, 0},
    {"redux", Op::Redux, decode_redux, {}, 0, 0},
    {"elect", Op::Elect, decode_elect, {}, 0, 0},

    {"wmma", Op::Mma, decode_wmma, {}, 0, 0},
    {"mma", Op::Mma, decode_mma, {}, 0, 0},
    {"ldmatrix", Op::LoadMatrix, decode_ldmatrix, {}, 0, 0},
    {"stmatrix", Op::StoreMatrix, decode_stmatrix, {}, 0, 0},
    {"movmatrix", Op::MoveMatrix, decode_movmatrix, {}, 0, 0},

    {"wgmma", Op::Trap, decode_refused, {}, 0, 0},
    {"tcgen05", Op::Trap, decode_refused, {}, 0, 0},
    {"tensormap", Op::Trap, decode_refused, {}, 0, 0},
    {"istypep", Op::Trap, decode_refused, {}, 0, 0},
    {"alloca", Op::Trap, decode_refused, {}, 0, 0},
    {"stacksave", Op::Trap, decode_refused, {}, 0, 0},
    {"stackrestore", Op::Trap, decode_refused, {}, 0, 0},
    {"mapa", Op::Trap, decode_refused, {}, 0, 0},
    {"getctarank", Op::Trap, decode_refused, {}, 0, 0},
    {"multimem", Op::Trap, decode_refused, {}, 0, 0},
    {"createpolicy", Op::Trap, decode_refused, {}, 0, 0},
};
// clang-format on

struct Reason {
  std::string_view roots;  // separated by blanks
  std::string_view reason;
  std::string_view advice;
};
constexpr Reason kReasons[] = {
    {" wgmma tcgen05 ", "tensor-core instructions of a warp group are not supported",
     "compile for compute_80, or build the program with its mma.sync path"},
    {" tensormap ", "tensor copies (TMA) are not supported",
     "compile for compute_80, or build without the TMA path"},
    {" istypep ", "this texture instruction is not supported", ""},
    {" alloca stacksave stackrestore ", "stack allocation of variable size is not supported",
     "give local arrays a constant size"},
    {" mapa getctarank multimem ", "thread-block clusters and multicast memory are not supported",
     "compile for compute_80 or build without clusters"},
};

constexpr std::string_view root_name(std::size_t i) {
  return kRoots[i].name;
}
constexpr KeywordIndex<512> kRootIndex(std::size(kRoots), root_name);

struct SregName {
  std::string_view name;
  Sreg sreg;
};
// clang-format off
constexpr SregName kSregs[] = {
    {"%tid.x", Sreg::TidX}, {"%tid.y", Sreg::TidY}, {"%tid.z", Sreg::TidZ},
    {"%ntid.x", Sreg::NtidX}, {"%ntid.y", Sreg::NtidY}, {"%ntid.z", Sreg::NtidZ},
    {"%ctaid.x", Sreg::CtaidX}, {"%ctaid.y", Sreg::CtaidY}, {"%ctaid.z", Sreg::CtaidZ},
    {"%nctaid.x", Sreg::NctaidX}, {"%nctaid.y", Sreg::NctaidY}, {"%nctaid.z", Sreg::NctaidZ},
    {"%laneid", Sreg::Laneid}, {"%lanemask_eq", Sreg::LanemaskEq}, {"%lanemask_le", Sreg::LanemaskLe},
    {"%lanemask_lt", Sreg::LanemaskLt}, {"%lanemask_ge", Sreg::LanemaskGe}, {"%lanemask_gt", Sreg::LanemaskGt},
    {"%warpid", Sreg::Warpid}, {"%nwarpid", Sreg::Nwarpid}, {"%smid", Sreg::Smid}, {"%nsmid", Sreg::Nsmid},
    {"%gridid", Sreg::Gridid}, {"%dynamic_smem_size", Sreg::DynamicSmemSize},
    {"%total_smem_size", Sreg::TotalSmemSize},
    {"%envreg0", Sreg::Envreg0}, {"%envreg1", Sreg::Envreg1}, {"%envreg2", Sreg::Envreg2},
    {"%cluster_ctaid.x", Sreg::ClusterCtaidX}, {"%cluster_ctaid.y", Sreg::ClusterCtaidY},
    {"%cluster_ctaid.z", Sreg::ClusterCtaidZ}, {"%cluster_nctaid.x", Sreg::ClusterNctaidX},
    {"%cluster_nctaid.y", Sreg::ClusterNctaidY}, {"%cluster_nctaid.z", Sreg::ClusterNctaidZ},
    {"%cluster_ctarank", Sreg::ClusterCtarank}, {"%cluster_nctarank", Sreg::ClusterNctarank},
    {"%reserved_smem_offset_begin", Sreg::ReservedSmemBegin}, {"%reserved_smem_offset_end", Sreg::ReservedSmemEnd},
    {"%reserved_smem_offset_cap", Sreg::ReservedSmemCap}, {"%reserved_smem_offset_0", Sreg::ReservedSmem0},
    {"%reserved_smem_offset_1", Sreg::ReservedSmem1},
    {"%clock", Sreg::Clock}, {"%clock_lo", Sreg::Clock}, {"%clock_hi", Sreg::ClockHi},
    {"%clock64", Sreg::Clock64}, {"%globaltimer", Sreg::Globaltimer}, {"%globaltimer_lo", Sreg::GlobaltimerLo},
    {"%globaltimer_hi", Sreg::GlobaltimerHi},
};
// clang-format on

}  // namespace

const Root* find_root(std::string_view name) {
  const std::size_t i = kRootIndex.find(name, root_name);
  return i == kRootIndex.kNone ? nullptr : &kRoots[i];
}

std::string_view closest_root(std::string_view name) {
  ClosestName closest(name);
  for (const Root& r : kRoots) closest.offer(r.name);
  return closest.best();
}

void decode_refused(Decoder& d, const Root& r) {
  const std::string padded = fmt::format(" {} ", r.name);
  for (const Reason& reason : kReasons)
    if (reason.roots.find(padded) != std::string_view::npos)
      d.refuse(std::string(reason.reason), std::string(reason.advice));
  d.refuse("this instruction is not supported");
}

std::optional<Sreg> find_sreg(std::string_view name) {
  if (name.empty() || name[0] != '%') return std::nullopt;
  for (const SregName& s : kSregs)
    if (s.name == name) return s.sreg;
  return std::nullopt;
}

unsigned sreg_bits(Sreg s) {
  return s == Sreg::Clock64 || s == Sreg::Globaltimer || s == Sreg::Gridid ? 64 : 32;
}

}  // namespace heddle::ptx
