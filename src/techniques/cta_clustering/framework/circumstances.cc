#include "techniques/cta_clustering/framework/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

namespace heddle::cta_clustering {
namespace {

using ptx::Atom;
using ptx::AtomId;
using ptx::AtomKind;
using ptx::Axis;
using ptx::Causes;

std::optional<std::int64_t> integer_at(const std::vector<std::byte>& block, const ptx::Variable& p) {
  if (p.offset + p.size > block.size()) return std::nullopt;
  if (p.size == 4) {
    std::int32_t v = 0;
    std::memcpy(&v, block.data() + p.offset, 4);
    return v;
  }
  std::int64_t v = 0;
  if (p.size != 8) return std::nullopt;
  std::memcpy(&v, block.data() + p.offset, 8);
  return v;
}

// A CTA that reads several pieces of an array, one after the other, has as many threads as a piece has steps
// of them; `n` for one piece. Pieces of less than a warp are halos.
std::int64_t in_one_piece(const ptx::KernelAddresses& addresses, const ptx::GlobalAccess& of, Axis axis,
                          std::int64_t step, std::int64_t n) {
  constexpr std::int64_t kWarp = 32;
  std::int64_t least = n;
  for (const ptx::GlobalAccess& a : addresses.accesses) {
    if (a.base != of.base || a.on_thread(axis).stride != of.on_thread(axis).stride) continue;
    const ptx::Sum between = a.offset - of.offset;
    if (!between.is_constant() || between.constant_part() % step != 0) continue;
    const std::int64_t steps = std::abs(between.constant_part() / step);
    if (steps >= kWarp && n % steps == 0) least = std::min(least, steps);
  }
  return least;
}

// Tiles without gaps: the step of a CTA is as many steps of a thread as there are threads. A kernel that asks
// for the number of threads can be started with any.
std::optional<std::uint32_t> threads_along(const ptx::KernelAddresses& addresses, Axis axis) {
  for (AtomId id = 0; id < addresses.atoms.size(); ++id)
    if (addresses.atoms[id].kind == AtomKind::Ntid) return std::nullopt;
  for (const ptx::GlobalAccess& a : addresses.accesses) {
    const ptx::AddressDependence &cta = a.on_cta(axis), &thread = a.on_thread(axis);
    if (!cta.strided() || !thread.strided()) continue;
    const std::int64_t step = thread.stride.terms().front().factor;
    const std::int64_t n = cta.stride.terms().front().factor / step;
    if (n >= 1 && n <= 1024 && cta.stride == ptx::Sum(n) * thread.stride)
      return static_cast<std::uint32_t>(in_one_piece(addresses, a, axis, step, n));
  }
  return std::nullopt;
}

Causes all_causes(const ptx::KernelAddresses& a) {
  Causes c = 0;
  for (const ptx::GlobalAccess& x : a.accesses) c |= a.atoms.causes(x.offset);
  return c;
}

}  // namespace

Circumstances circumstances(const ptx::Module& module, const ptx::Function& kernel,
                            const workload::Launch& launch) {
  Circumstances c;
  c.grid = launch.grid;
  c.block = launch.block;
  std::set<std::uint32_t> pointers;
  const ptx::KernelAddresses found = ptx::find_addresses(module, kernel);
  for (const ptx::GlobalAccess& a : found.accesses)
    if (a.base.kind == ptx::AccessBase::Kind::Parameter) pointers.insert(a.base.index);
  for (const ptx::Variable& p : kernel.params) {
    if (ptx::is_float(p.type) || pointers.contains(static_cast<std::uint32_t>(p.offset))) continue;
    if (const auto v = integer_at(launch.args.block(), p))
      c.parameters[static_cast<std::uint32_t>(p.offset)] = *v;
  }
  return c;
}

ptx::KnownLaunch known_launch(const Circumstances& c) {
  ptx::KnownLaunch k;
  if (c.grid) k.grid = {c.grid->x, c.grid->y, c.grid->z};
  if (c.block) k.block = {c.block->x, c.block->y, c.block->z};
  k.parameters = c.parameters;
  return k;
}

Numbers::Numbers(const ptx::KernelAddresses& addresses, const Circumstances& c)
    : addresses_(addresses), evaluate_(addresses.atoms) {
  assume_shape(c);
  set_symbols();
  set_trips();
}

void Numbers::assume_shape(const Circumstances& c) {
  const Causes causes = all_causes(addresses_);
  if (c.grid) {
    grid_ = *c.grid;
  } else {
    const auto along = [&](Axis a) { return (causes & ptx::by_cta(a)) != 0 ? kAssumedGrid : 1u; };
    grid_ = {kAssumedGrid, along(Axis::Y), along(Axis::Z)};
    assumed_.push_back(fmt::format("a grid of {} x {} x {} CTAs", grid_.x, grid_.y, grid_.z));
  }
  if (c.block) {
    block_ = *c.block;
  } else {
    const bool flat = (causes & ptx::by_thread(Axis::Y)) == 0;
    const std::uint32_t x = threads_along(addresses_, Axis::X).value_or(flat ? 256 : 16);
    const std::uint32_t y = flat ? 1 : threads_along(addresses_, Axis::Y).value_or(16);
    block_ = {x, std::clamp(1024 / x, 1u, y), 1};
    assumed_.push_back(fmt::format("{} x {} threads in a CTA", block_.x, block_.y));
  }
}

void Numbers::set_symbols() {
  bool sizes = false;
  const std::uint32_t shapes[2][3] = {{block_.x, block_.y, block_.z}, {grid_.x, grid_.y, grid_.z}};
  for (AtomId id = 0; id < addresses_.atoms.size(); ++id) {
    const Atom& a = addresses_.atoms[id];
    switch (a.kind) {
      case AtomKind::Ntid:
        evaluate_.set(id, shapes[0][std::min(a.index, 2u)]);
        break;
      case AtomKind::Nctaid:
        evaluate_.set(id, shapes[1][std::min(a.index, 2u)]);
        break;
      case AtomKind::Parameter:
        evaluate_.set(id, kAssumedSize);
        sizes = true;
        break;
      case AtomKind::Pitch:
        evaluate_.set(id, a.index == 1 ? kAssumedPitch : kAssumedPitch * kAssumedSize);
        break;
      case AtomKind::Loaded:
        // A pointer, a size in memory: the same for all.
        if ((addresses_.atoms.causes(id) & ~ptx::kByData) == 0) evaluate_.set(id, 0);
        break;
      default:
        break;
    }
  }
  const auto names_size = [&](const ptx::GlobalAccess& x) {
    return std::any_of(x.offset.terms().begin(), x.offset.terms().end(), [&](const ptx::Sum::Term& t) {
      return std::any_of(t.atoms.begin(), t.atoms.end(),
                         [&](AtomId id) { return addresses_.atoms[id].kind == AtomKind::Parameter; });
    });
  };
  if (sizes && std::any_of(addresses_.accesses.begin(), addresses_.accesses.end(), names_size))
    assumed_.push_back(fmt::format("{} for every size among the parameters", kAssumedSize));
}

// As the first thread of a CTA in the middle counts them.
void Numbers::set_trips() {
  const ptx::Atoms& atoms = addresses_.atoms;
  ptx::Evaluation first = evaluate_;
  for (AtomId id = 0; id < atoms.size(); ++id) {
    if (atoms[id].kind == AtomKind::Tid || atoms[id].kind == AtomKind::Iteration) first.set(id, 0);
    if (atoms[id].kind == AtomKind::Ctaid) first.set(id, 0);
  }
  for (std::uint32_t l = 0; l < atoms.loops.size(); ++l) {
    const std::optional<std::int64_t> n = ptx::trips(first, atoms.loops[l]);
    trips_.push_back(n ? std::min<std::int64_t>(*n, std::int64_t{1} << 24) : kAssumedTrips);
    for (AtomId id = 0; id < atoms.size(); ++id)
      if (atoms[id].kind == AtomKind::Last && atoms[id].index == l) {
        const std::int64_t last = std::max<std::int64_t>(0, trips_[l] - atoms.loops[l].extra);
        evaluate_.set(id, last);
        first.set(id, last);
      }
  }
}

}  // namespace heddle::cta_clustering
