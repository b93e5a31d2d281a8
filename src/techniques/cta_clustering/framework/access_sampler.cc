#include "techniques/cta_clustering/framework/access_sampler.h"

#include <algorithm>
#include <set>

namespace heddle::cta_clustering {
namespace {

using ptx::Atom;
using ptx::AtomId;
using ptx::AtomKind;
using ptx::Causes;

constexpr std::uint64_t kMostSamples = 4096;  // threads times iterations

}  // namespace

AccessSampler::AccessSampler(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                             const ptx::GlobalAccess& access)
    : atoms_(addresses.atoms), block_(numbers.block()), evaluate_(numbers.evaluation()) {
  for (AtomId id = 0; id < atoms_.size(); ++id) {
    const Atom& a = atoms_[id];
    if (a.kind == AtomKind::Ctaid && a.index < 3) cta_[a.index] = id, has_cta_[a.index] = true;
    if (a.kind == AtomKind::Tid && a.index < 3) tid_[a.index] = id, has_tid_[a.index] = true;
  }
  offset_ = evaluate_.reduced(access.offset);
  choose_iterations(addresses, numbers, access);
  settle_atoms(addresses);
}

// The first iterations of each loop that the address depends on, most of the innermost.
void AccessSampler::choose_iterations(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                                      const ptx::GlobalAccess& access) {
  const Causes causes = addresses.atoms.causes(offset_);
  std::uint64_t left = std::max<std::uint64_t>(1, kMostSamples / std::max<std::uint64_t>(1, block_.count()));
  double all = 1;
  for (std::size_t i = access.loops.size(); i-- > 0;) {
    const std::uint32_t l = access.loops[i];
    const auto n = static_cast<std::uint64_t>(numbers.trips(l));
    executions_ *= static_cast<double>(n);
    if ((causes & ptx::by_loop(l)) == 0 || n == 0) continue;
    all *= static_cast<double>(n);
    const std::uint64_t some = std::min(n, left);
    left = std::max<std::uint64_t>(1, left / some);
    sampled_ *= some;
    for (AtomId id = 0; id < atoms_.size(); ++id)
      if (atoms_[id].kind == AtomKind::Iteration && atoms_[id].index == l) loops_.push_back({id, some});
  }
  weight_ = all / static_cast<double>(sampled_);
}

// Atoms without a number: 0 where all CTAs have the same.
void AccessSampler::settle_atoms(const ptx::KernelAddresses& addresses) {
  ptx::Evaluation tried = evaluate_;
  for (AtomId id = 0; id < atoms_.size(); ++id)
    if (atoms_[id].kind == AtomKind::Ctaid || atoms_[id].kind == AtomKind::Tid ||
        atoms_[id].kind == AtomKind::Iteration)
      tried.set(id, 0);
  std::set<AtomId> named;
  for (const ptx::Sum::Term& t : offset_.terms()) named.insert(t.atoms.begin(), t.atoms.end());
  for (AtomId id : named) {
    if (tried(id)) continue;
    const Causes c = addresses.atoms.causes(id);
    if ((c & ptx::kByData) != 0 && (c & ptx::kByThread) != 0) lanes_by_data_ = true;
    if ((c & (ptx::kByCta | ptx::kByUnknown)) != 0) computable_ = false;
    evaluate_.set(id, 0);
  }
}

std::vector<std::int64_t> AccessSampler::addresses(const workload::Dim3& cta) const {
  ptx::Evaluation e = evaluate_;
  const std::uint32_t at[3] = {cta.x, cta.y, cta.z};
  for (unsigned i = 0; i < 3; ++i)
    if (has_cta_[i]) e.set(cta_[i], at[i]);
  std::vector<std::int64_t> found;
  found.reserve(sampled_ * block_.count());
  for (std::uint64_t n = 0; n < sampled_; ++n) {
    std::uint64_t rest = n;
    for (const Loop& l : loops_) {
      e.set(l.iteration, static_cast<std::int64_t>(rest % l.sampled));
      rest /= l.sampled;
    }
    for (std::uint32_t z = 0; z < block_.z; ++z)
      for (std::uint32_t y = 0; y < block_.y; ++y)
        for (std::uint32_t x = 0; x < block_.x; ++x) {
          if (has_tid_[0]) e.set(tid_[0], x);
          if (has_tid_[1]) e.set(tid_[1], y);
          if (has_tid_[2]) e.set(tid_[2], z);
          e.set_thread(x + std::int64_t{block_.x} * (y + std::int64_t{block_.y} * z));
          found.push_back(e(offset_).value_or(0));
        }
  }
  return found;
}

}  // namespace heddle::cta_clustering
