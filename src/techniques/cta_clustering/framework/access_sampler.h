// The addresses that an access has in one CTA, thread by thread, for the first iterations of its loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "techniques/cta_clustering/framework/circumstances.h"

namespace heddle::cta_clustering {

class AccessSampler {
 public:
  AccessSampler(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                const ptx::GlobalAccess& access);

  // False: what the address depends on has no number, and CTAs differ in it.
  bool computable() const { return computable_; }
  // Lanes get their addresses from data that they have loaded each.
  bool lanes_by_data() const { return lanes_by_data_; }
  // How often a thread comes to the access; 0: never, for the numbers assumed.
  double executions() const { return executions_; }
  std::uint64_t sampled() const { return sampled_; }  // iterations, of all loops together
  // From what is sampled to all places that the loops reach.
  double weight() const { return weight_; }
  // Bytes from the array's start: all threads of the first iteration, of the second, ...
  std::vector<std::int64_t> addresses(const workload::Dim3& cta) const;

 private:
  struct Loop {
    ptx::AtomId iteration;
    std::uint64_t sampled;
  };
  void choose_iterations(const ptx::KernelAddresses& addresses, const Numbers& numbers,
                         const ptx::GlobalAccess& access);
  void settle_atoms(const ptx::KernelAddresses& addresses);

  const ptx::Atoms& atoms_;
  workload::Dim3 block_;
  ptx::Evaluation evaluate_;
  ptx::Sum offset_;
  std::vector<Loop> loops_;
  bool computable_ = true, lanes_by_data_ = false;
  double executions_ = 1, weight_ = 1;
  std::uint64_t sampled_ = 1;
  ptx::AtomId cta_[3]{}, tid_[3]{};
  bool has_cta_[3]{}, has_tid_[3]{};
};

}  // namespace heddle::cta_clustering
