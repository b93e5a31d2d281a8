#include "ptx/decode/decode.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

constexpr Choice<Round> kRounds[] = {{Mod::Rn, Round::Rn},   {Mod::Rz, Round::Rz},   {Mod::Rm, Round::Rm},
                                     {Mod::Rp, Round::Rp},   {Mod::Rna, Round::Rna}, {Mod::Rni, Round::Rni},
                                     {Mod::Rzi, Round::Rzi}, {Mod::Rmi, Round::Rmi}, {Mod::Rpi, Round::Rpi}};
constexpr Choice<Half> kHalves[] = {{Mod::Lo, Half::Lo}, {Mod::Hi, Half::Hi}, {Mod::Wide, Half::Wide}};
constexpr Choice<Space> kSpaces[] = {{Mod::Global, Space::Global}, {Mod::Shared, Space::Shared},
                                     {Mod::Local, Space::Local},   {Mod::Const, Space::Const},
                                     {Mod::Param, Space::Param},   {Mod::Generic, Space::Generic}};
constexpr Choice<Scope> kScopes[] = {
    {Mod::Cta, Scope::Cta}, {Mod::Cluster, Scope::Cluster}, {Mod::Gpu, Scope::Gpu}, {Mod::Sys, Scope::Sys}};

}  // namespace

std::string Decoder::fmt_opcode() const {
  std::string s(root_.text);
  if (mods_ == nullptr || mods_->size() == 0) return s;
  for (std::size_t i = 0; i < mods_->size(); ++i) s += mods_->at(i).text;
  return s;
}

void Decoder::fail(std::string message, std::string advice) const {
  source_.fail(root_.at, std::move(message), std::move(advice));
}

void Decoder::fail_at(const RawOperand& raw, std::string message, std::string advice) const {
  source_.fail(raw.at, std::move(message), std::move(advice));
}

void Decoder::fail_missing(std::string_view what) const {
  if (const Token* t = mods_->unused())
    source_.fail(t->at, fmt::format("{} is not {} that {} takes", t->text, what, root_.text));
  fail(fmt::format("{} needs {}", fmt_opcode(), what));
}

void Decoder::refuse(std::string reason, std::string advice) {
  refused_ = true;
  refusal_ = reason;
  fail(fmt::format("{}: {}", fmt_opcode(), reason), std::move(advice));
}

std::optional<Refusal> Decoder::decode(Instr& instr, const Token& root, Modifiers& mods,
                                       const RawOperands& operands, Function& function, bool collect) {
  instr_ = &instr;
  mods_ = &mods;
  operands_ = &operands;
  function_ = &function;
  matrices_ = &function.matrices;
  root_ = root;
  next_ = 0;
  refused_ = false;
  try {
    const Root* row = find_root(root.text);
    if (row == nullptr) {
      const std::string_view close = closest_root(root.text);
      refuse("Heddle does not know this instruction",
             close.empty() ? std::string{} : fmt::format("did you mean '{}'?", close));
    }
    instr.op = row->op;
    if (operands.paired_vector) {
      if (row->op != Op::Tex && row->op != Op::Tld4)
        fail(fmt::format("'|' does not belong behind a vector of {}", root.text));
      refuse("the residency of sparse textures is not supported");
    }
    row->decode(*this, *row);
    finish();
  } catch (const Error&) {
    if (!refused_ || !collect) throw;
    return Refusal{fmt_opcode(), refusal_};
  }
  return std::nullopt;
}

void Decoder::refuse_unused() {
  if (const Token* t = mods_->unused())
    refuse(fmt::format("the modifier {} of {} is not supported", t->text, root_.text));
}

void Decoder::add_matrix(const MatrixInstr& m) {
  in().matrix = static_cast<std::uint32_t>(matrices_->size());
  matrices_->push_back(m);
}

void Decoder::finish() {
  refuse_unused();
  if (left() > 0)
    fail_at(peek(),
            fmt::format("{} takes {} operand(s), found {}", fmt_opcode(), next_, operands_->list.size()));
}

Type Decoder::type(TypeSet allowed) {
  const Type t = mods_->take_type();
  if (t == Type::None) {
    if (const Token* u = mods_->unused())
      refuse(fmt::format("the modifier {} of {} is not supported", u->text, root_.text));
    fail(fmt::format("{} needs a type", fmt_opcode()));
  }
  if (!allowed.has(t)) refuse(fmt::format("{} does not take the type .{}", root_.text, name(t)));
  return t;
}

void Decoder::flags(std::uint32_t allow) {
  Instr& i = in();
  if ((allow & kRound) != 0) pick(kRounds, i.round);
  if ((allow & kFtz) != 0) i.ftz = take(Mod::Ftz);
  if ((allow & kSat) != 0) i.sat = take(Mod::Sat);
  if ((allow & kRelu) != 0) i.relu = take(Mod::Relu);
  if ((allow & kApprox) != 0) i.approx = take(Mod::Approx);
  if ((allow & kFull) != 0) i.full = take(Mod::Full);
  if ((allow & kNaN) != 0) i.nan = take(Mod::NaN);
  if ((allow & kCc) != 0) i.carry_out = take(Mod::Cc);
  if ((allow & kXorsign) != 0 && has(Mod::Xorsign) && has(Mod::AbsMod)) {
    i.xorsign_abs = take(Mod::Xorsign);
    take(Mod::AbsMod);
  }
}

void Decoder::half(bool required) {
  if (!pick(kHalves, in().half) && required) fail_missing("one of .lo, .hi and .wide");
}

void Decoder::space() {
  in().space = Space::Generic;
  pick(kSpaces, in().space);
}

void Decoder::scope() {
  pick(kScopes, in().scope);
}

void Decoder::vector_width() {
  in().vector = take(Mod::V4) ? 4 : take(Mod::V2) ? 2 : 1;
}

const RawOperand& Decoder::next(std::string_view what) {
  if (left() == 0) fail(fmt::format("{} needs {}", fmt_opcode(), what));
  return operands_->list[next_++];
}

}  // namespace heddle::ptx
