#include "ptx/text/modifiers.h"

#include <iterator>

#include "ptx/text/keyword_index.h"

namespace heddle::ptx {
namespace {

struct Word {
  std::string_view text;
  Mod mod = Mod::Unknown;
  Type type = Type::None;
};

constexpr Word type_word(std::string_view text, Type t) {
  return {text, Mod::Type, t};
}

// clang-format off
constexpr Word kModifierWords[] = {
    type_word(".pred", Type::Pred), type_word(".b8", Type::B8), type_word(".b16", Type::B16),
    type_word(".b32", Type::B32), type_word(".b64", Type::B64), type_word(".b128", Type::B128),
    type_word(".u8", Type::U8), type_word(".u16", Type::U16), type_word(".u32", Type::U32),
    type_word(".u64", Type::U64), type_word(".s8", Type::S8), type_word(".s16", Type::S16),
    type_word(".s32", Type::S32), type_word(".s64", Type::S64), type_word(".f16", Type::F16),
    type_word(".f16x2", Type::F16x2), type_word(".bf16", Type::BF16), type_word(".bf16x2", Type::BF16x2),
    type_word(".f32", Type::F32), type_word(".f64", Type::F64), type_word(".u16x2", Type::U16x2),
    type_word(".s16x2", Type::S16x2), type_word(".tf32", Type::TF32), type_word(".s4", Type::S4),
    type_word(".u4", Type::U4), type_word(".b1", Type::B1), type_word(".e4m3x2", Type::E4M3x2), type_word(".e5m2x2", Type::E5M2x2),
    {".e2m1x2", Mod::LaterFormat}, {".e2m3x2", Mod::LaterFormat}, {".e3m2x2", Mod::LaterFormat},
    {".ue8m0x2", Mod::LaterFormat}, {".e2m1x4", Mod::LaterFormat}, {".e2m3x4", Mod::LaterFormat},
    {".e3m2x4", Mod::LaterFormat}, {".e4m3x4", Mod::LaterFormat}, {".e5m2x4", Mod::LaterFormat},
    {".rs", Mod::LaterFormat},
    {".rn", Mod::Rn}, {".rz", Mod::Rz}, {".rm", Mod::Rm}, {".rp", Mod::Rp}, {".rna", Mod::Rna},
    {".rni", Mod::Rni}, {".rzi", Mod::Rzi}, {".rmi", Mod::Rmi}, {".rpi", Mod::Rpi},
    {".ftz", Mod::Ftz}, {".noftz", Mod::Noftz}, {".sat", Mod::Sat}, {".satfinite", Mod::Satfinite},
    {".relu", Mod::Relu}, {".approx", Mod::Approx}, {".full", Mod::Full}, {".NaN", Mod::NaN},
    {".xorsign", Mod::Xorsign}, {".abs", Mod::AbsMod}, {".cc", Mod::Cc}, {".lo", Mod::Lo}, {".hi", Mod::Hi},
    {".wide", Mod::Wide},
    {".eq", Mod::Eq}, {".ne", Mod::Ne}, {".lt", Mod::Lt}, {".le", Mod::Le}, {".gt", Mod::Gt}, {".ge", Mod::Ge},
    {".ls", Mod::Ls}, {".hs", Mod::Hs}, {".equ", Mod::Equ}, {".neu", Mod::Neu}, {".ltu", Mod::Ltu},
    {".leu", Mod::Leu}, {".gtu", Mod::Gtu}, {".geu", Mod::Geu}, {".num", Mod::Num}, {".nan", Mod::Nan},
    {".and", Mod::And}, {".or", Mod::Or}, {".xor", Mod::Xor}, {".popc", Mod::Popc}, {".add", Mod::Add},
    {".cas", Mod::Cas}, {".exch", Mod::Exch}, {".inc", Mod::Inc}, {".dec", Mod::Dec}, {".min", Mod::Min},
    {".max", Mod::Max},
    {".global", Mod::Global}, {".shared", Mod::Shared}, {".shared::cta", Mod::Shared},
    {".shared::cluster", Mod::Shared}, {".local", Mod::Local}, {".const", Mod::Const}, {".param", Mod::Param},
    {".param::entry", Mod::Param}, {".param::func", Mod::Param}, {".generic", Mod::Generic}, {".to", Mod::To},
    {".ca", Mod::Ca}, {".cg", Mod::Cg}, {".cs", Mod::Cs}, {".lu", Mod::Lu}, {".cv", Mod::Cv}, {".wb", Mod::Wb},
    {".wt", Mod::Wt}, {".nc", Mod::Nc},
    {".weak", Mod::Weak}, {".volatile", Mod::Volatile}, {".relaxed", Mod::Relaxed}, {".acquire", Mod::Acquire},
    {".release", Mod::Release}, {".acq_rel", Mod::AcqRel}, {".sc", Mod::Sc}, {".cta", Mod::Cta},
    {".cluster", Mod::Cluster}, {".gpu", Mod::Gpu}, {".gl", Mod::Gl}, {".sys", Mod::Sys},
    {".v2", Mod::V2}, {".v4", Mod::V4},
    {".L1", Mod::L1}, {".L2", Mod::L2}, {".L2::cache_hint", Mod::CacheHint}, {".L1::cache_hint", Mod::CacheHint},
    {".L1::evict_normal", Mod::Harmless}, {".L1::evict_unchanged", Mod::Harmless},
    {".L1::evict_first", Mod::Harmless}, {".L1::evict_last", Mod::Harmless},
    {".L1::no_allocate", Mod::Harmless}, {".L2::evict_normal", Mod::Harmless},
    {".L2::evict_first", Mod::Harmless}, {".L2::evict_last", Mod::Harmless}, {".L2::64B", Mod::Harmless},
    {".L2::128B", Mod::Harmless}, {".L2::256B", Mod::Harmless},
    {".sync", Mod::Sync}, {".aligned", Mod::Aligned}, {".uni", Mod::Uni}, {".up", Mod::Up}, {".down", Mod::Down},
    {".bfly", Mod::Bfly}, {".idx", Mod::Idx}, {".all", Mod::All}, {".any", Mod::Any}, {".ballot", Mod::Ballot},
    {".arrive", Mod::Arrive}, {".red", Mod::Red}, {".warp", Mod::Warp},
    {".l", Mod::Left}, {".r", Mod::Right}, {".clamp", Mod::Clamp}, {".wrap", Mod::Wrap},
    {".shiftamt", Mod::Shiftamt}, {".f4e", Mod::F4e}, {".b4e", Mod::B4e}, {".rc8", Mod::Rc8}, {".ecl", Mod::Ecl},
    {".ecr", Mod::Ecr}, {".rc16", Mod::Rc16},
    {".finite", Mod::Finite}, {".infinite", Mod::Infinite}, {".number", Mod::Number},
    {".notanumber", Mod::Notanumber}, {".normal", Mod::Normal}, {".subnormal", Mod::Subnormal},
    {".1d", Mod::T1d}, {".2d", Mod::T2d}, {".3d", Mod::T3d}, {".a1d", Mod::A1d}, {".a2d", Mod::A2d},
    {".cube", Mod::Cube}, {".acube", Mod::Acube}, {".2dms", Mod::T2dms}, {".a2dms", Mod::A2dms},
    {".level", Mod::Level}, {".grad", Mod::Grad}, {".base", Mod::Base},
    {".g", Mod::Green}, {".p", Mod::Formatted}, {".trap", Mod::TrapMod},
    {".zero", Mod::Zero}, {".width", Mod::Width}, {".height", Mod::Height}, {".depth", Mod::Depth},
    {".array_size", Mod::ArraySize}, {".num_mipmap_levels", Mod::MipmapLevels},
    {".channel_data_type", Mod::ChannelDataType}, {".channel_order", Mod::ChannelOrder},
    {".normalized_coords", Mod::NormalizedCoords},
    {".async", Mod::Async}, {".commit_group", Mod::CommitGroup}, {".wait_group", Mod::WaitGroup},
    {".wait_all", Mod::WaitAll}, {".bulk", Mod::Bulk}, {".mbarrier", Mod::Mbarrier}, {".tensor", Mod::Tensor},
    {".reduce", Mod::ReduceMod}, {".proxy", Mod::Proxy}, {".alias", Mod::Alias},
    {".mbarrier::complete_tx::bytes", Mod::CompleteTxBytes}, {".bulk_group", Mod::BulkGroup},
    {".read", Mod::ReadMod}, {".prefetch", Mod::PrefetchMod}, {".multicast::cluster", Mod::Multicast},
    {".mbarrier_init", Mod::MbarrierInit}, {".wait", Mod::Wait},
    {".launch_dependents", Mod::LaunchDependents},
    {".load", Mod::Load}, {".store", Mod::Store}, {".mma", Mod::Mma}, {".a", Mod::LetterA},
    {".b", Mod::LetterB}, {".c", Mod::LetterC}, {".d", Mod::LetterD}, {".row", Mod::Row}, {".col", Mod::Col},
    {".x1", Mod::X1}, {".x2", Mod::X2}, {".x4", Mod::X4}, {".trans", Mod::Trans},
    {".init", Mod::Init}, {".inval", Mod::Inval}, {".arrive_drop", Mod::ArriveDrop},
    {".noComplete", Mod::NoComplete}, {".expect_tx", Mod::ExpectTx}, {".complete_tx", Mod::CompleteTx},
    {".test_wait", Mod::TestWait}, {".try_wait", Mod::TryWait}, {".parity", Mod::Parity},
    {".pending_count", Mod::PendingCount}, {".noinc", Mod::Noinc},
};
// clang-format on

constexpr std::string_view modifier_text(std::size_t i) {
  return kModifierWords[i].text;
}
constexpr KeywordIndex<1024> kModifierIndex(std::size(kModifierWords), modifier_text);

const Word& find_word(std::string_view text) {
  static constexpr Word kNone{};
  const std::size_t i = kModifierIndex.find(text, modifier_text);
  return i == kModifierIndex.kNone ? kNone : kModifierWords[i];
}

}  // namespace

bool Modifiers::add(const Token& dot) {
  if (count_ == kMax) return false;
  const Word& word = find_word(dot.text);
  list_[count_++] = {dot, word.mod, word.type, false};
  present_.set(static_cast<std::size_t>(word.mod));
  return true;
}

bool Modifiers::take(Mod m) {
  if (!has(m)) return false;
  for (std::size_t i = 0; i < count_; ++i)
    if (list_[i].mod == m) list_[i].used = true;
  return true;
}

Type Modifiers::take_type() {
  for (; next_type_ < count_; ++next_type_) {
    Entry& e = list_[next_type_];
    if (e.mod != Mod::Type) continue;
    e.used = true;
    ++next_type_;
    return e.type;
  }
  return Type::None;
}

std::string_view Modifiers::take_shape() {
  for (std::size_t i = 0; i < count_; ++i) {
    Entry& e = list_[i];
    const std::string_view text = e.token.text;
    if (e.mod != Mod::Unknown || text.size() < 3 || text[1] != 'm' || text[2] < '0' || text[2] > '9')
      continue;
    e.used = true;
    return text.substr(1);
  }
  return {};
}

const Token* Modifiers::unused() const {
  for (std::size_t i = 0; i < count_; ++i)
    if (!list_[i].used) return &list_[i].token;
  return nullptr;
}

Type type_of(std::string_view with_dot) {
  const Type t = find_word(with_dot).type;
  return t >= Type::TF32 ? Type::None : t;
}

Space space_of(std::string_view with_dot) {
  switch (find_word(with_dot).mod) {
    case Mod::Global:
      return Space::Global;
    case Mod::Shared:
      return Space::Shared;
    case Mod::Local:
      return Space::Local;
    case Mod::Const:
      return Space::Const;
    case Mod::Param:
      return Space::Param;
    default:
      return Space::None;
  }
}

}  // namespace heddle::ptx
