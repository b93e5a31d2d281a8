// Operands: constants in the operand's own type, registers of the right width, addresses, labels.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "ptx/decode/decode.h"

namespace heddle::ptx {
namespace {

constexpr std::string_view kOrdinals[] = {"first", "second", "third", "fourth", "fifth"};

bool is_bits(Type t) {
  return t >= Type::B8 && t <= Type::B128;
}

// PTX manual 9.4: bit types go with everything of their size, integers with integers, floating point with
// floating point. With Width::Wider (ld, st, cvt) a register may have more bits than the type.
bool fits(Type reg, Type t, Decoder::Width width) {
  if (reg == Type::Pred || t == Type::Pred) return reg == t;
  const unsigned r = bits(reg), n = bits(t);
  if (r != n && (width == Decoder::Width::Exact || r < n)) return false;
  if (is_bits(reg)) return true;
  if (is_bits(t)) return r == n || !is_float(reg);
  if (is_float(t) != is_float(reg)) return false;
  return !is_float(t) || r == n;
}

// Whether a constant as written can be one of type `t` (ptxas: no integers for floating point).
bool constant_fits(RawOperand::Kind kind, Type t) {
  if (kind == RawOperand::Kind::Int) return t != Type::F32 && t != Type::F64;
  if (t == Type::F32 || t == Type::F64) return true;
  return is_bits(t) && bits(t) == (kind == RawOperand::Kind::F32 ? 32u : 64u);
}

std::uint64_t sign_extend(std::uint64_t v, unsigned n) {
  if (n == 0 || n >= 64) return v;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v << (64 - n)) >> (64 - n));
}

}  // namespace

std::string Decoder::source_place(std::size_t n) const {
  return fmt::format("the {} source of {}", n < std::size(kOrdinals) ? kOrdinals[n] : "last", fmt_opcode());
}

// ---- constants ----

std::uint64_t Decoder::constant(const RawOperand& raw, Type t, std::string_view what) const {
  using Kind = RawOperand::Kind;
  if (t == Type::Pred) {
    if (raw.kind != Kind::Int) fail_at(raw, fmt::format("expected 0 or 1 as {}, found '{}'", what, raw.text));
    return raw.value != 0;
  }
  if (raw.kind == Kind::Int) {
    if (!constant_fits(raw.kind, t))
      fail_at(raw,
              fmt::format("expected a floating-point constant as {}, found the integer '{}'", what, raw.text),
              t == Type::F32 ? "write it as 1.0 or 0f3F800000" : "write it as 1.0 or 0d3FF0000000000000");
    return sign_extend(raw.value, bits(t));
  }
  const bool single = raw.kind == Kind::F32;
  if (t == Type::F32) {
    if (single) return raw.value;
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(raw.value)));
  }
  if (t == Type::F64) {
    if (!single) return raw.value;
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw.value))));
  }
  if (constant_fits(raw.kind, t)) return sign_extend(raw.value, bits(t));
  fail_at(raw, fmt::format("expected a constant of type .{} as {}, found the floating-point constant '{}'",
                           name(t), what, raw.text));
}

std::uint64_t Decoder::immediate(std::string_view what) {
  const RawOperand& raw = next(what);
  if (raw.kind != RawOperand::Kind::Int)
    fail_at(raw, fmt::format("expected {} as an integer constant, found '{}'", what, raw.text));
  return raw.value;
}

// ---- names ----

void Decoder::fail_name(const RawOperand& raw, const std::string& what) const {
  fail_at(raw, fmt::format("'{}', {}, is not declared", raw.text, what), symbols_.suggest(raw.text));
}

Operand Decoder::register_operand(const RawOperand& raw, std::uint32_t index, Type t, Width width,
                                  const std::string& what) const {
  const Type have = function_->registers[index].type;
  if (!fits(have, t, width))
    fail_at(raw, fmt::format("expected a .{} register as {}, found {} (.{})", name(t), what, raw.text,
                             name(have)));
  if (raw.negated && have != Type::Pred)
    fail_at(raw, fmt::format("only predicates can be negated with '!', {} is a .{} register", raw.text,
                             name(have)));
  if (raw.offset != 0) fail_at(raw, fmt::format("a register with an offset cannot be {}", what));
  Operand o;
  o.kind = have == Type::Pred ? Operand::Kind::Pred : Operand::Kind::Reg;
  o.index = index;
  o.negated = raw.negated;
  return o;
}

Operand Decoder::predicate(const RawOperand& raw, const Function& function, std::string_view what) {
  function_ = &function;
  const auto entry = symbols_.find(raw.text);
  if (!entry) fail_name(raw, std::string(what));
  if (entry->kind != NameEntry::Kind::Register)
    fail_at(raw, fmt::format("expected a .pred register as {}, found '{}'", what, raw.text));
  return register_operand(raw, entry->index, Type::Pred, Width::Exact, std::string(what));
}

Operand Decoder::symbol_operand(const RawOperand& raw, std::uint32_t symbol) const {
  Operand o;
  o.kind = Operand::Kind::Symbol;
  o.index = symbol;
  o.value = static_cast<std::uint64_t>(raw.offset);
  return o;
}

// ---- operands ----

void Decoder::add_dst(const RawOperand& raw, Type t, Width width) {
  Instr& i = in();
  if (i.n_dst >= i.dst.size()) fail_at(raw, "too many destinations");
  Operand& o = i.dst[i.n_dst++];
  if (raw.kind == RawOperand::Kind::Sink) {
    o.kind = Operand::Kind::Sink;
    return;
  }
  const bool named = raw.kind == RawOperand::Kind::Name && !raw.negated;
  const auto entry = named ? symbols_.find(raw.text) : std::nullopt;
  if (entry && entry->kind == NameEntry::Kind::Register && raw.offset == 0 &&
      fits(function_->registers[entry->index].type, t, width)) {
    o.kind = function_->registers[entry->index].type == Type::Pred ? Operand::Kind::Pred : Operand::Kind::Reg;
    o.index = entry->index;
    return;
  }
  const std::string what = fmt::format("the destination of {}", fmt_opcode());
  if (!named) fail_at(raw, fmt::format("expected a register as {}, found '{}'", what, raw.text));
  if (!entry) fail_name(raw, what);
  if (entry->kind != NameEntry::Kind::Register)
    fail_at(raw, fmt::format("expected a .{} register as {}, found '{}'", name(t), what, raw.text));
  o = register_operand(raw, entry->index, t, width, what);
}

void Decoder::dst(Type t, Width width) {
  const RawOperand& raw = next("a destination");
  if (has_pair(raw)) fail_at(raw, fmt::format("{} has one destination", fmt_opcode()));
  add_dst(raw, t, width);
}

void Decoder::dst_pair(Type t, Type second, bool required) {
  const RawOperand& raw = next("a destination");
  add_dst(raw, t);
  if (has_pair(raw)) {
    add_dst(pair(raw), second);
  } else if (required) {
    fail_at(raw, fmt::format("{} has two destinations, written d|p", fmt_opcode()));
  }
}

Operand Decoder::source_operand(const RawOperand& raw, Type t, Width width, bool special,
                                const std::string& what) {
  using Kind = RawOperand::Kind;
  Operand o;
  if (has_pair(raw)) fail_at(raw, fmt::format("'|' does not belong in {}", what));
  if (raw.kind == Kind::Name) {
    const auto entry = symbols_.find(raw.text);
    if (entry && entry->kind == NameEntry::Kind::Register)
      return register_operand(raw, entry->index, t, width, what);
    if (const auto sreg = find_sreg(raw.text)) {
      if (!special)
        fail_at(raw, fmt::format("{} cannot be {}: special registers are read by mov only", raw.text, what));
      const unsigned have = sreg_bits(*sreg);
      if (bits(t) != have && !(have == 64 && *sreg == Sreg::Gridid && bits(t) == 32) &&
          !(have == 32 && bits(t) == 16))
        fail_at(raw, fmt::format("{} has {} bits, expected {} as {}", raw.text, have, bits(t), what));
      o.kind = Operand::Kind::Sreg;
      o.index = static_cast<std::uint32_t>(*sreg);
      return o;
    }
    if (!entry) fail_name(raw, what);
    fail_at(raw,
            fmt::format("expected a .{} register or a constant as {}, found '{}'", name(t), what, raw.text));
  }
  if (raw.kind != Kind::Int && raw.kind != Kind::F32 && raw.kind != Kind::F64)
    fail_at(raw,
            fmt::format("expected a .{} register or a constant as {}, found '{}'", name(t), what, raw.text));
  o.kind = Operand::Kind::Imm;
  o.value = constant(raw, t, what);
  return o;
}

void Decoder::add_src(const RawOperand& raw, Type t, Width width, bool special) {
  Instr& i = in();
  if (i.n_src >= i.src.size()) fail_at(raw, "too many sources");
  // The common cases by themselves: naming the place of an operand costs more than decoding it.
  const bool literal = raw.kind == RawOperand::Kind::Int || raw.kind == RawOperand::Kind::F32 ||
                       raw.kind == RawOperand::Kind::F64;
  if (literal && raw.pair == 0 && t != Type::Pred && constant_fits(raw.kind, t)) {
    Operand& o = i.src[i.n_src++];
    o.kind = Operand::Kind::Imm;
    o.value = constant(raw, t, {});
    return;
  }
  if (raw.kind == RawOperand::Kind::Name && raw.pair == 0 && !raw.negated && raw.offset == 0) {
    const auto entry = symbols_.find(raw.text);
    if (entry && entry->kind == NameEntry::Kind::Register &&
        fits(function_->registers[entry->index].type, t, width)) {
      Operand& o = i.src[i.n_src++];
      o.kind =
          function_->registers[entry->index].type == Type::Pred ? Operand::Kind::Pred : Operand::Kind::Reg;
      o.index = entry->index;
      return;
    }
  }
  const Operand o = source_operand(raw, t, width, special, source_place(i.n_src));
  i.src[i.n_src++] = o;
}

void Decoder::src(Type t, Width width) {
  add_src(next("another source"), t, width);
}

void Decoder::src_at(std::size_t index, Type t) {
  const RawOperand& raw = next("another source");
  in().src[index] = source_operand(raw, t, Width::Exact, false, source_place(index));
  in().n_src = std::max<std::uint8_t>(in().n_src, static_cast<std::uint8_t>(index + 1));
}

Operand Decoder::address_operand(const RawOperand& raw, std::int64_t& offset, Space& space) {
  const RawOperand& base = raw.kind == RawOperand::Kind::Address ? children(raw)[0] : raw;
  Operand o;
  if (base.kind == RawOperand::Kind::Int) {
    o.kind = Operand::Kind::Imm;
    o.value = base.value;
    return o;
  }
  if (base.kind != RawOperand::Kind::Name || base.negated)
    fail_at(base, fmt::format("expected an address as operand of {}, found '{}'", fmt_opcode(), base.text));
  const auto entry = symbols_.find(base.text);
  if (!entry) fail_name(base, "an address");
  offset = base.offset;
  if (entry->kind == NameEntry::Kind::Register) {
    const Type t = function_->registers[entry->index].type;
    if (is_float(t) || (bits(t) != 32 && bits(t) != 64))
      fail_at(base, fmt::format("expected a .b64 or .b32 register as an address, found {} (.{})", base.text,
                                name(t)));
    o.kind = Operand::Kind::Reg;
    o.index = entry->index;
    return o;
  }
  const Variable* v = entry->kind == NameEntry::Kind::Symbol ? module_.variable_of(entry->index) : nullptr;
  if (v == nullptr) fail_at(base, fmt::format("expected a variable as an address, found '{}'", base.text));
  // A variable named in a generic access is accessed where it lies.
  if (space == Space::Generic) space = v->space;
  if (space != v->space)
    fail_at(base, fmt::format("{} accesses .{} memory, but '{}' is a .{} variable", fmt_opcode(), name(space),
                              base.text, name(v->space)));
  o.kind = Operand::Kind::Symbol;
  o.index = entry->index;
  return o;
}

void Decoder::address() {
  const RawOperand& raw = next("an address");
  if (raw.kind != RawOperand::Kind::Address || raw.count != 1)
    fail_at(raw,
            fmt::format("expected an address in [ ] as operand of {}, found '{}'", fmt_opcode(), raw.text));
  in().address = address_operand(raw, in().offset, in().space);
}

void Decoder::label(std::string_view what) {
  const RawOperand& raw = next(what);
  if (raw.kind != RawOperand::Kind::Name || raw.negated || raw.offset != 0 || has_pair(raw))
    fail_at(raw, fmt::format("expected {}, found '{}'", what, raw.text));
  symbols_.use_label(raw.text, instruction_index(), raw.at);
}

}  // namespace heddle::ptx
