#include "ptx/analysis/address_dependence.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

AddressDependence dependence(const Atoms& atoms, const Sum& sum, AtomId coordinate, Causes cause) {
  using Kind = AddressDependence::Kind;
  AddressDependence d;
  Kind indirect = Kind::None;
  for (const Sum::Term& t : sum.terms())
    for (AtomId a : t.atoms) {
      if (a == coordinate) continue;
      const Causes c = atoms.causes(a);
      if ((c & kByUnknown) != 0) return {.kind = Kind::Unknown};
      if ((c & cause) == 0) continue;
      indirect = std::max(indirect, (c & kByData) != 0 ? Kind::Data : Kind::Function);
    }
  const std::optional<Sum> stride = sum.factor_of(coordinate);
  if (!stride || indirect != Kind::None) return {.kind = std::max(indirect, Kind::Function)};
  if (stride->terms().empty()) return d;
  d.stride = *stride;
  if (stride->is_constant()) {
    d.kind = Kind::Constant;
    d.bytes = stride->constant_part();
  } else {
    const bool fixed = atoms.uniform(*stride);
    d.kind = fixed ? Kind::Symbolic : Kind::Function;
    if (!fixed && (atoms.causes(*stride) & kByData) != 0) d.kind = Kind::Data;
  }
  return d;
}

}  // namespace

void describe(Atoms& atoms, GlobalAccess& a) {
  for (const Axis axis : kAxes) {
    const auto i = static_cast<std::uint32_t>(axis);
    a.cta[i] = dependence(atoms, a.offset, atoms.simple(AtomKind::Ctaid, i), by_cta(axis));
    a.thread[i] = dependence(atoms, a.offset, atoms.simple(AtomKind::Tid, i), by_thread(axis));
  }
  for (std::uint32_t l : a.loops)
    a.loop.push_back(dependence(atoms, a.offset, atoms.simple(AtomKind::Iteration, l), by_loop(l)));
  const Causes all = atoms.causes(a.offset);
  a.understood = (all & kByUnknown) == 0 && a.base.kind != AccessBase::Kind::Unknown;
  for (const Sum::Term& t : a.offset.terms())
    for (AtomId id : t.atoms) {
      const Causes c = atoms.causes(id);
      a.by_data |= (c & kByData) != 0 && (c & (kByCta | kByThread | kByLoops)) != 0;
    }
}

bool is_fastest(const GlobalAccess& access, Axis axis) {
  const AddressDependence& own = access.on_cta(axis);
  if (!own.strided()) return false;
  for (const Axis other : kAxes) {
    const AddressDependence& d = access.on_cta(other);
    if (other == axis || !d.depends()) continue;
    if (!d.strided()) return false;
    // A product with more factors is the larger one: a row of elements, a plane of rows.
    const std::size_t own_degree = own.stride.degree(), degree = d.stride.degree();
    if (degree < own_degree) return false;
    if (degree == own_degree && d.kind == AddressDependence::Kind::Constant &&
        std::abs(d.bytes) < std::abs(own.bytes))
      return false;
  }
  return true;
}

std::string text(const KernelAddresses& addresses, const Module& module, const Function& kernel,
                 const AddressDependence& d) {
  switch (d.kind) {
    case AddressDependence::Kind::None:
      return "-";
    case AddressDependence::Kind::Constant:
    case AddressDependence::Kind::Symbolic:
      return text(addresses.atoms, module, kernel, d.stride);
    case AddressDependence::Kind::Function:
      return "irregular";
    case AddressDependence::Kind::Data:
      return "by data";
    case AddressDependence::Kind::Unknown:
      return "unknown";
  }
  return "?";
}

}  // namespace heddle::ptx
