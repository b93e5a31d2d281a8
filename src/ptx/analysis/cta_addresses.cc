#include "ptx/analysis/cta_addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/analysis/address_dependence.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kTexelBytes = 4;  // what a texture holds is not in the text

class Finder {
 public:
  Finder(const Module& module, const Function& kernel, const KnownLaunch& known, KernelAddresses& found)
      : module_(module), kernel_(kernel), known_(known), found_(found), atoms_(found.atoms) {}

  void walk(SymbolicValues& values) {
    const Function& f = values.function();
    for (std::uint32_t i = 0; i < f.instrs.size(); ++i) {
      if (f.instrs[i].op == Op::Call)
        enter(values, i);
      else if (is_global(f.instrs[i]))
        add(values, i);
    }
    values.find_trips();
  }

 private:
  static bool is_global(const Instr& in);
  void enter(SymbolicValues& values, std::uint32_t call);
  void add(SymbolicValues& values, std::uint32_t instr);
  void add(SymbolicValues& values, std::uint32_t instr, const SymbolicValue& where);
  std::vector<Sum> alternatives(const Sum& address, unsigned depth);
  SymbolicValue address(SymbolicValues& values, std::uint32_t instr);
  SymbolicValue texel(SymbolicValues& values, std::uint32_t instr);
  AccessBase base_of(const Sum& address) const;
  Sum base_sum(const AccessBase& base);
  std::string base_name(const AccessBase& base) const;
  bool not_global(const AccessBase& base) const;

  const Module& module_;
  const Function& kernel_;
  const KnownLaunch& known_;
  KernelAddresses& found_;
  Atoms& atoms_;
};

bool Finder::is_global(const Instr& in) {
  switch (in.op) {
    case Op::Ld:
    case Op::St:
    case Op::Atom:
    case Op::Red:
    case Op::WmmaLoad:
    case Op::WmmaStore:
      return in.space == Space::Global || in.space == Space::Generic;
    case Op::CpAsync:
    case Op::Tex:
    case Op::Tld4:
    case Op::Suld:
    case Op::Sust:
    case Op::Sured:
      return true;
    case Op::CpAsyncBulk:
      return in.bulk == BulkCopy::GlobalToShared || in.bulk == BulkCopy::SharedToGlobal;
    default:
      return false;
  }
}

AccessKind kind_of(const Instr& in) {
  switch (in.op) {
    case Op::St:
    case Op::WmmaStore:
    case Op::Sust:
      return AccessKind::Write;
    case Op::Atom:
    case Op::Red:
    case Op::Sured:
      return AccessKind::Atomic;
    case Op::CpAsyncBulk:
      return in.bulk == BulkCopy::SharedToGlobal ? AccessKind::Write : AccessKind::Read;
    default:
      return AccessKind::Read;
  }
}

bool is_texture(const Instr& in) {
  return in.op == Op::Tex || in.op == Op::Tld4 || in.op == Op::Suld || in.op == Op::Sust ||
         in.op == Op::Sured;
}

std::uint32_t width_of(const Instr& in) {
  if (in.op == Op::CpAsync) return in.cp_size;
  if (is_texture(in)) return kTexelBytes;
  if (in.op == Op::WmmaLoad || in.op == Op::WmmaStore || in.op == Op::CpAsyncBulk) return 16;
  return std::max(1u, bytes(in.type) * in.vector);
}

void Finder::enter(SymbolicValues& values, std::uint32_t at) {
  const Function& f = values.function();
  const CallSite& call = f.calls[f.instrs[at].call];
  std::optional<SymbolicValues::Caller> caller = values.caller_at(at);
  if (!caller) {
    const std::string callee = call.callee == ~0u ? "a pointer" : module_.functions[call.callee].name;
    found_.notes.push_back(
        fmt::format("line {}: what {} accesses is not followed", f.instrs[at].line, callee));
    return;
  }
  SymbolicValues inside(module_, module_.functions[call.callee], known_, atoms_, std::move(*caller));
  walk(inside);
}

SymbolicValue Finder::texel(SymbolicValues& values, std::uint32_t instr) {
  const Instr& in = values.function().instrs[instr];
  SymbolicValue v = values.address(instr);  // the handle
  const bool layered = in.tex == TexGeometry::A1d || in.tex == TexGeometry::A2d;
  const unsigned axes = in.tex == TexGeometry::T3d                                 ? 3
                        : in.tex == TexGeometry::T2d || in.tex == TexGeometry::A2d ? 2
                                                                                   : 1;
  if (in.tex == TexGeometry::Cube || in.tex == TexGeometry::Acube || in.tex == TexGeometry::None) {
    v.sum = v.sum + Sum::of(atoms_.simple(AtomKind::Unknown, 0));
    return v;
  }
  const bool stores = in.op == Op::Sust || in.op == Op::Sured;
  const auto first = static_cast<std::uint8_t>((stores ? in.vector : 0) + (layered ? 1 : 0));
  for (std::uint8_t axis = 0; axis < axes && first + axis < in.n_src; ++axis) {
    const SymbolicValue c = values.operand(in.src[first + axis], stores ? Type::S32 : in.src_type, instr);
    // Surfaces count x in bytes.
    const bool surface = stores || in.op == Op::Suld;
    const Sum scale = axis != 0 ? Sum::of(atoms_.simple(AtomKind::Pitch, axis))
                                : Sum(surface ? 1 : std::int64_t{kTexelBytes});
    v.sum = v.sum + c.sum * scale;
    v.about |= c.about;
  }
  return v;
}

SymbolicValue Finder::address(SymbolicValues& values, std::uint32_t instr) {
  const Instr& in = values.function().instrs[instr];
  if (is_texture(in)) return texel(values, instr);
  const bool from_source =
      in.op == Op::CpAsync || (in.op == Op::CpAsyncBulk && in.bulk == BulkCopy::GlobalToShared);
  if (!from_source) return values.address(instr);
  SymbolicValue v = values.operand(in.src[0], Type::U64, instr);
  v.sum = v.sum + Sum(in.offset2);
  return v;
}

// The one thing that is an address: a variable, else a 64-bit parameter, else a loaded pointer.
AccessBase Finder::base_of(const Sum& address) const {
  AccessBase base;
  for (const Sum::Term& t : address.terms()) {
    if (t.atoms.size() != 1 || t.factor != 1) continue;
    const Atom& a = atoms_[t.atoms[0]];
    if (a.kind == AtomKind::Variable) return {AccessBase::Kind::Variable, a.index};
    if (a.kind == AtomKind::Parameter && base.kind != AccessBase::Kind::Parameter) {
      const auto wide = [&](const Variable& v) {
        return v.size >= 8 && v.offset <= a.index && a.index < v.offset + v.size;
      };
      if (std::any_of(kernel_.params.begin(), kernel_.params.end(), wide))
        base = {AccessBase::Kind::Parameter, a.index};
    }
    const bool from_memory = a.kind == AtomKind::Loaded || a.join == JoinKind::Table;
    if (from_memory && base.kind == AccessBase::Kind::Unknown && a.instr != nullptr &&
        bytes(a.instr->type) == 8)
      base = {AccessBase::Kind::Pointer, t.atoms[0]};
  }
  return base;
}

Sum Finder::base_sum(const AccessBase& base) {
  switch (base.kind) {
    case AccessBase::Kind::Parameter:
      return Sum::of(atoms_.simple(AtomKind::Parameter, base.index));
    case AccessBase::Kind::Variable:
      return Sum::of(atoms_.simple(AtomKind::Variable, base.index));
    default:
      return {};  // a loaded pointer stays in the sum: who loads it matters
  }
}

std::string Finder::base_name(const AccessBase& base) const {
  switch (base.kind) {
    case AccessBase::Kind::Parameter: {
      for (const Variable& v : kernel_.params)
        if (v.offset <= base.index && base.index < v.offset + v.size)
          return v.offset == base.index ? v.name : fmt::format("{}+{}", v.name, base.index - v.offset);
      return "?";
    }
    case AccessBase::Kind::Variable:
      return module_.symbols[base.index].name;
    case AccessBase::Kind::Pointer:
      return fmt::format("pointer loaded at line {}", atoms_[base.index].instr->line);
    default:
      return "?";
  }
}

bool Finder::not_global(const AccessBase& base) const {
  if (base.kind != AccessBase::Kind::Variable) return false;
  const Variable* v = module_.variable_of(base.index);
  return v != nullptr && v->space != Space::Global && !v->texture;
}

// A pointer chosen between several: an access to each.
std::vector<Sum> Finder::alternatives(const Sum& address, unsigned depth) {
  if (depth < 3 && base_of(address).kind == AccessBase::Kind::Unknown)
    for (const Sum::Term& t : address.terms()) {
      if (t.atoms.size() != 1 || t.factor != 1 || atoms_[t.atoms[0]].join != JoinKind::Choice) continue;
      std::vector<Sum> all;
      for (const Sum& one : std::vector<Sum>(atoms_[t.atoms[0]].args))
        for (Sum& way : alternatives(address.with(t.atoms[0], atoms_.resolved(one)), depth + 1))
          if (base_of(way).kind != AccessBase::Kind::Unknown) all.push_back(std::move(way));
      if (!all.empty()) return all;
    }
  return {address};
}

void Finder::add(SymbolicValues& values, std::uint32_t instr) {
  const SymbolicValue where = address(values, instr);
  const std::vector<Sum> ways = alternatives(atoms_.resolved(where.sum), 0);
  for (const Sum& way : ways) add(values, instr, {way, where.about && ways.size() == 1});
}

void Finder::add(SymbolicValues& values, std::uint32_t instr, const SymbolicValue& where) {
  const Instr& in = values.function().instrs[instr];
  GlobalAccess a;
  a.base = base_of(where.sum);
  if (not_global(a.base)) return;
  a.kind = kind_of(in);
  a.texture = is_texture(in);
  a.array = base_name(a.base);
  a.offset = where.sum - base_sum(a.base);
  a.about = where.about;
  a.width = width_of(in);
  a.function = &values.function();
  a.instr = instr;
  a.line = in.line;
  a.loops = values.loops_around(instr);
  found_.accesses.push_back(std::move(a));
}

// Loops that run a fixed number of times: numbers instead of symbols.
void fix_loops(const Atoms& atoms, Sum& sum) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Sum::Term& t : sum.terms()) {
      for (AtomId id : t.atoms) {
        if (atoms[id].kind != AtomKind::Last) continue;
        const SymbolicLoop& l = atoms.loops[atoms[id].index];
        if (!l.distance || !l.distance->is_constant() || !l.step.is_constant()) continue;
        const std::int64_t d = l.distance->constant_part(), step = l.step.constant_part();
        sum = sum.with(id, Sum((d + step - 1) / step));
        changed = true;
        break;
      }
      if (changed) break;
    }
  }
}

}  // namespace

KernelAddresses find_addresses(const Module& module, const Function& kernel, const KnownLaunch& known) {
  KernelAddresses found;
  SymbolicValues values(module, kernel, known, found.atoms);
  Finder(module, kernel, known, found).walk(values);
  for (GlobalAccess& a : found.accesses) {
    a.offset = found.atoms.resolved(a.offset);
    fix_loops(found.atoms, a.offset);
    describe(found.atoms, a);
  }
  for (SymbolicLoop& l : found.atoms.loops)
    if (l.distance) l.distance = found.atoms.resolved(*l.distance);
  return found;
}

}  // namespace heddle::ptx
