#include "ptx/analysis/symbolic_atoms.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {
namespace {

void put(std::vector<std::int64_t>& key, const Sum& s) {
  key.push_back(static_cast<std::int64_t>(s.terms().size()));
  for (const Sum::Term& t : s.terms()) {
    key.push_back(t.factor);
    key.push_back(static_cast<std::int64_t>(t.atoms.size()));
    key.insert(key.end(), t.atoms.begin(), t.atoms.end());
  }
}

std::vector<std::int64_t> key_of(const Atom& a) {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(a.kind), static_cast<std::int64_t>(a.join), a.index,
                                a.result};
  if (const Instr* in = a.instr) {
    for (const int field :
         {static_cast<int>(in->op), static_cast<int>(in->type), static_cast<int>(in->src_type),
          static_cast<int>(in->half), static_cast<int>(in->cmp), static_cast<int>(in->bool_op),
          static_cast<int>(in->shfl), static_cast<int>(in->lut), static_cast<int>(in->prmt),
          static_cast<int>(in->left), static_cast<int>(in->round), static_cast<int>(in->vote)})
      key.push_back(field);
  }
  for (const Sum& s : a.args) put(key, s);
  return key;
}

char axis_name(std::uint32_t index) {
  return static_cast<char>('x' + static_cast<char>(std::min(index, 2u)));
}

}  // namespace

AtomId Atoms::intern(Atom atom) {
  std::vector<std::int64_t> key = key_of(atom);
  const auto [at, added] = known_.emplace(std::move(key), static_cast<AtomId>(atoms_.size()));
  return added ? fresh(std::move(atom)) : at->second;
}

AtomId Atoms::fresh(Atom atom) {
  atoms_.push_back(std::move(atom));
  causes_.emplace_back();
  met_.push_back(0);
  const auto id = static_cast<AtomId>(atoms_.size() - 1);
  causes(id);  // now, while what it is made of is known: later walks need not go deep
  return id;
}

Sum Atoms::resolved(const Sum& sum) const {
  Sum s = sum;
  // A solution may name further ones; it never names itself.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Sum::Term& t : s.terms()) {
      const auto at = std::find_if(t.atoms.begin(), t.atoms.end(), [&](AtomId a) {
        return atoms_[a].kind == AtomKind::Pending && atoms_[a].solution;
      });
      if (at == t.atoms.end()) continue;
      s = s.with(*at, *atoms_[*at].solution);
      changed = true;
      break;
    }
  }
  return s;
}

Causes Atoms::causes(const Sum& sum) const {
  ++walk_;
  return walk(sum).causes;
}

Causes Atoms::causes(AtomId atom) const {
  ++walk_;
  return walk(atom).causes;
}

Atoms::Walked Atoms::walk(const Sum& sum) const {
  Walked all;
  for (const Sum::Term& t : sum.terms())
    for (AtomId a : t.atoms) {
      const Walked w = walk(a);
      all.causes |= w.causes;
      all.final &= w.final;
    }
  return all;
}

Atoms::Walked Atoms::walk(AtomId id) const {
  if (causes_[id]) return {*causes_[id], true};
  if (met_[id] == walk_) return {0, false};
  met_[id] = walk_;
  const Walked w = walk_anew(atoms_[id]);
  if (w.final) causes_[id] = w.causes;
  return w;
}

Atoms::Walked Atoms::walk_anew(const Atom& a) const {
  Walked all;
  switch (a.kind) {
    case AtomKind::Ctaid:
      return {by_cta(static_cast<Axis>(a.index)), true};
    case AtomKind::Tid:
      return {by_thread(static_cast<Axis>(a.index)), true};
    case AtomKind::Iteration:
      return {by_loop(a.index), true};
    case AtomKind::Unknown:
      return {kByUnknown, true};
    case AtomKind::Pending:
      if (a.solution) return walk(*a.solution);
      // Not yet known: it varies in its own loop and in all around it.
      for (std::uint32_t l = a.index; l != kNoTarget; l = loops[l].parent) all.causes |= by_loop(l);
      all.final = false;
      return all;
    case AtomKind::Loaded:
      all.causes = kByData;
      break;
    default:
      break;
  }
  for (const Sum& s : a.args) {
    const Walked w = walk(s);
    all.causes |= w.causes;
    all.final &= w.final;
  }
  return all;
}

std::optional<Bounds> Atoms::bounds(const Sum& sum) const {
  Bounds all{0, 0};
  for (const Sum::Term& t : sum.terms()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    std::int64_t least = t.factor, most = t.factor;
    for (AtomId id : t.atoms) {
      const Atom& a = atoms_[id];
      if (!a.least || !a.most || *a.least < 0 || *a.most > kMost) return std::nullopt;
      const std::int64_t ends[] = {least * *a.least, least * *a.most, most * *a.least, most * *a.most};
      least = *std::min_element(std::begin(ends), std::end(ends));
      most = *std::max_element(std::begin(ends), std::end(ends));
      if (std::max(std::abs(least), std::abs(most)) > kMost) return std::nullopt;
    }
    all.least += least;
    all.most += most;
  }
  return all;
}

namespace {

std::string atom_text(const Atoms& atoms, const Module& module, const Function& kernel, AtomId id) {
  const Atom& a = atoms[id];
  switch (a.kind) {
    case AtomKind::Parameter:
      for (const Variable& v : kernel.params)
        if (v.offset <= a.index && a.index < v.offset + std::max<std::uint64_t>(v.size, 1))
          return a.index == v.offset ? v.name : fmt::format("{}+{}", v.name, a.index - v.offset);
      return fmt::format("param+{}", a.index);
    case AtomKind::Variable:
      return module.symbols[a.index].name;
    case AtomKind::Ctaid:
      return fmt::format("b{}", axis_name(a.index));
    case AtomKind::Tid:
      return fmt::format("t{}", axis_name(a.index));
    case AtomKind::Ntid:
      return fmt::format("ntid.{}", axis_name(a.index));
    case AtomKind::Nctaid:
      return fmt::format("nctaid.{}", axis_name(a.index));
    case AtomKind::Iteration:
      return fmt::format("loop{}", a.index);
    case AtomKind::Last:
      return fmt::format("last{}", a.index);
    case AtomKind::Pitch:
      return "pitch";
    case AtomKind::Loaded:
      return a.instr == nullptr ? "loaded" : fmt::format("loaded@{}", a.instr->line);
    case AtomKind::Function:
      return a.instr == nullptr ? "f" : fmt::format("{}@{}", name(a.instr->op), a.instr->line);
    default:
      return "?";
  }
}

}  // namespace

std::string text(const Atoms& atoms, const Module& module, const Function& kernel, const Sum& sum) {
  if (sum.terms().empty()) return "0";
  std::string out;
  for (const Sum::Term& t : sum.terms()) {
    if (!out.empty()) out += t.factor < 0 ? " - " : " + ";
    const std::int64_t f = out.empty() ? t.factor : std::abs(t.factor);
    std::string product;
    for (AtomId a : t.atoms) product += (product.empty() ? "" : "*") + atom_text(atoms, module, kernel, a);
    if (product.empty())
      out += fmt::format("{}", f);
    else
      out += f == 1 ? product : f == -1 ? "-" + product : fmt::format("{}*{}", f, product);
  }
  return out;
}

}  // namespace heddle::ptx
